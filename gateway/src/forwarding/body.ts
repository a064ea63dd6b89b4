import type { IncomingMessage } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { BODY_LIMIT_BYTES } from '@boxoffice/http';
import { answerFault } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { createInFlight, type Indexed } from './in-flight.ts';

/** Methods whose body is forwarded; a body of any other method is dropped. */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

const tooLarge = (): Fault =>
  new Fault('payload_too_large', `The request body is over ${BODY_LIMIT_BYTES / 1024} KiB.`);

const tooSlow = (): Fault => new Fault('request_timeout', 'The request body did not arrive completely in time.');

/** Whether a body is forwarded with the method. */
export const takesBody = ({ method }: IncomingMessage): boolean => WITH_BODY.has(method ?? '');

/** Whether a body has to be read. @throws {Fault} payload_too_large when Content-Length exceeds the limit */
export const hasBody = (request: IncomingMessage): boolean => {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (!takesBody(request)) return false;
  if (Number(length) > BODY_LIMIT_BYTES) throw tooLarge();
  return coding !== undefined || (length !== undefined && length !== '0');
};

/** A request whose body is arriving. It holds nothing of the service. */
interface Arriving extends Indexed {
  readonly exchange: Exchange;
  /** When the body is late. Epoch milliseconds. */
  readonly dueAt: number;
  readonly stop: () => void;
}

/** The bodies that are arriving. */
export interface Bodies {
  /**
   * Reads the whole body into memory and passes it on; answers 413 or 408 if it is too large or too slow. Returns a
   * function that stops the reading.
   */
  read(exchange: Exchange, pass: (body: readonly Buffer[]) => void): () => void;
  /** Answers the late ones; called regularly. */
  expire(now: number): void;
}

/** Makes the list of one service's arriving bodies; each has `timeoutMs` to arrive. */
export const createBodies = (timeoutMs: number): Bodies => {
  const arriving = createInFlight<Arriving>();
  return {
    read(exchange, pass) {
      const { request } = exchange;
      const chunks: Buffer[] = [];
      let bytes = 0;
      const stop = (): void => {
        request.off('data', take).off('end', end);
        arriving.delete(one);
      };
      const take = (chunk: Buffer): void => {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes <= BODY_LIMIT_BYTES) return;
        stop();
        answerFault(exchange, tooLarge());
      };
      const end = (): void => {
        stop();
        pass(chunks);
      };
      const one: Arriving = { exchange, index: -1, dueAt: exchange.now + timeoutMs, stop };
      arriving.add(one);
      request.on('data', take).on('end', end);
      return stop;
    },
    expire(now) {
      arriving.visit(({ exchange, dueAt, stop }) => {
        if (now < dueAt) return;
        stop();
        answerFault(exchange, tooSlow());
      });
    },
  };
};
