import type { Schema } from '@boxoffice/codegen';
import { getOwnMember } from '@boxoffice/runtime';

const LOWER_BOUNDS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const;
const UPPER_BOUNDS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
const COMPARED_BY_EQUALITY = ['pattern', 'format', 'multipleOf', 'uniqueItems'] as const;

/** How texts and names of members are read before their other constraints. */
const NORMALISING = ['x-normalise', 'x-normalise-names'] as const;

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

/** A schema of one type without choices, as `alternatives` produces. `any`: of any type. */
interface Plain extends Schema {
  readonly type: string;
}

/** Keywords that do not constrain null: `anyOf: [X, null]` and `X` with another type are equal. */
const OF_OTHERS: ReadonlySet<string> = new Set([
  ...['properties', 'additionalProperties', 'propertyNames', 'required', 'minProperties', 'maxProperties'],
  ...['items', 'minItems', 'maxItems', 'uniqueItems'],
]);

/** `request`: accepted values must stay so. `answer`: values must have been possible; readers ignore new members. */
export type Direction = 'request' | 'answer';

interface Difference {
  /** `$.data.lines[].amount` */
  readonly path: string;
  readonly what: string;
}

interface Pair {
  readonly before: Plain;
  readonly after: Plain;
}

/** The differences between the most similar choices; no references. @throws {Error} on an unknown keyword */
export function compareSchemas(before: Schema, after: Schema, direction: Direction, path = '$'): Difference[] {
  // A shortcut for the largest part of any description.
  if (formatValue(before) === formatValue(after)) return [];
  const { narrow, wide } = orderByWidth(direction, alternatives(before), alternatives(after));
  const found = narrow.flatMap((one) => {
    const same = wide.filter(({ type }) => type === one.type || type === 'any');
    const others = same.length > 0 ? same : wide.filter(({ type }) => type === 'number' && one.type === 'integer');
    if (others.length === 0 && narrow.length > 1) {
      const words = direction === 'request' ? 'is no longer accepted' : 'is new';
      return [{ path, what: `${one.type} ${words}` }];
    }
    const candidates = (others.length > 0 ? others : wide).map((other) => {
      const [was, is] = direction === 'request' ? [one, other] : [other, one];
      return plainDifferences({ before: was, after: is }, path, direction);
    });
    return candidates.reduce((best, next) => (next.length < best.length ? next : best));
  });
  return [...new Map(found.map((one) => [`${one.path} ${one.what}`, one])).values()];
}

const formatValue = (value: unknown): string => JSON.stringify(value);

/** The schema whose values must all be values of the other. */
const orderByWidth = <Value>(direction: Direction, before: Value, after: Value) =>
  direction === 'request' ? { narrow: before, wide: after } : { narrow: after, wide: before };

/** Of one type, without `anyOf`, `oneOf` and `allOf`; each value satisfies one. @throws on an unknown keyword */
const alternatives = (schema: Schema): Plain[] => {
  refuseUnknown(schema);
  const { anyOf, oneOf, allOf = [], ...own } = schema;
  const parts = [byType(own), ...allOf.map(alternatives)];
  for (const choice of [anyOf, oneOf]) if (choice) parts.push(choice.flatMap(alternatives));
  return parts.reduce((all, part) =>
    all.flatMap((one) => part.map((other) => intersection(one, other)).filter((found) => found !== undefined)),
  );
};

/** @throws {Error} naming a keyword that the comparison does not know */
const refuseUnknown = (schema: Schema): void => {
  const unknown = Object.keys(schema).filter((keyword) => !KNOWN.has(keyword));
  if (unknown.length > 0)
    throw new Error(`the comparison of schemas does not know ${unknown.join(', ')}: add it to deploy/contracts`);
};

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

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
};

const ofNull = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !OF_OTHERS.has(keyword)));

const fits = (type: string, value: unknown): boolean =>
  type === 'any' || typeOf(value) === type || (type === 'number' && typeof value === 'number');

