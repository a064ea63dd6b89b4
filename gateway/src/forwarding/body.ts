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

/** The longest body that is kept for a second attempt: an order of several hundred places. */
const KEPT_BYTES = 32 * 1024;

/**
 * Forwards the body with backpressure and counts its bytes. `keep` gets a whole body that may be needed for a second
 * attempt, unless it is long.
 */
export const sendBody = (
  request: IncomingMessage,
  upstream: ClientRequest,
  events: BodyEvents,
  keep?: (body: readonly Buffer[]) => void,
): void => {
  let bytes = 0;
  const kept: Buffer[] = [];
  const stop = (): void => {
    request.off('data', take).off('end', end);
  };
  const take = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > BODY_LIMIT_BYTES) {
      stop();
      events.tooLarge();
      return;
    }
    if (keep && bytes <= KEPT_BYTES) kept.push(chunk);
    if (!upstream.write(chunk)) request.pause();
  };
  const end = (): void => {
    if (bytes <= KEPT_BYTES) keep?.(kept);
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
