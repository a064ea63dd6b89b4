import { type Code, Fault, registry, toPosFailure } from '@boxoffice/envelope';
import { buildOpenApiDocument, buildSharedComponents, dereference, named, ok, operation } from '@boxoffice/http';
import { readVersion } from '@boxoffice/runtime';
import { Type } from 'typebox';
import type { Route } from '../exchange/exchange.ts';
import type { Family } from '../exchange/faults.ts';
import {
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiResponse,
  requireDocument,
} from '../routing/description.ts';

/** Any operation can be answered with these errors; the only 5xx of family B is 500. */
const ALWAYS: readonly Code[] = [
  'bad_request',
  'request_timeout',
  'too_many_requests',
  'headers_too_large',
  'internal_error',
  'bad_gateway',
  'service_unavailable',
];

const gatewayFailure = {
  type: 'object',
  description: 'An error that the gateway answers in the place of the point-of-sale service.',
  required: ['success', 'errorCode', 'errorMessage'],
  properties: {
    success: { type: 'boolean', description: 'False.' },
    errorCode: { type: 'string', pattern: '^[a-z][a-z0-9_]*$' },
    errorMessage: { type: 'string' },
    userLoggedOut: { type: 'boolean', description: 'on 500' },
    orderCancelled: { type: 'boolean', description: 'on 500' },
  },
} as const;

export function describeGatewayResponses(family: Family): Readonly<Record<string, OpenApiResponse>> {
  return Object.fromEntries(
    [...ALWAYS, 'payload_too_large' as const, 'unauthorized' as const, 'forbidden' as const].map((code) => [
      toName(code),
      buildResponse(family, code),
    ]),
  );
}

const toName = (code: Code): string =>
  `Gateway${code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`;

const buildResponse = (family: Family, code: Code): OpenApiResponse => {
  const { http, status, when } = registry[code];
  const headers = {
    'X-Request-Id': header('X-Request-Id'),
    traceparent: header('traceparent'),
    RateLimit: header('RateLimit'),
    'RateLimit-Policy': header('RateLimit-Policy'),
    ...(http === 429 || http === 503 || (family === 'B' && http === 500)
      ? { 'Retry-After': header('Retry-After') }
      : {}),
    ...(http === 401 || http === 403 ? { 'WWW-Authenticate': header('WWW-Authenticate') } : {}),
  };
  const content = {
    'application/json': { schema: buildFailureSchema(family, code), examples: { [code]: buildExample(family, code) } },
  };
  return { description: `- \`${status}\`: ${when}`, headers, content } as OpenApiResponse;
};

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

const buildFailureSchema = (family: Family, code: Code): object =>
  family === 'A'
    ? { $ref: '#/components/schemas/Failure' }
    : {
        allOf: [
          { $ref: '#/components/schemas/GatewayFailure' },
          {
            type: 'object',
            ...(registry[code].http === 500 ? { required: ['userLoggedOut', 'orderCancelled'] } : {}),
            properties: { errorCode: { type: 'string', enum: [registry[code].status] } },
          },
        ],
      };

const buildExample = (family: Family, code: Code): object =>
  family === 'A'
    ? { $ref: `#/components/examples/${code}` }
    : { summary: registry[code].when, value: toPosFailure(new Fault(code, `Example: ${registry[code].when}.`)) };

export function addGatewayStatuses(family: Family, paths: OpenApiDocument['paths']): OpenApiDocument['paths'] {
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([member, value]) => [
          member,
          value.operationId === undefined ? value : addStatuses(family, value),
        ]),
      ),
    ]),
  );
}

/** Responses that the operation describes itself stay. */
const addStatuses = (family: Family, operation: OpenApiOperation): OpenApiOperation => {
  const added = listCodes(family, operation)
    .filter((code) => operation.responses?.[registry[code].http] === undefined)
    .map((code) => [String(registry[code].http), { $ref: `#/components/responses/${toName(code)}` }] as const);
  return { ...operation, responses: { ...operation.responses, ...Object.fromEntries(added) } };
};

const listCodes = (family: Family, operation: OpenApiOperation): readonly Code[] => [
  ...ALWAYS.filter((code) => family === 'A' || registry[code].http <= 500),
  ...(operation.requestBody ? (['payload_too_large'] as const) : []),
  ...(operation.security?.some((requirement) => 'oauth2' in requirement)
    ? (['unauthorized', 'forbidden'] as const)
    : []),
];

export const VERSION = readVersion(new URL('..', import.meta.url).href);

export const errorItems = Object.values(registry).map(({ http, status, domain, when }) => ({
  http,
  status,
  domain,
  when,
}));

