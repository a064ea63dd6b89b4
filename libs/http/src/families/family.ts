import type { IncomingMessage } from 'node:http';
import { type Code, type Fault, failure, registry, success, toFailure } from '@boxoffice/envelope';
import { toPrincipal } from '@boxoffice/identity';
import { getOwnMember } from '@boxoffice/runtime';
import type { Admitted } from '../access.ts';
import { type AnyCode, type AnyOperation, listNeededScopes } from '../operation.ts';
import { isIdempotent } from '../shape.ts';
import { buildSharedComponents, createRef, formatExampleDetails } from './components.ts';

/** What each scope lets its holder do: in descriptions, and where a user consents. */
export const scopeWords: Readonly<Record<string, string>> = {
  openid: 'know who you are',
  profile: 'see your name',
  email: 'see your email address',
  offline_access: 'keep its access while you are not using it',
  'catalog:read': 'see products, performances and prices',
  'catalog:write': 'change products, performances and prices',
  'catalog.sensitive:read': 'see codes of discounts',
  'catalog.sensitive:write': 'make and withdraw codes of discounts',
  'contacts:read': 'see contacts',
  'contacts:write': 'create and change contacts',
  'contacts.sensitive:read': 'see sensitive data of contacts',
  'contacts.sensitive:write': 'change sensitive data of contacts, and erase contacts',
  'orders:read': 'see orders',
  'orders:write': 'make, change and cancel orders',
  'orders.sensitive:read': 'see references of payments',
  'orders.sensitive:write': 'record references of payments and refunds',
  'payments:write': 'record references of payments',
  'payments.sensitive:read': 'see whether keys of payment providers are set',
  'payments.sensitive:write': 'set and delete keys of payment providers',
  'tickets:read': 'see tickets',
  'tickets:write': 'print, control and replace tickets',
  'clients:read': 'see applications, keys and their use',
  'clients:write': 'register, change and delete applications and keys',
  'clients.sensitive:read': 'see protected data of applications',
  'clients.sensitive:write': 'make and withdraw secrets of applications',
  'users:read': 'see users',
  'users:write': 'create, change and delete users',
  'users.sensitive:write': 'invite users to choose a password',
  'events:read': 'see what happens, and the webhooks',
  'events:write': 'set up and change webhooks',
};

export interface Wording {
  /** What is appended to an operation's id under its alias. */
  readonly aliasSuffix: string;
  /** How many operations must have a parameter, body or response for it to be a component. */
  readonly sharedFrom: number;
  success(data: object): Readonly<Record<string, object>>;
  successExample(data: unknown): object;
  failureExample(code: AnyCode): object;
  failureSchema(codes: readonly AnyCode[], status: number): object;
  /** What descriptions share; `schemas.Failure` is the body of an error. */
  components(): Readonly<Record<'schemas' | 'parameters' | 'headers' | 'examples', Readonly<Record<string, object>>>>;
  parameters(operation: AnyOperation): readonly object[];
  answerHeaders(operation: AnyOperation): readonly string[];
  errorHeaders(operation: AnyOperation, status: number): object;
  security(operation: AnyOperation): readonly object[];
  /** How callers authenticate. `tokenUrl` ends with `/token`; users sign in at `/authorize` beside it. */
  securitySchemes(tokenUrl: string, operations: readonly AnyOperation[]): object;
}

/** Scopes of users who sign in that no operation requires (OpenID Connect Core, 5.4 and 11). */
const USER_SCOPES = ['openid', 'profile', 'email', 'offline_access'];

const inWords = (scopes: readonly string[]) =>
  Object.fromEntries(scopes.map((scope) => [scope, getOwnMember(scopeWords, scope) ?? scope]));

