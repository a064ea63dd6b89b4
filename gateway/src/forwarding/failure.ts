import type { ClientRequest } from 'node:http';
import type { Fault } from '@boxoffice/envelope';
import { badGateway, unavailable } from '../exchange/faults.ts';

/** Why a service gave no usable answer. */
export interface UpstreamFailure {
  /** The system's error code or our own, for logs and metrics. */
  readonly code: string;
  readonly fault: Fault;
}

/** The service exceeded its time. A class of its own, so that it is not mistaken for a connection reset. */
export class UpstreamTimeout extends Error {
  override readonly name = 'UpstreamTimeout';
  readonly code = 'upstream_timeout';
}

/** No connection to an address was established in time: nothing was sent. */
export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
  readonly code = 'ETIMEDOUT';
}

/** The service ended its response early. */
export class BrokenReply extends Error {
  override readonly name = 'BrokenReply';
  readonly code = 'broken_reply';
}

/** Codes of errors before a connection existed: nothing has reached the service. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
]);

const codeOf = (error: Error): string => String((error as { readonly code?: unknown }).code ?? error.name);

/** Whether the address accepted no connection, so that nothing was sent. */
export const isUnreached = (error: Error): boolean =>
  error instanceof ConnectTimeout || (error as NodeJS.ErrnoException).syscall === 'connect';

/** Whether a connection broke. */
export const isReset = (error: Error): boolean => ['ECONNRESET', 'EPIPE'].includes(codeOf(error));

/**
 * Whether the service had closed a reused connection before it read the request: then it has had no effect, and may be
 * sent once more on a new connection (RFC 9112, 9.3.1).
 */
export const isStale = (error: Error, upstream: ClientRequest | undefined): boolean =>
  upstream?.reusedSocket === true && isReset(error);

/** Maps an error of an upstream request to the client's answer. */
export const failureOf = (error: Error, upstream: ClientRequest | undefined): UpstreamFailure => {
  const code = codeOf(error);
  const unconnected = upstream === undefined || upstream.socket?.connecting === true;
  if (UNREACHABLE.has(code) || (error instanceof UpstreamTimeout && unconnected)) {
    return { code, fault: unavailable('The service cannot be reached; try again later.') };
  }
  if (error instanceof UpstreamTimeout) {
    return { code, fault: badGateway('The service did not answer in time.') };
  }
  return { code, fault: badGateway('The service closed the connection before its response was complete.') };
};