const ownDescription = operation({
  id: 'describeInstitutionApi',
  method: 'get',
  path: '/openapi.json',
  access: 'public',
  summary: 'Describes the institution API: this document',
  description: 'Merged from the descriptions of the services.',
  answers: { 200: Type.Record(Type.String(), Type.Unknown(), { description: 'An OpenAPI 3.1 document.' }) },
  bare: true,
  etag: true,
  example: {
    answer: { openapi: '3.1.0', info: { title: 'boxoffice institution API', version: VERSION }, paths: {} },
  },
  handle: () => ok({}),
});

const operations = [
  ownDescription,
  operation({
    id: 'listErrors',
    method: 'get',
    path: '/errors',
    access: 'public',
    summary: 'Lists every status code of the institution API',
    description: 'New codes may come: treat an unknown one like the generic code of its HTTP status.',
    answers: {
      200: Type.Object({
        items: Type.Array(
          named(
            'ErrorCode',
            Type.Object({
              http: Type.Integer({ description: 'the HTTP status that it comes with' }),
              status: Type.String({ description: 'the envelope’s `status`' }),
              domain: Type.String({ description: '`general`, or the domain that gives it' }),
              when: Type.String({ description: 'the case that it stands for' }),
            }),
          ),
        ),
      }),
    },
    etag: true,
    example: { answer: { items: errorItems.slice(0, 2) } },
    handle: () => ok({ items: errorItems }),
  }),
];

const tags = { descriptions: 'The interface, described (OpenAPI 3.1).', errors: 'The codes of refusals.' };

export function describeOwnOperations(publicUrl: string): OpenApiDocument {
  const own = requireDocument(
    buildOpenApiDocument({ service: 'gateway', version: VERSION, operations, tags, serverUrl: publicUrl }),
  );
  // Responses of the gateway refer to any of the shared components.
  const { schemas, ...shared } = buildSharedComponents();
  return {
    ...own,
    components: { ...own.components, ...shared, schemas: { ...schemas, ...own.components?.schemas } },
  };
}

/** The version and stability of the point-of-sale API (specification, 9). */
export const POS_API_VERSION = '1.0.0-alpha';
export const POS_API_DESCRIPTION = [
  'Version 1.0 is in an alpha stage: usable in the operations that are described here, but incomplete. What is',
  'published does not change: members, parameters and codes keep their names and meanings, and only fixes that',
  'existing clients do not notice are made. Operations, optional parameters and members of answers may be added.',
  'Experimental operations are below `/tnwr/vexp`, where they may change.',
].join(' ');

export const API_DESCRIPTION = [
  'What an institution does with its ticketing: products and performances, contacts, orders, tickets, webhooks, users.',
  'A client gets a token at `/auth/token` and sends it as `Authorization: Bearer …`; each operation names its scope.',
  'Every answer is `{status, details, data}`: `status` is `success` or an error code, `details` explains an error.',
  'Amounts are in minor units of their currency, instants are ISO 8601 in UTC.',
].join(' ');

export const VEXP = '/tnwr/vexp';

export const versions = [
  { prefix: '/tnwr/v1', operationId: 'describePointOfSaleApi' },
  { prefix: VEXP, operationId: 'describeExperimentalPointOfSaleApi' },
] as const;

export function describeOwnVersion(publicUrl: string, prefix: string, operationId: string): OpenApiDocument {
  const { components, paths } = dereference(describeOwnOperations(publicUrl), ['responses']);
  const { parameters, responses } = paths[ownDescription.path]?.get ?? {};
  const { 200: whole, 304: unchanged } = responses ?? {};
  const examples = {
    [operationId]: {
      value: { openapi: '3.1.0', info: { title: 'boxoffice point-of-sale API', version: POS_API_VERSION }, paths: {} },
    },
  };
  const content = { 'application/json': { ...whole?.content?.['application/json'], examples } };
  const get: OpenApiOperation = {
    operationId,
    summary: 'Describes the point-of-sale API: this document',
    description: 'It needs no X-Service-Host.',
    tags: ['descriptions'],
    security: [],
    parameters,
    responses: { 200: { ...whole, content }, ...(unchanged && { 304: unchanged }) },
  };
  return {
    openapi: '3.1.0',
    tags: [{ name: 'descriptions', description: tags.descriptions }],
    paths: { [`${prefix}/openapi.json`]: { get } },
    components: {
      schemas: { GatewayFailure: gatewayFailure },
      parameters: components?.parameters ?? {},
      headers: components?.headers ?? {},
    },
  };
}

const buildRoute = (template: string, operation: string): Route => ({
  method: 'GET',
  template,
  operation,
  service: 'gateway',
  scope: undefined,
  isPublic: false,
  takesKey: false,
  mediaTypes: new Set(),
  key: `gateway ${operation}`,
});

export const ownRoutes: readonly Route[] = [
  ...operations.map(({ path, id }) => buildRoute(path, id)),
  ...versions.map(({ prefix, operationId }) => buildRoute(`${prefix}/openapi.json`, operationId)),
  buildRoute('/', 'gatewayPages'),
];
