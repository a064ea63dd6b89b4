import { STATUS_CODES } from 'node:http';
import { type Code, Fault, registry } from '@boxoffice/envelope';
import { type TProperties, type TSchema, Type } from 'typebox';
import { createRef, formatExampleDetails } from '../families/components.ts';
import type { Family } from '../families/family.ts';
import { getSchemaName } from '../named.ts';
import type { AnyCode, AnyOperation } from '../operation.ts';
import { isIdempotent, TAKES_BODY } from '../shape.ts';
import { describedDeprecation, findAnnouncedDeprecation } from './deprecation.ts';
import type { Schemas } from './named-schemas.ts';

/** In the order of the family's table. */
export function listCodes(
  operation: AnyOperation,
  { always, codesFor, codes: table }: Pick<Family, 'always' | 'codesFor' | 'codes'>,
): AnyCode[] {
  const { method, form } = operation;
  const when = (holds: boolean | undefined, ...codes: AnyCode[]): AnyCode[] => (holds ? codes : []);
  const codes = new Set<AnyCode>([
    ...always,
    ...codesFor(operation),
    ...when(requires(operation.query) || form, 'missing_parameter'),
    ...when(TAKES_BODY.has(method) && !form, 'validation_error'),
    ...when(method !== 'get', 'payload_too_large'),
    ...when(operation.params !== undefined, 'not_found'),
    ...when(isIdempotent(operation), 'idempotency_in_progress', 'idempotency_key_reused'),
    ...when(operation.readOnly !== undefined, 'semantically_invalid'),
    ...when(operation.conditional, 'precondition_failed'),
    ...when(operation.handle === undefined, 'not_implemented'),
    ...(operation.errors ?? []),
  ]);
  return (Object.keys(table) as AnyCode[]).filter((code) => codes.has(code));
}

const requires = (properties: object | undefined): boolean =>
  Object.values(properties ?? {}).some((schema) => !('~optional' in schema));

const LIMIT_HEADERS = {
  RateLimit: createRef('headers', 'RateLimit'),
  'RateLimit-Policy': createRef('headers', 'RateLimit-Policy'),
};

const COMMON_HEADERS = {
  'X-Request-Id': createRef('headers', 'X-Request-Id'),
  traceparent: createRef('headers', 'traceparent'),
  ...LIMIT_HEADERS,
};

const DOCUMENT_HEADERS = {
  'Content-Disposition': {
    description: 'Shown in the browser; with the name to keep it under.',
    schema: { type: 'string', examples: ['inline; filename="ticket.pdf"'] },
  },
  Link: {
    description: 'Only if letters of the document are boxes, for want of a font: another media type that has them.',
    schema: { type: 'string', examples: ['<document>; rel="alternate"; type="image/svg+xml"'] },
  },
};

export function includeIf<Part extends object>(holds: unknown, part: Part): Part | Record<string, never> {
  return holds ? part : {};
}

export function createAnswerSchema(
  { bare, members: beside }: AnyOperation,
  data: TSchema,
  { wording }: Family,
): object {
  if (bare) return data;
  const { required, properties } = members(beside?.answer);
  const own = wording.success(data);
  return { type: 'object', required: [...Object.keys(own), ...required], properties: { ...own, ...properties } };
}

const members = (properties: TProperties = {}) => ({
  required: Object.entries(properties).flatMap(([name, schema]) => ('~optional' in schema ? [] : [name])),
  properties,
});

export function createAnswerExample({ bare, example }: AnyOperation, { wording }: Family): unknown {
  return bare ? example.answer : { ...wording.successExample(example.answer), ...example.members };
}

export function createErrorSchema(code: Code, data: TSchema): object {
  return {
    type: 'object',
    required: ['status', 'details', 'data'],
    properties: { status: { type: 'string', const: registry[code].status }, details: { type: 'string' }, data },
  };
}

export function createErrorExample(code: Code, { example }: AnyOperation): object {
  return {
    status: registry[code].status,
    details: formatExampleDetails(code),
    data: example.errorData?.[code] ?? example.answer,
  };
}

/** Answers of the gateway itself, in the bare envelope: no service got the request, or it is unavailable. */
const GATEWAYS_TOO: ReadonlySet<number> = new Set([408, 413, 429, 431, 502, 503]);

export function createFailureSchema(operation: AnyOperation, status: number, envelope: object): object {
  const beside = operation.members?.error;
  if (!beside) return envelope;
  const { required, properties } = members(beside);
  return { allOf: [envelope, { type: 'object', required: hasMembers(operation, status) ? required : [], properties }] };
}

const hasMembers = ({ members: beside }: AnyOperation, status: number): boolean =>
  beside?.error !== undefined && !GATEWAYS_TOO.has(status);

export function createFailureExample(operation: AnyOperation, code: AnyCode, { codes, wording }: Family): object {
  if (!hasMembers(operation, codes[code]?.http ?? 500)) return wording.failureExample(code);
  const fault = new Fault(code as Code, formatExampleDetails(code as Code));
  return { ...wording.failureExample(code), ...operation.onFault?.(fault).members };
}

export function findErrorDataSchema({ errorData }: AnyOperation, code: AnyCode): TSchema | undefined {
  return errorData?.[code as Code];
}

