import type { ClientRequest } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import type { Family } from '../exchange/target.ts';

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

/** The fault of a service that is not there. */
export const unavailable = (details: string, retryAfterSeconds = 1): Fault =>
  new Fault('service_unavailable', details, { 'Retry-After': `${retryAfterSeconds}` });

const SECONDS = /^[1-9]\d{0,4}$/;

/** The fault of a service that is there and does not answer as it should; `retryAfter`: what it says of waiting. */
export const badGateway = (details: string, retryAfter = ''): Fault =>
  SECONDS.test(retryAfter)
    ? new Fault('bad_gateway', details, { 'Retry-After': retryAfter })
    : new Fault('bad_gateway', details);

/** What waiting mends: the service, or the way to it. */
const PASSING: ReadonlySet<string> = new Set(['bad_gateway', 'service_unavailable']);

/** The same fault in the family's terms: the only 5xx of family B is 500, with `Retry-After` where waiting helps. */
export const inFamily = (family: Family, fault: Fault): Fault => {
  if (family === 'A' || fault.http < 500 || fault.code === 'internal_error') return fault;
  const headers = PASSING.has(fault.code) ? { 'Retry-After': '1', ...fault.headers } : fault.headers;
  return new Fault('internal_error', fault.details, headers);
};

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
