import { type Code, type Fault, failureOf, success } from '@boxoffice/envelope';
import type { Caller } from '@boxoffice/identity';

/**
 * What the two interface families do differently, in one place: how answers and errors look, and how strict a form is. The rest of this
 * package knows no family.
 */
export interface Family {
  /** The body of a 2xx answer. */
  success(data: object | null): object;
  /** The status and body of an error. */
  failure(fault: Fault): { readonly status: number; readonly body: object };
  /** Whether a query parameter that the operation does not declare is refused. */
  readonly unknownQuery: 'refuse' | 'ignore';
  /** What a request is answered whose service cannot reach its own data. */
  readonly withoutStore: 'service_unavailable' | 'internal_error';
  /** Codes that any operation can answer, whatever its shape: of the parser, of the gateway, and of failures. For the description. */
  readonly always: readonly Code[];
  /** Whose idempotency keys are kept apart from everybody else's; undefined where keys are ignored. */
  idempotencyScope(caller: Caller): string | undefined;
}

/** The institution API: the envelope at every status; keys belong to a client. */
export const familyA: Family = {
  success,
  failure: (fault) => ({ status: fault.http, body: failureOf(fault) }),
  unknownQuery: 'refuse',
  withoutStore: 'service_unavailable',
  always: [
    'bad_request',
    'invalid_parameter',
    'request_timeout',
    'too_many_requests',
    'headers_too_large',
    'internal_error',
    'bad_gateway',
    'service_unavailable',
  ],
  idempotencyScope: ({ institution, client, service }) => JSON.stringify([institution, client, service]),
};
