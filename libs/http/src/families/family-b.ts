import type { IncomingMessage } from 'node:http';
import { buildPosSuccess, type Fault, type PosCode, PosFault, posRegistry, toPosFailure } from '@boxoffice/envelope';
import type { AnyCode, AnyOperation } from '../operation.ts';
import { hasTextType } from '../requests/body.ts';
import { TAKES_BODY } from '../shape.ts';
import { buildSharedComponents, createRef } from './components.ts';
import { type Family, listCommonParameters, type Wording } from './family.ts';

const failureExample = (code: AnyCode): object =>
  toPosFailure(new PosFault(code as PosCode, `Example: ${posRegistry[code as PosCode].when}.`));

const text = { type: 'string' } as const;

const Failure = {
  type: 'object',
  description: 'An error.',
  required: ['success', 'errorCode', 'errorMessage'],
  properties: {
    success: { type: 'boolean', description: 'False.' },
    errorCode: {
      ...text,
      pattern: '^[a-z][a-z0-9_]*$',
      description: 'As specific as possible; each operation lists its own.',
    },
    errorMessage: { ...text, description: 'For the user of the API, in English; wording may change.' },
    userLoggedOut: { type: 'boolean', description: 'On every 500: whether the user was logged out.' },
    orderCancelled: { type: 'boolean', description: 'On every 500: whether the order was cancelled, durably.' },
  },
};

/** The point of sale of the examples, which the demo data have. */
export const EXAMPLE_HOST = 'tickets.opera.example';

const parameters = {
  ServiceHost: {
    name: 'X-Service-Host',
    in: 'header',
    required: true,
    description: 'The point of sale.',
    schema: text,
    example: EXAMPLE_HOST,
  },
  AcceptLanguage: {
    name: 'Accept-Language',
    in: 'header',
    required: false,
    description:
      'Languages that the visitor reads, with q-values (RFC 9110, 12.5.4); `lang` wins. Without any that the point of sale has, its first.',
    schema: text,
  },
};

const headers = {
  'Content-Language': { description: 'The language of the texts.', schema: text },
  'X-Total-Amount': {
    description: 'How many records there are in all.',
    schema: { type: 'string', pattern: '^\\d+$' },
  },
  Link: { description: 'Four links: `next`, `last`, `first`, `previous` (RFC 8288).', schema: text },
  'X-auth-token': { description: 'The token of the session that the request has made.', schema: text },
};

const session = { sessionToken: [] };
const link = { orderLinkToken: [] };

const ORDER_LINK = {
  type: 'apiKey',
  in: 'header',
  name: 'X-Order-Link',
  description: 'The token of an order link, as the answer that made the link gave it; no session is needed.',
};

const securityFor = (access: AnyOperation['access']): readonly object[] => {
  if (access === 'link') return [link];
  if (access === 'owner') return [session, link];
  return access === 'visitor' || access === 'newcomer' ? [{}, session] : [session];
};

const wordingB: Wording = {
  aliasSuffix: 'Experimental',
  // A part of the numbered version stays a component when the experimental one has another.
  sharedFrom: 1,
  success: (data) => ({ success: { type: 'boolean', description: 'True.' }, data }),
  successExample: (data) => ({ success: true, data }),
  failureExample,
  failureSchema: (codes, status) => ({
    allOf: [
      createRef('schemas', 'Failure'),
      {
        type: 'object',
        ...(status === 500 ? { required: ['userLoggedOut', 'orderCancelled'] } : {}),
        properties: { errorCode: { ...text, enum: [...codes] } },
      },
    ],
  }),
  components() {
    const shared = buildSharedComponents();
    return {
      schemas: { Failure },
      parameters: { ...shared.parameters, ...parameters },
      headers: { ...shared.headers, ...headers },
      examples: Object.fromEntries(
        (Object.keys(posRegistry) as PosCode[]).map((code) => [
          code,
          { summary: posRegistry[code].when, value: failureExample(code) },
        ]),
      ),
    };
  },
  parameters: (operation) => [
    createRef('parameters', 'ServiceHost'),
    createRef('parameters', 'AcceptLanguage'),
    ...listCommonParameters(operation),
  ],
  answerHeaders: () => ['Content-Language'],
  errorHeaders: (_, status) => (status === 500 ? { 'Retry-After': createRef('headers', 'Retry-After') } : {}),
  security: ({ access }) => securityFor(access),
  securitySchemes: () => ({
    orderLinkToken: ORDER_LINK,
    sessionToken: {
      type: 'apiKey',
      in: 'header',
      name: 'X-auth-token',
      description: 'The token of a session, as the answer that made the session gave it.',
    },
  }),
};

/** Undefined if the family has no such answer. */
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
  ...(access === 'session' || access === 'login' || access === 'owner' ? (['session_required'] as const) : []),
  ...(access === 'login' ? (['login_required'] as const) : []),
  ...(TAKES_BODY.has(method) ? (['unsupported_media_type'] as const) : []),
];

/** Its only 5xx is 500: an unavailable service, this one or another, is a 500, and is logged as such. */
export const familyB: Family = {
  success: buildPosSuccess,
  failure(fault) {
    const own = ownOf(fault) ?? new PosFault('internal_error', fault.details);
    return { status: own.http, body: toPosFailure(own) };
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
