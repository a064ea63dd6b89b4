import type { Schema } from '@boxoffice/codegen';

/** Lower bounds, with their names in messages. */
export const LOWER_BOUNDS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const;
/** Upper bounds, with their names in messages. */
export const UPPER_BOUNDS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
/** Keywords that are compared by equality only. */
export const COMPARED_BY_EQUALITY = ['pattern', 'format', 'multipleOf', 'uniqueItems'] as const;

/** How texts and names of members are read before their other constraints. */
export const NORMALISING = ['x-normalise', 'x-normalise-names'] as const;

/** Keywords that promise nothing to a caller; the comparison ignores them. */
const ANNOTATIONS = ['description', 'title', 'examples', 'example', 'deprecated', '$comment', 'discriminator'];

const KNOWN: ReadonlySet<string> = new Set([
  ...LOWER_BOUNDS,
  ...UPPER_BOUNDS,
  ...COMPARED_BY_EQUALITY,
  ...ANNOTATIONS,
  ...['type', 'const', 'enum', 'properties', 'additionalProperties', 'propertyNames', 'required', 'items'],
  ...['allOf', 'anyOf', 'oneOf'],
  // Not part of the shape of values, but compared.
  ...['default', 'readOnly', ...NORMALISING],
]);

/** @throws {Error} naming a keyword that the comparison does not know */
const refuseUnknown = (schema: Schema): void => {
  const unknown = Object.keys(schema).filter((keyword) => !KNOWN.has(keyword));
  if (unknown.length > 0)
    throw new Error(`the comparison of schemas does not know ${unknown.join(', ')}: add it to deploy/contracts`);
};

/** A schema of one type without choices, as `alternatives` produces. `any`: of any type. */
export interface Plain extends Schema {
  readonly type: string;
}

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
};

/** The values of an enumerating schema. */
export const valuesOf = ({ const: only, enum: all, type }: Schema): readonly unknown[] | undefined => {
  if (only !== undefined) return [only];
  if (all) return all;
  return type === 'null' ? [null] : undefined;
};

const fits = (type: string, value: unknown): boolean =>
  type === 'any' || typeOf(value) === type || (type === 'number' && typeof value === 'number');

/** Keywords that do not constrain null: `anyOf: [X, null]` and `X` with another type are equal. */
const OF_OTHERS: ReadonlySet<string> = new Set([
  ...['properties', 'additionalProperties', 'propertyNames', 'required', 'minProperties', 'maxProperties'],
  ...['items', 'minItems', 'maxItems', 'uniqueItems'],
]);

const ofNull = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !OF_OTHERS.has(keyword)));

const byType = (schema: Schema): Plain[] => {
  const values = schema.const === undefined ? schema.enum : [schema.const];
  const { type = values ? [...new Set(values.map(typeOf))] : 'any', ...rest } = schema;
  const { const: _, ...others } = rest;
  return [type].flat().flatMap((one) => {
    if (!values) return [{ ...(one === 'null' ? ofNull(others) : others), type: one }];
    const ofType = values.filter((value) => fits(one, value));
    return ofType.length > 0 ? [{ ...others, type: one, enum: ofType }] : [];
  });
};

const both = (one: Schema | undefined, other: Schema | undefined): Schema =>
  one && other ? { allOf: [one, other] } : (one ?? other ?? {});

const bound = (choose: (...values: number[]) => number, one: unknown, other: unknown): number | undefined => {
  const values = [one, other].filter((value) => typeof value === 'number');
  return values.length > 0 ? choose(...values) : undefined;
};

const commonType = (one: string, other: string): string | undefined => {
  if (one === other || other === 'any') return one;
  if (one === 'any') return other;
  return [one, other].toSorted().join() === 'integer,number' ? 'integer' : undefined;
};

/** The intersection of two schemas; undefined if it is empty. */
const intersection = (one: Plain, other: Plain): Plain | undefined => {
  const type = commonType(one.type, other.type);
  if (type === undefined) return undefined;
  const values = [valuesOf(one), valuesOf(other)].filter((all) => all !== undefined);
  const common = values[0]?.filter((value) => values.every((all) => all.includes(value)));
  if (common?.length === 0) return undefined;
  const merged: Record<string, unknown> = { ...one, ...other, type };
  if (common) merged.enum = common;
  for (const keyword of LOWER_BOUNDS) merged[keyword] = bound(Math.max, one[keyword], other[keyword]);
  for (const keyword of UPPER_BOUNDS) merged[keyword] = bound(Math.min, one[keyword], other[keyword]);
  for (const keyword of COMPARED_BY_EQUALITY) {
    if (one[keyword] !== undefined && other[keyword] !== undefined && one[keyword] !== other[keyword])
      throw new Error(`the comparison of schemas does not know two of ${keyword} at once (deploy/contracts)`);
  }
  if (one.properties || other.properties) {
    const names = new Set([...Object.keys(one.properties ?? {}), ...Object.keys(other.properties ?? {})]);
    merged.properties = Object.fromEntries(
      [...names].map((name) => [name, both(one.properties?.[name], other.properties?.[name])]),
    );
  }
  if (one.required || other.required) merged.required = [...(one.required ?? []), ...(other.required ?? [])];
  if (one.items || other.items) merged.items = both(one.items, other.items);
  const [mine, theirs] = [one.additionalProperties, other.additionalProperties];
  if (typeof mine === 'object' && typeof theirs === 'object') merged.additionalProperties = both(mine, theirs);
  const closed = [one, other].some((part) => part.additionalProperties === false);
  if (closed) merged.additionalProperties = false;
  return merged as Plain;
};

/**
 * Splits a schema without references into schemas of one type without `anyOf`, `oneOf` and `allOf`; every value satisfies
 * at least one of them.
 * @throws {Error} on an unknown keyword
 */
export const alternatives = (schema: Schema): Plain[] => {
  refuseUnknown(schema);
  const { anyOf, oneOf, allOf = [], ...own } = schema;
  const parts = [byType(own), ...allOf.map(alternatives)];
  for (const choice of [anyOf, oneOf]) if (choice) parts.push(choice.flatMap(alternatives));
  return parts.reduce((all, part) =>
    all.flatMap((one) => part.map((other) => intersection(one, other)).filter((found) => found !== undefined)),
  );
};
