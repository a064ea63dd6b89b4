import { Fault } from '@boxoffice/envelope';
import type { Family } from './target.ts';

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
const RETRYABLE: ReadonlySet<string> = new Set(['bad_gateway', 'service_unavailable']);

/** The same fault in the family's terms: the only 5xx of family B is 500, with `Retry-After` where waiting helps. */
export const inFamily = (family: Family, fault: Fault): Fault => {
  if (family === 'A' || fault.http < 500 || fault.code === 'internal_error') return fault;
  const headers = RETRYABLE.has(fault.code) ? { 'Retry-After': '1', ...fault.headers } : fault.headers;
  return new Fault('internal_error', fault.details, headers);
};
