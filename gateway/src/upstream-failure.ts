import type { ClientRequest } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import type { Family } from './target.ts';

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

/** Codes that say that no connection came about: nothing has reached the service. */
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

/** The fault of a service that is not there. */
export const unavailable = (details: string, retryAfterSeconds = 1): Fault =>
  new Fault('service_unavailable', details, { 'Retry-After': `${retryAfterSeconds}` });

/** The fault of a service that is there and does not answer as it should. */
export const badGateway = (details: string): Fault => new Fault('bad_gateway', details);

/** The same fault where the family has a status for it: in family B a service that fails behind the gateway is unavailable. */
export const inFamily = (family: Family, fault: Fault): Fault =>
  family === 'B' && fault.code === 'bad_gateway' ? unavailable(fault.details) : fault;

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
