import { Fault } from '@boxoffice/envelope';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Type } from 'typebox';
import {
  createCheck,
  createNullableSchema,
  createPatchSchema,
  emailSchema,
  mergePatch,
  oneOf,
  timestamp,
} from '../../src/index.ts';
import { createAjv } from '../../src/validation/ajv.ts';
import { closeSchema } from '../../src/validation/body-schema.ts';

/** The examples of RFC 7396, appendix A, that start from an object. */
const appendix: [object, object, object][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

describe('mergePatch', () => {
  test.each(appendix)('%j with %j is %j', (current, patch, merged) => {
    expect(mergePatch(current, patch)).toEqual(merged);
  });

  test('changes neither the document nor the patch', () => {
    const documents = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(documents, documents, (current, patch) => {
        const before = JSON.stringify([current, patch]);
        mergePatch(current, patch);
        expect(JSON.stringify([current, patch])).toBe(before);
      }),
    );
  });

  test('is idempotent', () => {
    const documents = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(documents, documents, (current, patch) => {
        const once = mergePatch(current, patch);
        expect(mergePatch(once, patch)).toEqual(once);
      }),
    );
  });

  test('treats a member called __proto__ as an ordinary member', () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__":{"admin":true}}'));
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect((merged as { admin?: boolean }).admin).toBeUndefined();
  });
});

describe('patchOf', () => {
  const Person = Type.Object({
    name: Type.String({ minLength: 1 }),
    color: Type.Optional(oneOf(['red'])),
    place: Type.Optional(Type.Object({ city: Type.String(), zip: Type.Optional(Type.String()) })),
    labels: Type.Optional(Type.Record(Type.String({ pattern: '^[a-z]{2}$' }), Type.String())),
    tags: Type.Optional(Type.Array(Type.Object({ id: Type.String() }))),
    size: Type.Optional(Type.Integer({ default: 3 })),
    title: Type.Optional(
      Type.Union([Type.String(), Type.Record(Type.String({ pattern: '^[a-z]{2}$' }), Type.String())]),
    ),
  });
  const holds = createAjv({ proving: true }).compile(
    closeSchema(JSON.parse(JSON.stringify(createPatchSchema(Person)))),
  );

  test.each([
    [{}],
    [{ name: 'x' }],
    [{ color: null, place: null, labels: null, tags: null }],
    [{ place: { zip: null } }],
    [{ place: { city: 'Basel' } }],
    [{ labels: { fr: 'x', de: null } }],
    [{ tags: [] }],
    [{ title: 'x' }],
    [{ title: { fr: 'x', de: null } }],
    [{ title: null }],
  ])('takes %j', (patch) => expect(holds(patch)).toBe(true));

  test.each([
    ['null for what is required', { name: null }],
    ['a value that the schema refuses', { name: '' }],
    ['an unknown field', { other: 1 }],
    ['null for what is required deeper down', { place: { city: null } }],
    ['part of an item: lists are replaced whole', { tags: [{}] }],
    ['another enum value', { color: 'blue' }],
    ['what is none of the alternatives', { title: { fr: 1 } }],
  ])('refuses %s', (_what, patch) => expect(holds(patch)).toBe(false));

  test('puts no defaults into absent members', () => {
    expect(JSON.stringify(createPatchSchema(Person))).not.toContain('default');
  });
});

test('createCheck names the violations of a merged value', () => {
  const check = createCheck(Type.Object({ place: Type.Object({ city: Type.String() }) }));
  expect(() => check({ place: { city: 'x' } })).not.toThrow();
  expect(() => check(mergePatch({ place: { city: 'x' } }, { place: {} }))).not.toThrow();
  expect(() => check({ place: {} })).toThrow(Fault);
  expect(() => check({ place: {} })).toThrow('$.place.city is required');
});

describe('nullable', () => {
  test.each([
    [createNullableSchema(Type.String()), { type: ['string', 'null'] }],
    [createNullableSchema(oneOf(['a'])), { type: ['string', 'null'], enum: ['a', null] }],
    [createNullableSchema(createNullableSchema(Type.Integer())), { type: ['integer', 'null'] }],
    [createNullableSchema(Type.Literal('a')), { type: ['string', 'null'], enum: ['a', null] }],
    [
      createNullableSchema(Type.Union([Type.String(), Type.Integer()])),
      { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
    ],
  ])('%j', (schema, expected) => expect(JSON.parse(JSON.stringify(schema))).toEqual(expected));
});

describe('texts that are normalised', () => {
  const accept = createAjv().compile(Type.Object({ email: Type.Optional(emailSchema), at: Type.Optional(timestamp) }));
  const read = (value: { email?: string; at?: string }) => (accept(value) ? (value.email ?? value.at) : undefined);

  test.each([
    [{ email: ' a@b.ch\t' }, 'a@b.ch'],
    [{ email: 'A@B.ch' }, 'A@B.ch'],
    [{ email: '   ' }, undefined],
    [{ email: 'a b@c.ch' }, undefined],
    [{ email: `${'a'.repeat(250)}@b.ch` }, undefined],
    [{ at: '2027-06-01T00:00:00Z' }, '2027-06-01T00:00:00.000Z'],
    [{ at: '2027-06-01t00:00:00.5z' }, '2027-06-01T00:00:00.500Z'],
    [{ at: '2027-06-01T00:00:00-03:30' }, '2027-06-01T03:30:00.000Z'],
    [{ at: '2028-02-29T00:00:00Z' }, '2028-02-29T00:00:00.000Z'],
    [{ at: '2027-02-29T00:00:00Z' }, undefined],
    [{ at: '2027-06-01 00:00:00Z' }, undefined],
    [{ at: '2027-06-01T24:00:00Z' }, undefined],
    [{ at: '2027-06-01' }, undefined],
    [{ at: '2027-06-01T00:00:00+2' }, undefined],
  ])('%j is %s', (value, expected) => expect(read(value)).toBe(expected));

  test('every instant keeps its value', () => {
    const instants = fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true });
    fc.assert(
      fc.property(instants, fc.integer({ min: -14 * 60, max: 14 * 60 }), (instant, offset) => {
        const local = new Date(instant.getTime() + offset * 60_000).toISOString().slice(0, -1);
        const two = (n: number) => String(n).padStart(2, '0');
        const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
        expect(read({ at: local + zone })).toBe(instant.toISOString());
      }),
    );
  });
});
