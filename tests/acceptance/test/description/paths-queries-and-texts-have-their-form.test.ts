// rule 2: A resource name is a plural lower-case noun | libs/http/src/operation.ts
// rule 4: Rule 7: no operators, no sorting and no selection of members in a query | services/pos/src/request/pagination.ts
// rule 2: Dates are ISO 8601 timestamps | libs/http/src/schemas.ts

import { describe, expect, test } from '@jest/globals';
import { descriptions, type Json, listObjects, paths } from './descriptions.ts';

/** Names that the specification itself has in the singular, and documents that are no resources of either family. */
const SINGULAR = new Set(['catalog', 'shopping-cart', 'auth', 'svc', 'tnwr', 'v1', 'v3', 'vexp']);

describe('the path of every operation', () => {
  test('has lower-case words, joined by hyphens', () => {
    const words = paths.flatMap((path) => path.split('/')).filter((word) => word !== '' && !word.startsWith('{'));
    expect(words.length).toBeGreaterThan(100);
    expect(
      words.filter((word) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(word) && !/^(\.well-known|openapi\.json)$/.test(word)),
    ).toEqual([]);
  });

  test('names a collection by a plural noun before the id of a record', () => {
    const collections = paths.flatMap((path) => [...path.matchAll(/([^/]+)\/\{/g)].map(([, name = '']) => name));
    expect(collections.length).toBeGreaterThan(20);
    expect(collections.filter((name) => !SINGULAR.has(name) && !/s(-of-sale)?$/.test(name))).toEqual([]);
  });
});

/** The query parameters of all operations: filters, and the position in a list. A new one is decided here. */
const FILTERS =
  `barcode batchId code contactNumber createdBy createdFrom createdTo credit email eventId externalReference from gate method
  modifiedSince number orderId outcome performanceId performanceIds pointOfSale productId provider q resource result
  role seatCategoryId state status to type types venue`.split(/\s+/);
/**
 * `after` and `wait` are the position in the events; `granularity` and `groupBy` choose what usage is counted by;
 * `include` adds the tickets of an order (commerce, section 1).
 */
const OTHERS = 'after allowDuplicateEmail cursor granularity groupBy include lang limit offset wait'.split(' ');

test('a query has filters and a position, but no operators, sorting or selection of members', () => {
  const queries = descriptions.flatMap(listObjects).filter((object) => object.in === 'query');
  expect(queries.length).toBeGreaterThan(0);
  const names = new Set(queries.map(({ name }) => String(name)));
  expect([...names].sort()).toEqual([...FILTERS, ...OTHERS].sort());
});

test('no filter takes several values', () => {
  const filters = descriptions.flatMap(listObjects).filter(({ in: place }) => place === 'query');
  expect(filters.filter(({ schema }) => (schema as { type?: unknown }).type === 'array')).toEqual([]);
});

const IS_DATE = /(?:[a-z](?:At|Date)|^asOf|^date[A-Z]\w*|Since|Until)$/;
/** A day without a time. */
const DAYS = new Set(['dateOfBirth']);

/**
 * The members that are named as dates, and those parameters; a read-only one of a body has the format of the answer.
 */
const dated = descriptions.flatMap(listObjects).flatMap((object): (readonly [string, Json])[] => {
  const members = Object.entries((object.properties ?? {}) as Readonly<Record<string, Json>>);
  const parameter = object.in === 'query' ? [[String(object.name), object.schema as Json] as const] : [];
  return [...members, ...parameter].filter(([name, schema]) => IS_DATE.test(name) && schema.readOnly !== true);
});

test('every date of a request or answer is described as an ISO 8601 timestamp', () => {
  expect(new Set(dated.map(([name]) => name))).toContain('modifiedSince');
  const other = dated.filter(([name, { format }]) => format !== (DAYS.has(name) ? 'date' : 'date-time'));
  expect(other).toEqual([]);
});

/** The only writes of both APIs without `Idempotency-Key`. */
const WITHOUT = [
  'POST /svc/v3/payment-providers/stripe/webhooks/{institution}',
  'POST /svc/v3/users/me/password',
  'POST /tnwr/v1/sessions',
  'POST /tnwr/vexp/sessions',
];

type Paths = Record<string, Record<string, { readonly parameters?: readonly object[] }>>;

const writes = descriptions
  .flatMap(({ paths }) => Object.entries(paths as Paths))
  .filter(([path]) => !path.startsWith('/auth/'))
  .flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method === 'post' || method === 'patch')
      .map(([method, described]) => ({ name: `${method.toUpperCase()} ${path}`, described })),
  );

