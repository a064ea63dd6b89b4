import type { IncomingMessage } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { BODY_LIMIT_BYTES } from '@boxoffice/http';
import { answerFault } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { createUnavailableFault } from '../exchange/faults.ts';
import { createInFlight, type Indexed } from './in-flight.ts';

/** Limit for bodies that have not arrived completely, at all services; beyond, the oldest are refused. */
const MOST_BYTES = 64 * 1024 * 1024;

const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

export function mayHaveBody({ method }: IncomingMessage): boolean {
  return WITH_BODY.has(method ?? '');
}

/** @throws {Fault} payload_too_large when Content-Length exceeds the limit */
export function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (Number(length) > BODY_LIMIT_BYTES) throw tooLarge();
  return coding !== undefined || (length !== undefined && length !== '0');
}

const tooLarge = (): Fault =>
  new Fault('payload_too_large', `The request body is over ${BODY_LIMIT_BYTES / 1024} KiB.`);

interface Arriving extends Indexed {
  readonly exchange: Exchange;
  bytes: number;
  readonly stop: () => void;
}

export type Bodies = ReturnType<typeof createBodies>;

/** `timeoutMs` of each body is less than the server's own limit. */
export function createBodies(timeoutMs = 25_000) {
  let total = 0;

  const refuse = ({ exchange, stop }: Arriving, fault: Fault): void => {
    stop();
    answerFault(exchange, fault);
  };
  const arriving = createInFlight<Arriving>((one) => refuse(one, tooSlow()));

  const refuseOldest = (): void => {
    let oldest: Arriving | undefined;
    arriving.visit((one) => {
      if (oldest === undefined || one.dueAt < oldest.dueAt) oldest = one;
    });
    if (oldest) refuse(oldest, tooMany());
  };

  return {
    /** Answers 413, 408, or 503 for the oldest of too many bodies. Returns a function that stops the reading. */
    read(exchange: Exchange, pass: (body: readonly Buffer[]) => void): () => void {
      const { request } = exchange;
      const chunks: Buffer[] = [];
      const stop = (): void => {
        request.off('data', take).off('end', end);
        arriving.delete(one);
        total -= one.bytes;
        one.bytes = 0;
      };
      const take = (chunk: Buffer): void => {
        one.bytes += chunk.length;
        total += chunk.length;
        chunks.push(chunk);
        if (one.bytes > BODY_LIMIT_BYTES) refuse(one, tooLarge());
        else while (total > MOST_BYTES) refuseOldest();
      };
      const end = (): void => {
        stop();
        pass(chunks);
      };
      const one: Arriving = { exchange, index: -1, dueAt: exchange.now + timeoutMs, bytes: 0, stop };
      arriving.add(one);
      request.on('data', take).on('end', end);
      return stop;
    },
    close: arriving.close,
  };
}

const tooSlow = (): Fault => new Fault('request_timeout', 'The request body did not arrive completely in time.');

const tooMany = (): Fault => createUnavailableFault('Too many request bodies are arriving; send it again at once.');
