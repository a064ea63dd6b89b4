import type { ClientRequest } from 'node:http';
import type { Fault } from '@boxoffice/envelope';
import { badGateway, unavailable } from '../exchange/faults.ts';

/** Why a service gave no answer. */
export interface UpstreamFailure {
  /** The system's or our own code, for logs and figures. */
  readonly code: string;
  readonly fault: Fault;
}

/** The service took too long. An own error, so that it is not taken for a reset. */
export class UpstreamTimeout extends Error {
  override readonly name = 'UpstreamTimeout';
  readonly code = 'upstream_timeout';
}

/** The service broke off its answer. */
export class BrokenReply extends Error {
  override readonly name = 'BrokenReply';
  readonly code = 'broken_reply';
}

/** Codes that say that no connection came about: nothing has reached the service. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'breaker_open',
  'EAI_AGAIN',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
]);

const codeOf = (error: Error): string => String((error as { readonly code?: unknown }).code ?? error.name);

/** Whether a kept connection had been closed by the service before it saw this request. */
export const isStale = (error: Error, upstream: ClientRequest | undefined): boolean =>
  upstream?.reusedSocket === true && ['ECONNRESET', 'EPIPE'].includes(codeOf(error));

/** What an error on the way to a service means for the client. */
export const failureOf = (error: Error, upstream: ClientRequest | undefined): UpstreamFailure => {
  const code = codeOf(error);
  const unconnected = upstream === undefined || upstream.socket?.connecting === true;
  if (UNREACHABLE.has(code) || (error instanceof UpstreamTimeout && unconnected)) {
    return { code, fault: unavailable('The service cannot be reached at the moment.') };
  }
  if (error instanceof UpstreamTimeout) {
    return { code, fault: badGateway('The service did not answer in time.') };
  }
  return { code, fault: badGateway('The service broke off the connection.') };
};
