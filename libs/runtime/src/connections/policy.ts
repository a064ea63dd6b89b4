import type { ClientRequest, IncomingHttpHeaders } from 'node:http';

// The policy of the gateway and of the clients of services for connections that they keep open to a service.

/** Maximum age of a connection in milliseconds; see `expiryOf`. */
export const CONNECTION_AGE_MS = 20_000;

/**
 * When a connection that is opened now is used for the last time, in epoch milliseconds: after half of its maximum age
 * at the earliest, so that not all end at once. The next connection resolves the name again, so that a new instance
 * soon has its share of the requests.
 */
export const expiryOf = (now: number, maxAgeMs: number): number => now + maxAgeMs * (0.5 + Math.random() / 2);

/**
 * Whether an answer is the last on its connection: the instance is about to stop, and closes its other connections as
 * well.
 */
export const isLastAnswer = ({ connection }: IncomingHttpHeaders): boolean => connection?.toLowerCase() === 'close';

const RESET: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

/** Whether a request failed because its connection broke. */
export const isReset = (error: Error): boolean => RESET.has((error as NodeJS.ErrnoException).code);

/**
 * Whether a request failed because the service had closed its reused connection before it read the request: then the
 * request has had no effect, and may be sent once more on a new connection (RFC 9112, 9.3.1).
 */
export const isStale = (error: Error, request: Pick<ClientRequest, 'reusedSocket'> | undefined): boolean =>
  request?.reusedSocket === true && isReset(error);
