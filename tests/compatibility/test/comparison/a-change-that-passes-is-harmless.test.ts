import type { Schema } from '@boxoffice/codegen';
import { compareSchemas, type Direction } from '@boxoffice/contracts';
import { createCheck } from '@boxoffice/http';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';

// Random schemas in the form of the services' descriptions, and random values: any change that passes the comparison
// must be harmless for every value.

const isValid = (schema: Schema): ((value: unknown) => boolean) => {
  const check = createCheck(schema as never);
  return (value) => {
    try {
      check(structuredClone(value));
      return true;
    } catch {
      return false;
    }
  };
};

const NAMES = ['a', 'b'] as const;
const TEXTS = ['', 'x', 'xx', 'xxx'] as const;

const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.integer({ min: -1, max: 3 }),
    fc.constant(1.5),
    fc.constantFrom(...TEXTS),
    fc.array(tie('any'), { maxLength: 2 }),
    fc.record({ a: tie('any'), b: tie('any') }, { requiredKeys: [] }),
  ),
})).any;

const limits = (least: string, most: string) =>
  fc.record({ [least]: fc.integer({ min: 0, max: 2 }), [most]: fc.integer({ min: 1, max: 3 }) }, { requiredKeys: [] });

const nullable = (schema: Schema): Schema => {
  if (schema.const !== undefined) return { anyOf: [schema, { type: 'null' }] };
  return schema.enum ? { enum: [...schema.enum, null] } : { ...schema, type: [schema.type, 'null'].flat() as string[] };
};

/** Request bodies are closed and responses are open, as in the descriptions. */
const schemas = (closed: boolean): fc.Arbitrary<Schema> =>
  fc.letrec<{ any: Schema; plain: Schema }>((tie) => ({
    plain: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<Schema[]>({ type: 'boolean' }, { type: 'number' }, { const: 'x' }),
      limits('minimum', 'maximum').map((more) => ({ type: 'integer', ...more })),
      limits('minLength', 'maxLength').map((more) => ({ type: 'string', ...more })),
      fc.subarray([...TEXTS], { minLength: 1 }).map((all) => ({ type: 'string', enum: all })),
      fc.tuple(tie('any'), limits('minItems', 'maxItems')).map(([items, more]) => ({ type: 'array', items, ...more })),
      fc
        .tuple(fc.record({ a: tie('any'), b: tie('any') }, { requiredKeys: [] }), fc.subarray([...NAMES]))
        .map(([properties, wanted]) => ({
          type: 'object',
          properties,
          required: wanted.filter((name) => name in properties),
          ...(closed ? { additionalProperties: false } : {}),
        })),
    ),
    any: fc.oneof(
      { depthSize: 'small' },
      { weight: 4, arbitrary: tie('plain') },
      { weight: 1, arbitrary: tie('plain').map(nullable) },
      { weight: 1, arbitrary: fc.array(tie('plain'), { minLength: 2, maxLength: 2 }).map((anyOf) => ({ anyOf })) },
    ),
  })).any;

/** Two releases of a schema: unrelated ones, or two that differ in one part only, as most releases do. */
const releases = (closed: boolean): fc.Arbitrary<readonly [Schema, Schema]> => {
  const some = schemas(closed);
  const more = closed ? { additionalProperties: false } : {};
  const wanted = fc.subarray([...NAMES]);
  const object = (a: Schema, b: Schema, required: readonly string[]): Schema => ({
    type: 'object',
    properties: { a, b },
    required,
    ...more,
  });
  return fc.oneof(
    fc.tuple(some, some),
    fc.tuple(some, some, wanted, wanted).map(([a, b, one, other]) => [object(a, b, one), object(a, b, other)] as const),
    fc.tuple(some, some, some, wanted).map(([a, b, now, all]) => [object(a, b, all), object(a, now, all)] as const),
    fc.tuple(some, some).map(
      ([one, other]) =>
        [
          { type: 'array', items: one },
          { type: 'array', items: other },
        ] as const,
    ),
  );
};

type Compare = typeof compareSchemas;

/**
 * Runs the comparison on pairs of schemas; returns the errors, and how often it passed a pair that some value
 * satisfies.
 */
const tried = (direction: Direction, compare: Compare, how: fc.Parameters<unknown>) => {
  const values = fc.array(value, { minLength: 20, maxLength: 20 });
  let passed = 0;
  const property = fc.property(releases(direction === 'request'), values, ([before, after], all) => {
    if (compare(before, after, direction).length > 0) return;
    const [narrow, wide] = direction === 'request' ? [before, after] : [after, before];
    const fitting = all.filter(isValid(narrow));
    if (fitting.length > 0) passed += 1;
    const refused = fitting.filter((one) => !isValid(wide)(one));
    if (refused.length > 0) throw new Error(`passes, but not ${JSON.stringify(refused[0])}`);
  });
  return { details: fc.check(property as fc.IProperty<unknown>, how), passed };
};

test.each(['request', 'answer'] as const)('%s: a change that passes accepts every value as before', (direction) => {
  const { details, passed } = tried(direction, compareSchemas, { numRuns: 500 });
  // With the seed, for reproduction.
  expect(details.failed ? fc.defaultReportMessage(details as never) : '').toBe('');
  expect(passed).toBeGreaterThan(0);
});

const forgetting = (keyword: string) => (before: Schema, after: Schema, direction: Direction) => {
  const without = (schema: Schema): Schema =>
    JSON.parse(JSON.stringify(schema, (name, one) => (name === keyword ? undefined : one)));
  return compareSchemas(without(before), without(after), direction);
};

test.each(['minimum', 'maxLength', 'enum', 'required', 'items', 'const'])(
  'negative control: a comparison that overlooks %s is caught',
  (keyword) => {
    const failed = (['request', 'answer'] as const).map(
      (direction) =>
        tried(direction, forgetting(keyword), { numRuns: 3_000, seed: 7, endOnFailure: true }).details.failed,
    );
    expect(failed).toContain(true);
  },
);

test.each(['request', 'answer'] as const)('%s: an unchanged schema passes', (direction) => {
  fc.assert(
    fc.property(schemas(direction === 'request'), (schema) => {
      expect(compareSchemas(schema, { ...structuredClone(schema), description: 'in other words' }, direction)).toEqual(
        [],
      );
    }),
    { numRuns: 300 },
  );
});
