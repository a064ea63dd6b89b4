import { expect, test } from '@jest/globals';
import { descriptions, type Json, membersOf, objectsIn } from './descriptions.ts';

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
  membersOf(description)
    .filter(([, schema]) => !isDescribed(schema))
    .map(([name]) => name)
    .filter((name) => !isReference(name) && !isOfStandard(name) && !SELF_EXPLANATORY.includes(name));

test('every member whose name does not explain it has a description', () => {
  expect(descriptions.flatMap(unexplained)).toEqual([]);
  const properties = { id: { type: 'string' }, hint: { type: 'string' } };
  expect(unexplained({ schema: { properties } })).toEqual(['hint']);
});

test('no name counts as explaining itself that no member has', () => {
  const names = new Set(descriptions.flatMap(membersOf).map(([name]) => name));
  expect([...SELF_EXPLANATORY, ...OF_STANDARDS].filter((name) => !names.has(name))).toEqual([]);
});

const operations = descriptions.flatMap(({ paths }) => objectsIn(paths)).filter((one) => one.operationId);

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
      for (const tag of objectsIn(item).flatMap((one) => (one.operationId ? (one.tags as string[]) : []))) {
        expect([...path.split('/'), ...OF_OTHER_PATHS]).toContain(tag);
        expect(described.get(tag)).toMatch(/\w+ \w+/);
      }
  }
});

test('each scope is described in words', () => {
  const scopes = descriptions
    .flatMap(({ components }) => objectsIn((components as Json).securitySchemes))
    .flatMap(({ scopes = {} }) => Object.entries(scopes as Readonly<Record<string, string>>));
  expect(scopes.length).toBeGreaterThan(0);
  expect(scopes.filter(([scope, words]) => words.includes(':') || !words.includes(' ') || scope === words)).toEqual([]);
});
