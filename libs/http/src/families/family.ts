// The two families of the interface: their error envelopes, and the words of their descriptions.

import type { IncomingMessage } from 'node:http';
import { type Fault, failureOf, registry, success } from '@boxoffice/envelope';
import { principalOf } from '@boxoffice/identity';
import type { Admitted } from '../access/admission.ts';
import type { AnyCode, AnyOperation } from '../operation.ts';
import { type Wording, wordingA } from './wording.ts';

/** One entry of a table of codes. */
interface CodeRow {
  readonly http: number;
  readonly status: string;
  readonly when: string;
}

/**
 * The differences between the two interface families, in one place: the form of answers and errors, and how strictly
 * requests are checked. The rest of this package is independent of the family.
 */
export interface Family {
  /** The body of a 2xx answer. */
  success(data: object | null): object;
  /** The status and body of an error. */
  failure(fault: Fault): { readonly status: number; readonly body: object };
  /**
   * Whether the fault is an answer of the family, and not an internal failure: those become `internal_error` and are
   * logged.
   */
  foresees(fault: Fault): boolean;
  /** Whether a query parameter that the operation does not declare is refused. */
  readonly unknownQuery: 'refuse' | 'ignore';
  /** The fault for a request whose service cannot reach its own data. */
  readonly withoutStore: 'service_unavailable' | 'internal_error';
  /** Every code of the family. */
  readonly codes: Readonly<Record<string, CodeRow>>;
  /**
   * Codes that any operation can answer, whatever its shape: of the parser, of the gateway, and of failures. For the
   * description.
   */
  readonly always: readonly AnyCode[];
  /** Codes that follow from the operation's access. For the description. */
  codesFor(operation: AnyOperation): readonly AnyCode[];
  /** The wording of its description. */
  readonly wording: Wording;
  /** Headers of every answer; a `Vary` is joined to the answer's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Whether a request with a body's method must declare its media type even without a body: then each operation
   * describes a body.
   */
  readonly needsMediaType: boolean;
  /** Refuses a request by the media type of its body, before the body is read; only for methods with a body. */
  checkMediaType?(request: IncomingMessage): void;
  /** The scope of the caller's idempotency keys; undefined where keys are ignored. */
  idempotencyScope(admitted: Admitted): string | undefined;
}

/** The institution API: the envelope at every status; keys belong to a client, or to a user who is signed in at it. */
export const familyA: Family = {
  success,
  failure: (fault) => ({ status: fault.http, body: failureOf(fault) }),
  foresees: ({ code }) => code !== 'internal_error',
  unknownQuery: 'refuse',
  withoutStore: 'service_unavailable',
  codes: registry,
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
  codesFor: ({ access, publicWithKey }) => [
    ...(access === 'public' ? [] : (['unauthorized', 'forbidden'] as const)),
    ...(publicWithKey ? (['api_key_quota_exceeded'] as const) : []),
  ],
  needsMediaType: false,
  wording: wordingA,
  idempotencyScope: ({ caller }) => JSON.stringify([caller.institution, principalOf(caller), caller.service]),
};