/** The intersection of two schemas; undefined if it is empty. */
const intersection = (one: Plain, other: Plain): Plain | undefined => {
  const type = commonType(one.type, other.type);
  if (type === undefined) return undefined;
  const values = [valuesOf(one), valuesOf(other)].filter((all) => all !== undefined);
  const common = values[0]?.filter((value) => values.every((all) => all.includes(value)));
  if (common?.length === 0) return undefined;
  const merged: Record<string, unknown> = { ...one, ...other, type };
  if (common) merged.enum = common;
  for (const keyword of LOWER_BOUNDS) merged[keyword] = chooseBound(Math.max, one[keyword], other[keyword]);
  for (const keyword of UPPER_BOUNDS) merged[keyword] = chooseBound(Math.min, one[keyword], other[keyword]);
  for (const keyword of COMPARED_BY_EQUALITY) {
    if (one[keyword] !== undefined && other[keyword] !== undefined && one[keyword] !== other[keyword])
      throw new Error(`the comparison of schemas does not know two of ${keyword} at once (deploy/contracts)`);
  }
  if (one.properties || other.properties) {
    const names = new Set([...Object.keys(one.properties ?? {}), ...Object.keys(other.properties ?? {})]);
    merged.properties = Object.fromEntries(
      [...names].map((name) => [name, both(getOwnMember(one.properties, name), getOwnMember(other.properties, name))]),
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

const commonType = (one: string, other: string): string | undefined => {
  if (one === other || other === 'any') return one;
  if (one === 'any') return other;
  return [one, other].toSorted().join() === 'integer,number' ? 'integer' : undefined;
};

const valuesOf = ({ const: only, enum: all, type }: Schema): readonly unknown[] | undefined => {
  if (only !== undefined) return [only];
  if (all) return all;
  return type === 'null' ? [null] : undefined;
};

const chooseBound = (choose: (...values: number[]) => number, one: unknown, other: unknown): number | undefined => {
  const values = [one, other].filter((value) => typeof value === 'number');
  return values.length > 0 ? choose(...values) : undefined;
};

const both = (one: Schema | undefined, other: Schema | undefined): Schema =>
  one && other ? { allOf: [one, other] } : (one ?? other ?? {});

const plainDifferences = (pair: Pair, path: string, direction: Direction): Difference[] => {
  const { before, after } = pair;
  const { narrow, wide } = orderByWidth(direction, before, after);
  const fits =
    wide.type === 'any' || wide.type === narrow.type || (wide.type === 'number' && narrow.type === 'integer');
  if (!fits) return [{ path, what: `was of type ${before.type} and is of type ${after.type}` }];
  const hasItems = narrow.items || wide.items;
  return [
    ...compareLists(pair, path, direction),
    ...bounds(pair, path, direction),
    ...treatment(pair, path, direction),
    ...fields(pair, path, direction),
    ...(hasItems ? compareSchemas(before.items ?? {}, after.items ?? {}, direction, `${path}[]`) : []),
  ];
};

const compareLists = ({ before, after }: Pair, path: string, direction: Direction): Difference[] => {
  const { narrow, wide } = orderByWidth(direction, before, after);
  const [some, all] = [valuesOf(narrow), valuesOf(wide)];
  if (!all) return (some ?? []).some((value) => !satisfies(value, wide)) ? [{ path, what: 'has other values' }] : [];
  if (!some) return [{ path, what: direction === 'request' ? 'takes listed values only' : 'is no list of values now' }];
  const missing = some.filter((value) => !all.includes(value));
  if (missing.length === 0) return [];
  const words = direction === 'request' ? 'is no longer accepted' : 'is new';
  return [{ path, what: `${missing.map(formatValue).join(', ')} ${words}` }];
};

const satisfies = (value: unknown, schema: Plain): boolean => {
  if (typeof value === 'string') {
    const { length } = [...value];
    return (
      length >= (number(schema, 'minLength') ?? 0) &&
      length <= (number(schema, 'maxLength') ?? Infinity) &&
      (typeof schema.pattern !== 'string' || new RegExp(schema.pattern, 'u').test(value))
    );
  }
  if (typeof value !== 'number') return true;
  return value >= (number(schema, 'minimum') ?? -Infinity) && value <= (number(schema, 'maximum') ?? Infinity);
};

const number = (schema: Schema, keyword: string): number | undefined =>
  typeof schema[keyword] === 'number' ? schema[keyword] : undefined;

const bounds = ({ before, after }: Pair, path: string, direction: Direction): Difference[] => {
  const { narrow, wide } = orderByWidth<Schema>(direction, before, after);
  const values = valuesOf(narrow);
  if (values) return [];
  const looser = [
    ...LOWER_BOUNDS.filter((keyword) => (number(wide, keyword) ?? -Infinity) > (number(narrow, keyword) ?? -Infinity)),
    ...UPPER_BOUNDS.filter((keyword) => (number(wide, keyword) ?? Infinity) < (number(narrow, keyword) ?? Infinity)),
    ...COMPARED_BY_EQUALITY.filter((keyword) => wide[keyword] !== undefined && wide[keyword] !== narrow[keyword]),
  ];
  return looser.map((keyword) => ({
    path,
    what: `${keyword} was ${formatValue(before[keyword]) ?? 'not limited'} and is ${formatValue(after[keyword]) ?? 'not limited'}`,
  }));
};

const treatment = ({ before, after }: Pair, path: string, direction: Direction): Difference[] => {
  if (direction === 'answer') return [];
  return [
    ...(formatValue(before.default) === formatValue(after.default) ? [] : [{ path, what: 'has another default' }]),
    ...(after.readOnly && !before.readOnly ? [{ path, what: 'is ignored now' }] : []),
    ...NORMALISING.filter(
      (word) => before[word] !== undefined && formatValue(before[word]) !== formatValue(after[word]),
    ).map(() => ({
      path,
      what: 'is read otherwise',
    })),
  ];
};

const fields = ({ before, after }: Pair, path: string, direction: Direction): Difference[] => {
  const { narrow, wide } = orderByWidth(direction, before, after);
  const demanded = (wide.required ?? []).filter((name) => !(narrow.required ?? []).includes(name));
  const found: Difference[] = demanded
    .filter(
      (name) =>
        direction === 'request' ||
        getOwnMember(after.properties, name) !== undefined ||
        !getOwnMember(before.properties, name),
    )
    .map((name) => ({
      path: member(path, name),
      what: direction === 'request' ? 'is required now' : 'may be absent now',
    }));
  for (const [name, schema] of Object.entries(before.properties ?? {})) {
    const now = getOwnMember(after.properties, name);
    const other = now ?? (typeof after.additionalProperties === 'object' ? after.additionalProperties : undefined);
    if (other) found.push(...compareSchemas(schema, other, direction, member(path, name)));
    else found.push({ path: member(path, name), what: 'is gone' });
  }
  if (direction === 'request' && isClosed(after) && !isClosed(before))
    found.push({ path, what: 'no longer accepts other fields' });
  if (typeof before.additionalProperties === 'object' && typeof after.additionalProperties === 'object')
    found.push(
      ...compareSchemas(before.additionalProperties, after.additionalProperties, direction, member(path, '*')),
    );
  if (namesInMap(before) !== namesInMap(after)) found.push({ path, what: 'has a different pattern of field names' });
  return found;
};

const member = (path: string, name: string): string => `${path}.${name}`;

const isClosed = ({ additionalProperties }: Schema): boolean => additionalProperties === false;

/** What the names of a map's fields have to be; undefined if it is no map. */
const namesInMap = ({ additionalProperties, propertyNames = {} }: Schema): string | undefined =>
  typeof additionalProperties === 'object' ? formatValue(propertyNames) : undefined;
