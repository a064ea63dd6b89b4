import type { ClientRequest, IncomingMessage } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { BODY_LIMIT_BYTES } from '@boxoffice/http';

/** Methods whose body is forwarded; a body of any other method is dropped. */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

export const tooLarge = (): Fault =>
  new Fault('payload_too_large', `The request body is over ${BODY_LIMIT_BYTES / 1024} KiB.`);

export const tooSlow = (): Fault => new Fault('request_timeout', 'The request body did not arrive completely in time.');

/** How a request's body is framed towards the service. */
export interface Framing {
  /** Whether there is a body to send. */
  readonly body: boolean;
  /** The Content-Length to send; undefined means chunks, or no body. */
  readonly length: string | undefined;
}

const NOTHING: Framing = { body: false, length: undefined };
const EMPTY: Framing = { body: false, length: '0' };

/**
 * Determines the framing. A body of GET or DELETE must not be forwarded without length or chunks: the service would
 * read it as the next request.
 * @throws {Fault} payload_too_large when Content-Length exceeds the limit
 */
export const framingOf = ({ method, headers }: IncomingMessage): Framing => {
  const length = headers['content-length'];
  if (!WITH_BODY.has(method ?? '')) return NOTHING;
  if (Number(length) > BODY_LIMIT_BYTES) throw tooLarge();
  if (headers['transfer-encoding'] !== undefined) return { body: true, length: undefined };
  return length === undefined || length === '0' ? EMPTY : { body: true, length };
};

/** Notifications about the body. */
export interface BodyEvents {
  /** The whole body has been forwarded. */
  sent(): void;
  /** The body exceeds the limit; nothing more is forwarded. */
  tooLarge(): void;
}

/** Forwards the body with backpressure and counts its bytes. */
export const sendBody = (request: IncomingMessage, upstream: ClientRequest, events: BodyEvents): void => {
  let bytes = 0;
  const stop = (): void => {
    request.off('data', take).off('end', end);
  };
  const take = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > BODY_LIMIT_BYTES) {
      stop();
      events.tooLarge();
    } else if (!upstream.write(chunk)) {
      request.pause();
    }
  };
  const end = (): void => {
    upstream.end();
    events.sent();
  };
  request.on('data', take).on('end', end);
  upstream.on('drain', () => request.resume());
  // The service has answered or disconnected: the rest of the body is discarded.
  upstream.once('close', () => {
    stop();
    request.resume();
  });
};
