import { STATUS_CODES } from 'node:http';
import { type Code, registry } from '@boxoffice/envelope';
import type { TProperties, TSchema } from 'typebox';
import { bodySchema } from './body-schema.ts';
import { codesOf } from './codes.ts';
import { ref, sharedComponents } from './openapi-components.ts';
import type { AnyOperation } from './operation.ts';
import { isIdempotent, type Place, placesOf, TAKES_BODY } from './shape.ts';

export interface DescriptionOptions {
  readonly service: string;
  readonly version: string;
  readonly operations: readonly AnyOperation[];
  readonly serverUrl?: string;
  readonly oauthTokenUrl?: string;
}

const LIMIT_HEADERS = {
  RateLimit: ref('headers', 'RateLimit'),
  'RateLimit-Policy': ref('headers', 'RateLimit-Policy'),
};

const COMMON_HEADERS = {
  'X-Request-Id': ref('headers', 'X-Request-Id'),
  traceparent: ref('headers', 'traceparent'),
  ...LIMIT_HEADERS,
};

const when = <Part extends object>(holds: unknown, part: Part): Part | Record<string, never> => (holds ? part : {});

const members = (properties: TProperties = {}) => ({
  required: Object.entries(properties).flatMap(([name, schema]) => ('~optional' in schema ? [] : [name])),
  properties,
});

/** The schema of a 2xx body. */
export const answerSchema = ({ bare, members: beside }: AnyOperation, data: TSchema): object => {
  if (bare) return data;
  const { required, properties } = members(beside?.answer);
  return {
    type: 'object',
    required: ['status', 'details', 'data', ...required],
    properties: { status: { type: 'string', const: 'success' }, details: { type: 'null' }, data, ...properties },
  };
};

/** The example of a 2xx body. */
export const answerExample = ({ bare, example }: AnyOperation): unknown =>
  bare ? example.answer : { status: 'success', details: null, data: example.answer, ...example.members };

/** The schema of an error body that carries data. */
export const errorSchema = (code: Code, data: TSchema): object => ({
  type: 'object',
  required: ['status', 'details', 'data'],
  properties: { status: { type: 'string', const: registry[code].status }, details: { type: 'string' }, data },
});

/** The example of an error body that carries data. */
export const errorExample = (code: Code, { example }: AnyOperation): object => ({
  status: registry[code].status,
  details: `Example: ${registry[code].when}.`,
  data: example.errorData?.[code] ?? example.answer,
});

const answersOf = (operation: AnyOperation): [string, object][] =>
  Object.entries(operation.answers).map(([status, data]) => [
    status,
    {
      description: STATUS_CODES[status] ?? 'Success',
      headers: {
        ...COMMON_HEADERS,
        ...when(operation.etag, { ETag: ref('headers', 'ETag') }),
        ...when(status === '201', { Location: ref('headers', 'Location') }),
        ...when(isIdempotent(operation), { 'Idempotency-Replayed': ref('headers', 'Idempotency-Replayed') }),
      },
      content: {
        'application/json': {
          schema: answerSchema(operation, data),
          examples: { [operation.id]: { summary: operation.summary, value: answerExample(operation) } },
        },
      },
    },
  ]);

const errorOf = (operation: AnyOperation, status: number, codes: readonly Code[]): object => {
  const { errorData = {}, members: beside } = operation;
  const failure = beside?.error
    ? { allOf: [ref('schemas', 'Failure'), { type: 'object', ...members(beside.error) }] }
    : ref('schemas', 'Failure');
  const carrying = codes.flatMap((code) => (errorData[code] ? [errorSchema(code, errorData[code])] : []));
  const isPlain = carrying.length < codes.length;
  return {
    description: [...new Set(codes.map((code) => registry[code].status))].join(', '),
    headers: {
      'X-Request-Id': COMMON_HEADERS['X-Request-Id'],
      ...when(status === 429, LIMIT_HEADERS),
      ...when(status === 401 || status === 403, { 'WWW-Authenticate': ref('headers', 'WWW-Authenticate') }),
      ...when(status === 429 || status === 503, { 'Retry-After': ref('headers', 'Retry-After') }),
    },
    content: {
      'application/json': {
        schema: carrying.length > 0 ? { anyOf: [...(isPlain ? [failure] : []), ...carrying] } : failure,
        examples: Object.fromEntries(
          codes.map((code) => [
            code,
            errorData[code] ? { value: errorExample(code, operation) } : ref('examples', code),
          ]),
        ),
      },
    },
  };
};