export function listCommonParameters(operation: AnyOperation): object[] {
  return [
    createRef('parameters', 'RequestId'),
    createRef('parameters', 'Traceparent'),
    ...(isIdempotent(operation) ? [createRef('parameters', 'IdempotencyKey')] : []),
    ...(operation.conditional ? [createRef('parameters', 'IfMatch')] : []),
    ...(operation.etag && operation.method === 'get' ? [createRef('parameters', 'IfNoneMatch')] : []),
  ];
}

const challengeOf = ({ access, challenge }: AnyOperation, status: number): object => {
  if (status === 401 && challenge !== undefined) {
    return { 'WWW-Authenticate': { description: challenge, required: false, schema: { type: 'string' } } };
  }
  // Without a token there is no missing scope.
  const challenges = status === 401 || (status === 403 && access !== 'public');
  return challenges ? { 'WWW-Authenticate': createRef('headers', 'WWW-Authenticate') } : {};
};

const API_KEY = {
  type: 'apiKey',
  in: 'header',
  name: 'X-API-Key',
  description: 'An API key of the institution, for public data. A request with a token goes by the token.',
};

const wordingA: Wording = {
  aliasSuffix: 'Unprefixed',
  sharedFrom: 2,
  success: (data) => ({ status: { type: 'string', const: 'success' }, details: { type: ['string', 'null'] }, data }),
  successExample: (data) => ({ status: 'success', details: null, data }),
  failureExample: (code) => failure(code as Code, formatExampleDetails(code as Code)),
  // The registry is open: clients meet codes that they do not know.
  failureSchema: () => createRef('schemas', 'Failure'),
  components: buildSharedComponents,
  parameters: listCommonParameters,
  answerHeaders: () => [],
  errorHeaders: challengeOf,
  security: (operation) =>
    operation.access === 'public'
      ? []
      : [{ oauth2: [...listNeededScopes(operation)] }, ...(operation.publicWithKey ? [{ apiKey: [] }] : [])],
  securitySchemes: (tokenUrl, operations) => {
    const needed = [...new Set(operations.flatMap(listNeededScopes))].toSorted();
    return {
      apiKey: API_KEY,
      oauth2: {
        type: 'oauth2',
        flows: {
          clientCredentials: { tokenUrl, scopes: inWords(needed) },
          authorizationCode: {
            authorizationUrl: tokenUrl.replace(/\/token$/, '/authorize'),
            tokenUrl,
            refreshUrl: tokenUrl,
            scopes: inWords([...needed, ...USER_SCOPES]),
          },
        },
      },
    };
  },
};

interface CodeRow {
  readonly http: number;
  readonly status: string;
  readonly when: string;
}

/** The rest of this package is independent of the family. */
export interface Family {
  success(data: object | null): object;
  failure(fault: Fault): { readonly status: number; readonly body: object };
  /** False: an internal failure, which becomes `internal_error` and is logged. */
  foresees(fault: Fault): boolean;
  readonly unknownQuery: 'refuse' | 'ignore';
  /** The fault for a request whose service cannot reach its own data. */
  readonly withoutStore: 'service_unavailable' | 'internal_error';
  readonly codes: Readonly<Record<string, CodeRow>>;
  /** Codes that any operation can answer, whatever its shape. For the description. */
  readonly always: readonly AnyCode[];
  codesFor(operation: AnyOperation): readonly AnyCode[];
  readonly wording: Wording;
  /** Headers of every answer; a `Vary` is joined to the answer's own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a request with a body's method must declare its media type even without a body. */
  readonly needsMediaType: boolean;
  /** Refuses a request by the media type of its body, before the body is read; only for methods with a body. */
  checkMediaType?(request: IncomingMessage): void;
  /** The scope of the caller's idempotency keys; undefined where keys are ignored. */
  idempotencyScope(admitted: Admitted): string | undefined;
}

export const familyA: Family = {
  success,
  failure: (fault) => ({ status: fault.http, body: toFailure(fault) }),
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
  idempotencyScope: ({ caller }) => JSON.stringify([caller.institution, toPrincipal(caller), caller.service]),
};
