import type { IncomingMessage } from 'node:http';
import { type Fault, PosFault, posFailure, posRegistry, posSuccess } from '@boxoffice/envelope';
import type { AnyCode, AnyOperation } from '../operation.ts';
import { hasTextType } from '../requests/body.ts';
import { TAKES_BODY } from '../shape.ts';
import type { Family } from './family.ts';
import { wordingB } from './wording-b.ts';

/** The fault in family B's own terms; undefined if the family has no such answer. */
const ownOf = (fault: Fault): PosFault | undefined => {
  if (fault instanceof PosFault) return fault;
  return fault.code in posRegistry
    ? new PosFault(fault.code as keyof typeof posRegistry, fault.details, { headers: fault.headers })
    : undefined;
};

const checkMediaType = (request: IncomingMessage): void => {
  if (!hasTextType(request, 'application/json')) {
    throw new PosFault('unsupported_media_type', 'Content-Type must be application/json, in UTF-8 and not compressed.');
  }
};

const codesFor = ({ access, method }: AnyOperation): AnyCode[] => [
  'context_missing',
  'context_invalid',
  ...(access === 'newcomer' || access === 'link' ? [] : (['session_invalid'] as const)),
  ...(access === 'session' || access === 'login' ? (['session_required'] as const) : []),
  ...(access === 'login' ? (['login_required'] as const) : []),
  ...(TAKES_BODY.has(method) ? (['unsupported_media_type'] as const) : []),
];

/**
 * The point-of-sale API: `success` in every answer; keys belong to a session. Its only 5xx is 500: an unavailable
 * service, this one or another, is a 500, and is logged as such.
 */
export const familyB: Family = {
  success: posSuccess,
  failure(fault) {
    const own = ownOf(fault) ?? new PosFault('internal_error', fault.details);
    return { status: own.http, body: posFailure(own) };
  },
  foresees(fault) {
    const own = ownOf(fault);
    return own !== undefined && own.http < 500;
  },
  unknownQuery: 'ignore',
  withoutStore: 'internal_error',
  codes: posRegistry,
  always: [
    'bad_request',
    'invalid_parameter',
    'origin_not_allowed',
    'request_timeout',
    'too_many_requests',
    'headers_too_large',
    'internal_error',
  ],
  codesFor,
  wording: wordingB,
  headers: { Vary: 'Accept-Language, X-Service-Host' },
  needsMediaType: true,
  checkMediaType,
  idempotencyScope: ({ session }) => session,
};