export function describeResponses(operation: AnyOperation, family: Family, schemas: Schemas): object {
  const byStatus = Map.groupBy(listCodes(operation, family), (code) => family.codes[code]?.http ?? 500);
  const errors = [...byStatus].map(([status, codes]) => [
    String(status),
    errorOf(operation, status, codes, family, schemas),
  ]);
  const known = { description: 'The representation that If-None-Match names is current.', headers: COMMON_HEADERS };
  return Object.fromEntries([
    ...answersOf(operation, family, schemas),
    ...(operation.etag && operation.method === 'get' ? [['304', known]] : []),
    ...errors,
  ]);
}

const errorOf = (
  operation: AnyOperation,
  status: number,
  codes: readonly AnyCode[],
  family: Family,
  schemas: Schemas,
): object => {
  const plain = createFailureSchema(operation, status, family.wording.failureSchema(codes, status));
  const carried = codes.flatMap((code) => findErrorDataSchema(operation, code) ?? []);
  // One object, not a union with `Failure`: a generated client reads `data` without telling the bodies apart first.
  const body = carried.length === 0 ? plain : schemas.answer(carryingSchema(carried, carried.length < codes.length));
  return {
    description: meaningsOf(codes, family),
    headers: {
      'X-Request-Id': COMMON_HEADERS['X-Request-Id'],
      ...includeIf(status === 429, LIMIT_HEADERS),
      ...family.wording.errorHeaders(operation, status),
      ...includeIf(codes.includes('payment_recorded'), { Location: createRef('headers', 'Location') }),
      ...includeIf(status === 429 || status === 503, { 'Retry-After': createRef('headers', 'Retry-After') }),
    },
    content: {
      'application/json': {
        schema: body,
        examples: Object.fromEntries(codes.map((code) => [code, errorExampleOf(operation, code, family)])),
      },
    },
  };
};

const carryingSchema = (carried: readonly TSchema[], someNone: boolean): object => {
  const alternatives = carried.flatMap((data) => ('anyOf' in data && Array.isArray(data.anyOf) ? data.anyOf : [data]));
  const isNullable = alternatives.some((one: TSchema) => 'type' in one && one.type === 'null');
  return {
    type: 'object',
    required: ['status', 'details', 'data'],
    properties: {
      status: { type: 'string', pattern: '^[a-z][a-z0-9_]*$' },
      details: { type: 'string' },
      data: { anyOf: [...alternatives, ...(someNone && !isNullable ? [Type.Null()] : [])] },
    },
  };
};

/** Several rows of a table can have one code. */
const meaningsOf = (codes: readonly AnyCode[], family: Family): string => {
  const rows = codes.flatMap((code) => family.codes[code] ?? []);
  return [...Map.groupBy(rows, ({ status }) => status)]
    .map(([status, same]) => `- \`${status}\`: ${same.map(({ when }) => when).join('; or ')}`)
    .join('\n');
};

const errorExampleOf = (operation: AnyOperation, code: AnyCode, family: Family): object => {
  const { http = 500, when: summary = '' } = family.codes[code] ?? {};
  if (findErrorDataSchema(operation, code)) return { value: createErrorExample(code as Code, operation) };
  if (!hasMembers(operation, http)) return createRef('examples', code);
  return { summary, value: createFailureExample(operation, code, family) };
};

const answersOf = (operation: AnyOperation, family: Family, schemas: Schemas): [string, object][] =>
  Object.entries(operation.answers).map(([status, data]) => [
    status,
    {
      description: STATUS_CODES[status] ?? 'Success',
      headers: {
        ...COMMON_HEADERS,
        ...includeIf(findAnnouncedDeprecation(operation), describedDeprecation),
        ...includeIf(operation.etag, { ETag: createRef('headers', 'ETag') }),
        ...includeIf(operation.documents, DOCUMENT_HEADERS),
        ...includeIf(status === '201', { Location: createRef('headers', 'Location') }),
        ...includeIf(isIdempotent(operation), { 'Idempotency-Replayed': createRef('headers', 'Idempotency-Replayed') }),
        ...Object.fromEntries(
          [...family.wording.answerHeaders(operation), ...(operation.answerHeaders ?? [])].map((name) => [
            name,
            createRef('headers', name),
          ]),
        ),
      },
      content: operation.documents
        ? documentsOf(operation.documents)
        : {
            'application/json': {
              schema: describedAnswer(operation, data, family, schemas),
              examples: { [operation.id]: { value: createAnswerExample(operation, family) } },
            },
            ...(status === '200' && operation.streams
              ? { [operation.streams.mediaType]: { schema: { type: 'string' }, example: operation.streams.example } }
              : {}),
          },
    },
  ]);

const documentsOf = (mediaTypes: readonly string[]): object =>
  Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: { type: 'string', format: 'binary' } }]));

/** `…Answer`, after its data or else after the operation. */
const describedAnswer = (operation: AnyOperation, data: TSchema, family: Family, schemas: Schemas): object => {
  const schema = schemas.answer(createAnswerSchema(operation, data, family));
  if (operation.bare) return schema;
  const name = operation.members?.answer ? undefined : getSchemaName(data);
  return schemas.add(`${name ?? capitaliseFirst(operation.id)}Answer`, schema);
};

const capitaliseFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
