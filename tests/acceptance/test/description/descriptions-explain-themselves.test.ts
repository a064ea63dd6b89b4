import { expect, test } from '@jest/globals';
import { descriptions, type Json, listMembers, listObjects } from './descriptions.ts';

/** Names that say everything. A new one is decided here. */
const SELF_EXPLANATORY = [
  ...['id', 'items', 'name', 'title', 'firstName', 'lastName', 'email', 'phone', 'street', 'postalCode', 'city'],
  ...['login', 'password'],
  // The envelopes, which `info.description` explains.
  ...['status', 'details', 'data', 'success', 'errorCode', 'errorMessage'],
];

/** Names of RFC 6749, 7517, 7662 and 8414, to which summaries refer. */
const OF_STANDARDS = ['active', 'alg', 'aud', 'crv', 'iss', 'issuer', 'jti', 'keys', 'kid', 'kty', 'scope', 'sub'];
const isOfStandard = (name: string): boolean => name.includes('_') || [...OF_STANDARDS, 'use', 'x', 'y'].includes(name);

/** Whether the name is that of another schema's id: `performanceId`. */
const isReference = (name: string): boolean => /Ids?$/.test(name);

const isDescribed = (schema: Json): boolean => {
  const {
    description,
    $ref,
    items,
    anyOf = [],
  } = schema as { readonly items?: Json; readonly anyOf?: readonly Json[] } & Json;
  return [description, $ref, items?.$ref, ...anyOf.map((one) => one.$ref)].some((one) => one !== undefined);
};

const unexplained = (description: Json): string[] =>
  listMembers(description)
    .filter(([, schema]) => !isDescribed(schema))
    .map(([name]) => name)
    .filter((name) => !isReference(name) && !isOfStandard(name) && !SELF_EXPLANATORY.includes(name));

test('every member whose name does not explain it has a description', () => {
  expect(descriptions.flatMap(unexplained)).toEqual([]);
  const properties = { id: { type: 'string' }, hint: { type: 'string' } };
  expect(unexplained({ schema: { properties } })).toEqual(['hint']);
});

test('no name counts as explaining itself that no member has', () => {
  const names = new Set(descriptions.flatMap(listMembers).map(([name]) => name));
  expect([...SELF_EXPLANATORY, ...OF_STANDARDS].filter((name) => !names.has(name))).toEqual([]);
});

const operations = descriptions.flatMap(({ paths }) => listObjects(paths)).filter((one) => one.operationId);

test('every operation has a description beside its summary', () => {
  const silent = operations.filter(({ description, summary }) => !description || description === summary);
  expect(silent.map(({ operationId }) => operationId)).toEqual([]);
});

/** Tags of operations whose paths are those of a standard. */
const OF_OTHER_PATHS = ['tokens', 'descriptions'];

test('tags are the nouns of the paths, each with a description', () => {
  for (const { paths, tags } of descriptions) {
    const described = new Map((tags as Json[]).map(({ name, description }) => [name, description]));
    for (const [path, item] of Object.entries(paths))
      for (const tag of listObjects(item).flatMap((one) => (one.operationId ? (one.tags as string[]) : []))) {
        expect([...path.split('/'), ...OF_OTHER_PATHS]).toContain(tag);
        expect(described.get(tag)).toMatch(/\w+ \w+/);
      }
  }
});

test('each scope is described in words', () => {
  const scopes = descriptions
    .flatMap(({ components }) => listObjects((components as Json).securitySchemes))
    .flatMap(({ scopes = {} }) => Object.entries(scopes as Readonly<Record<string, string>>));
  expect(scopes.length).toBeGreaterThan(0);
  expect(scopes.filter(([scope, words]) => words.includes(':') || !words.includes(' ') || scope === words)).toEqual([]);
});

const TYPED = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'const', 'enum'];

const schemas = descriptions.map(({ components }) => (components as { readonly schemas: Json }).schemas);

interface Discriminated {
  readonly oneOf: readonly Json[];
  readonly discriminator: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
}

/** Schemas of members without a type. */
const untyped = (description: Json): string[] =>
  listMembers(description).flatMap(([name, schema]) => (TYPED.some((one) => one in schema) ? [] : [name]));

test('every member has a type, also one that a body takes only as it was read', () => {
  expect(descriptions.flatMap(untyped)).toEqual([]);
  expect(untyped({ schema: { properties: { id: { readOnly: true } } } })).toEqual(['id']);
});

test('no member is null alone: generators of clients know no such type', () => {
  const isNullAlone = ({ type }: Json): boolean => type === 'null';
  expect(descriptions.flatMap(listMembers).filter(([, schema]) => isNullAlone(schema))).toEqual([]);
});

test('an event is one of its types, told apart by `type`', () => {
  const [{ Event }] = schemas.filter((all) => 'Event' in all) as [Record<string, Discriminated>];
  const { discriminator, oneOf } = Event as Discriminated;
  const { propertyName, mapping } = discriminator;
  expect(propertyName).toBe('type');
  expect(Object.entries(mapping)).toContainEqual(['order.confirmed', '#/components/schemas/OrderConfirmedEvent']);
  expect(Object.values(mapping)).toEqual(oneOf.map(({ $ref }) => $ref));
});

test('the messages of webhooks have a tag of their own and no references among their parameters', () => {
  for (const { paths, webhooks = {} } of descriptions) {
    const tags = new Set(listObjects(paths).flatMap((one) => (one.operationId ? (one.tags as string[]) : [])));
    const messages = listObjects(webhooks).filter((one) => one.operationId);
    expect(messages.filter((one) => (one.tags as string[]).some((tag) => tags.has(tag)))).toEqual([]);
    expect(messages.flatMap(({ parameters }) => parameters as Json[]).filter((one) => '$ref' in one)).toEqual([]);
  }
});

// A constructor in Go is `New…`, so a schema `NewOrder` beside `Order` does not compile.
test('no name of a schema is `New` and that of another', () => {
  const names = schemas.flatMap(Object.keys);
  expect(names.filter((name) => name.startsWith('New') && names.includes(name.slice(3)))).toEqual([]);
});
