import type { ClientRequest, IncomingMessage } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { BODY_LIMIT_BYTES } from '@boxoffice/http';

/** Methods whose bodies mean something here. What comes along with others is not forwarded. */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

export const tooLarge = (): Fault =>
  new Fault('payload_too_large', `The request body is over ${BODY_LIMIT_BYTES / 1024} KiB.`);

export const tooSlow = (): Fault => new Fault('request_timeout', 'The request did not arrive whole in time.');

/** How a request's body reaches the service. */
export interface Framing {
  /** Whether there is a body to send. */
  readonly body: boolean;
  /** The Content-Length to send; undefined lets Node send it in chunks, or says that there is none. */
  readonly length: string | undefined;
}

const NOTHING: Framing = { body: false, length: undefined };
const EMPTY: Framing = { body: false, length: '0' };

/**
 * Decides how the body goes on. A body of GET or DELETE must not go on without a length or chunks: the service would read it as the next
 * request on its connection.
 * @throws {Fault} payload_too_large when the request says so itself
 */
export const framingOf = ({ method, headers }: IncomingMessage): Framing => {
  const length = headers['content-length'];
  if (!WITH_BODY.has(method ?? '')) return NOTHING;
  if (Number(length) > BODY_LIMIT_BYTES) throw tooLarge();
  if (headers['transfer-encoding'] !== undefined) return { body: true, length: undefined };
  return length === undefined || length === '0' ? EMPTY : { body: true, length };
};

/** What happens to a body on its way. */
export interface BodyEvents {
  /** It has been handed on whole. */
  sent(): void;
  /** It is over the limit; nothing more is handed on. */
  tooLarge(): void;
}

/** Hands the body on as it comes, no faster than it is taken, and counts its bytes. */
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
  // The service has answered or gone: the rest has nowhere to go.
  upstream.once('close', () => {
    stop();
    request.resume();
  });
};
