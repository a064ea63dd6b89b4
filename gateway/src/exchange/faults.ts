import { Fault } from '@boxoffice/envelope';

/** A: institution API; B: point-of-sale API. */
export type Family = 'A' | 'B';

export function createNoSuchEndpointFault(): Fault {
  return new Fault('not_found', 'There is no such endpoint. The reference of all endpoints is at /docs.');
}

export function createUnavailableFault(details: string, retryAfterSeconds = 1): Fault {
  return new Fault('service_unavailable', details, { 'Retry-After': `${retryAfterSeconds}` });
}

const SECONDS = /^[1-9]\d{0,4}$/;

/** `retryAfter` is the service's own header. */
export function createBadGatewayFault(details: string, retryAfter = ''): Fault {
  return SECONDS.test(retryAfter)
    ? new Fault('bad_gateway', details, { 'Retry-After': retryAfter })
    : new Fault('bad_gateway', details);
}

const RETRYABLE: ReadonlySet<string> = new Set(['bad_gateway', 'service_unavailable']);

/** The only 5xx of family B is 500, with `Retry-After` where a retry can help. */
export function toFamilyFault(family: Family, fault: Fault): Fault {
  if (family === 'A' || fault.http < 500 || fault.code === 'internal_error') return fault;
  const headers = RETRYABLE.has(fault.code) ? { 'Retry-After': '1', ...fault.headers } : fault.headers;
  return new Fault('internal_error', fault.details, headers);
}
