import { expect, test } from '@jest/globals';
import { descriptions, type Json, membersOf, objectsIn } from './descriptions.ts';

const TYPED = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'const', 'enum'];

const schemas = descriptions.map(({ components }) => (components as { readonly schemas: Json }).schemas);

interface Discriminated {
  readonly oneOf: readonly Json[];
  readonly discriminator: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
}

/** Schemas of members without a type. */
const untyped = (description: Json): string[] =>
  membersOf(description).flatMap(([name, schema]) => (TYPED.some((one) => one in schema) ? [] : [name]));

test('every member has a type, also one that a body takes only as it was read', () => {
  expect(descriptions.flatMap(untyped)).toEqual([]);
  expect(untyped({ schema: { properties: { id: { readOnly: true } } } })).toEqual(['id']);
});

test('no member is null alone: generators of clients know no such type', () => {
  const isNullAlone = ({ type }: Json): boolean => type === 'null';
  expect(descriptions.flatMap(membersOf).filter(([, schema]) => isNullAlone(schema))).toEqual([]);
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
    const tags = new Set(objectsIn(paths).flatMap((one) => (one.operationId ? (one.tags as string[]) : [])));
    const messages = objectsIn(webhooks).filter((one) => one.operationId);
    expect(messages.filter((one) => (one.tags as string[]).some((tag) => tags.has(tag)))).toEqual([]);
    expect(messages.flatMap(({ parameters }) => parameters as Json[]).filter((one) => '$ref' in one)).toEqual([]);
  }
});

// A constructor in Go is `New…`, so a schema `NewOrder` beside `Order` does not compile.
test('no name of a schema is `New` and that of another', () => {
  const names = schemas.flatMap(Object.keys);
  expect(names.filter((name) => name.startsWith('New') && names.includes(name.slice(3)))).toEqual([]);
});