test('every POST and PATCH takes Idempotency-Key, but for passwords, sessions and webhooks of others', () => {
  expect(writes.length).toBeGreaterThan(50);
  const without = writes.filter(
    ({ described }) => !/Idempotency-?Key/.test(JSON.stringify(described.parameters ?? [])),
  );
  expect(without.map(({ name }) => name).sort()).toEqual(WITHOUT);
});

/** Texts that are compared to the letter, or that another standard reads. A new one is decided here. */
const OPAQUE = [
  ...['after', 'barcode', 'contactNumber', 'createdBy', 'cursor', 'eventId', 'id', 'resource'],
  // Of SVG.
  ...['logo', 'outline'],
  // Passwords, logins (compared by a key of their own) and OAuth.
  ...['current', 'new', 'login', 'password', 'origins', 'redirectUris'],
  ...'client_id client_secret code_verifier redirect_uri refresh_token scope token token_type_hint'.split(' '),
  // Of the form of the token endpoint; elsewhere a code is a text of one line.
  'code',
  // Filters and names with rules of their own, which refuse or normalise what they do not know.
  ...['email', 'lang', 'q', 'returnUrl', 'timeZone', 'types', 'unlocks', 'venue'],
];

const isOpaque = (name: string): boolean => OPAQUE.includes(name) || /Ids?$/.test(name);

/**
 * Names of the texts of requests whose form nothing determines: neither a list, a format, a pattern nor a normalising.
 */
const freeTexts = (description: Json): string[] => {
  const names = new Set<string>();
  const resolved = (schema: Json): Json =>
    typeof schema.$ref === 'string'
      ? resolved(
          schema.$ref
            .split('/')
            .slice(1)
            .reduce((at: Json, step) => at[step] as Json, description),
        )
      : schema;
  const walk = (given: unknown, name: string): void => {
    // What is sent back as it was read is only compared.
    if ((given as Json | undefined)?.readOnly) return;
    const schema = resolved((given ?? {}) as Json);
    const { type = [], properties = {}, additionalProperties, items, anyOf = [], oneOf = [], allOf = [] } = schema;
    const isDetermined = ['enum', 'const', 'format', 'pattern', 'x-normalise'].some((one) => one in schema);
    if ([type].flat().includes('string') && !isDetermined) names.add(name);
    for (const [member, inner] of Object.entries(properties as Json)) walk(inner, member);
    if (typeof additionalProperties === 'object') walk(additionalProperties, name);
    if (items !== undefined) walk(items, name);
    for (const part of [anyOf, oneOf, allOf].flat()) walk(part, name);
  };
  for (const item of Object.values(description.paths as Json))
    for (const { parameters = [], requestBody = {} } of Object.values(item as Record<string, Json>)) {
      for (const { schema } of Object.values((resolved(requestBody as Json).content ?? {}) as Record<string, Json>))
        walk(schema, 'body');
      for (const parameter of (parameters as Json[]).map(resolved))
        if (parameter.in === 'query') walk(parameter.schema, String(parameter.name));
    }
  return [...names];
};

test('every text of a request is a text of one line or of several, has a form, or is compared to the letter', () => {
  const found = descriptions.flatMap(freeTexts);
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter((name) => !isOpaque(name))).toEqual([]);
});

test('negative control: a free text is found, in a list and behind a reference as well', () => {
  const schema = { properties: { name: { type: 'string' }, tags: { items: { $ref: '#/components/schemas/Tag' } } } };
  const post = { requestBody: { content: { 'application/json': { schema } } } };
  const components = { schemas: { Tag: { type: ['string', 'null'] } } };
  expect(freeTexts({ paths: { '/things': { post } }, components })).toEqual(['name', 'tags']);
});