const responsesOf = (operation: AnyOperation): object => {
  const byStatus = Map.groupBy(codesOf(operation), (code) => registry[code].http);
  const errors = [...byStatus].map(([status, codes]) => [String(status), errorOf(operation, status, codes)]);
  const known = { description: 'The representation that If-None-Match names is current.', headers: COMMON_HEADERS };
  return Object.fromEntries([
    ...answersOf(operation),
    ...(operation.etag && operation.method === 'get' ? [['304', known]] : []),
    ...errors,
  ]);
};

const parametersOf = (operation: AnyOperation): object[] => {
  const described = (where: 'path' | 'query', properties: TProperties = {}, examples: object = {}) =>
    Object.entries(properties).map(([name, schema]) => {
      const { description } = schema as { description?: string };
      const example = (examples as Record<string, unknown>)[name];
      return {
        name,
        in: where,
        required: where === 'path' || !('~optional' in schema),
        ...when(description, { description }),
        schema,
        ...when(example !== undefined, { example }),
      };
    });
  return [
    ...described('path', operation.params, operation.example.params),
    ...described('query', operation.query, operation.example.query),
    ref('parameters', 'RequestId'),
    ref('parameters', 'Traceparent'),
    ...(isIdempotent(operation) ? [ref('parameters', 'IdempotencyKey')] : []),
    ...(operation.conditional ? [ref('parameters', 'IfMatch')] : []),
    ...(operation.etag && operation.method === 'get' ? [ref('parameters', 'IfNoneMatch')] : []),
  ];
};

const requestBodyOf = (operation: AnyOperation): object | undefined => {
  if (!operation.body || !TAKES_BODY.has(operation.method)) return undefined;
  const schema = operation.form ? operation.body : bodySchema(operation);
  const { required = [] } = schema as { required?: readonly string[] };
  return {
    required: required.length > 0 || operation.method === 'put',
    content: {
      [operation.form ? 'application/x-www-form-urlencoded' : 'application/json']: {
        schema,
        examples: { [operation.id]: { summary: operation.summary, value: operation.example.body } },
      },
    },
  };
};

const securityOf = ({ access }: AnyOperation): object[] => (access === 'public' ? [] : [{ oauth2: [access] }]);

const operationObject = ({ id, operation }: Place, service: string): object => {
  const requestBody = requestBodyOf(operation);
  return {
    operationId: id,
    summary: operation.summary,
    ...when(operation.description, { description: operation.description }),
    tags: [service],
    'x-service': service,
    security: securityOf(operation),
    parameters: parametersOf(operation),
    ...when(requestBody, { requestBody }),
    responses: responsesOf(operation),
  };
};

/** Operations that only services reach are described to nobody. */
const isInternal = ({ path, operation }: Place): boolean =>
  operation.access === 'internal' || path.startsWith('/internal/');

/** The OpenAPI 3.1 document of a service: everything that its operations say, and every status that follows from it. */
export const openApiDocument = (options: DescriptionOptions): object => {
  const { service, version, operations, serverUrl = '/' } = options;
  const places = placesOf(operations).filter((place) => !isInternal(place));
  const scopes = places.map(({ operation }) => operation.access).filter((access) => access !== 'public');
  const byPath = Map.groupBy(places, ({ path }) => path);
  const document = {
    openapi: '3.1.0',
    info: { title: `boxoffice ${service}`, version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: serverUrl }],
    tags: [{ name: service }],
    paths: Object.fromEntries(
      [...byPath].map(([path, at]) => [
        path,
        Object.fromEntries(at.map((place) => [place.operation.method, operationObject(place, service)])),
      ]),
    ),
    components: {
      ...sharedComponents(),
      securitySchemes: {
        oauth2: {
          type: 'oauth2',
          flows: {
            clientCredentials: {
              tokenUrl: options.oauthTokenUrl ?? `${serverUrl.replace(/\/$/, '')}/auth/token`,
              scopes: Object.fromEntries([...new Set(scopes)].toSorted().map((scope) => [scope, `${scope} rights`])),
            },
          },
        },
      },
    },
  };
  // Schemas carry markers of their library that are no part of JSON.
  return JSON.parse(JSON.stringify(document));
};
