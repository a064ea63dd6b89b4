import type { Schema } from '@boxoffice/codegen';
import {
  alternatives,
  COMPARED_BY_EQUALITY,
  LOWER_BOUNDS,
  NORMALISING,
  type Plain,
  type Resolve,
  UPPER_BOUNDS,
  valuesOf,
} from './alternatives.ts';

/**
 * The direction of values. `request`: accepted values must stay accepted. `answer`: returned values must have been
 * possible before; new members are harmless, since readers ignore unknown ones.
 */
export type Direction = 'request' | 'answer';

/** A schema and the resolver of its references. */
export interface Side {
  readonly schema: Schema;
  readonly resolve: Resolve;
}

/** A difference at one path of a value. */
export interface Difference {
  /** `$.data.lines[].amount` */
  readonly path: string;
  readonly what: string;
}

interface Pair {
  readonly before: Plain;
  readonly after: Plain;
}

interface Surroundings {
  readonly direction: Direction;
  readonly resolveBefore: Resolve;
  readonly resolveAfter: Resolve;
}

const shown = (value: unknown): string => JSON.stringify(value);

const number = (schema: Schema, keyword: string): number | undefined =>
  typeof schema[keyword] === 'number' ? schema[keyword] : undefined;

/** The schema whose values must all be values of the other. */
const ordered = <Value>(direction: Direction, before: Value, after: Value) =>
  direction === 'request' ? { narrow: before, wide: after } : { narrow: after, wide: before };

const bounds = ({ before, after }: Pair, path: string, direction: Direction): Difference[] => {
  const { narrow, wide } = ordered<Schema>(direction, before, after);
  const values = valuesOf(narrow);
  if (values) return [];
  const looser = [
    ...LOWER_BOUNDS.filter((keyword) => (number(wide, keyword) ?? -Infinity) > (number(narrow, keyword) ?? -Infinity)),
    ...UPPER_BOUNDS.filter((keyword) => (number(wide, keyword) ?? Infinity) < (number(narrow, keyword) ?? Infinity)),
    ...COMPARED_BY_EQUALITY.filter((keyword) => wide[keyword] !== undefined && wide[keyword] !== narrow[keyword]),
  ];
  return looser.map((keyword) => ({
    path,
    what: `${keyword} was ${shown(before[keyword]) ?? 'not limited'} and is ${shown(after[keyword]) ?? 'not limited'}`,
  }));
};

/** Whether a listed value satisfies a schema's constraints on its type. */
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

const listed = ({ before, after }: Pair, path: string, direction: Direction): Difference[] => {
  const { narrow, wide } = ordered(direction, before, after);
  const [some, all] = [valuesOf(narrow), valuesOf(wide)];
  if (!all) return (some ?? []).some((value) => !satisfies(value, wide)) ? [{ path, what: 'has other values' }] : [];
  if (!some) return [{ path, what: direction === 'request' ? 'takes listed values only' : 'is no list of values now' }];
  const missing = some.filter((value) => !all.includes(value));
  if (missing.length === 0) return [];
  const words = direction === 'request' ? 'is no longer accepted' : 'is new';
  return [{ path, what: `${missing.map(shown).join(', ')} ${words}` }];
};

const isClosed = ({ additionalProperties }: Schema): boolean => additionalProperties === false;

/** What the names of a map's fields have to be; undefined if it is no map. */
const namesInMap = ({ additionalProperties, propertyNames = {} }: Schema): string | undefined =>
  typeof additionalProperties === 'object' ? shown(propertyNames) : undefined;

const member = (path: string, name: string): string => `${path}.${name}`;

const fields = (pair: Pair, path: string, its: Surroundings): Difference[] => {
  const { before, after } = pair;
  const { direction } = its;
  const { narrow, wide } = ordered(direction, before, after);
  const demanded = (wide.required ?? []).filter((name) => !(narrow.required ?? []).includes(name));
  const found: Difference[] = demanded
    .filter((name) => direction === 'request' || after.properties?.[name] !== undefined || !before.properties?.[name])
    .map((name) => ({
      path: member(path, name),
      what: direction === 'request' ? 'is required now' : 'may be absent now',
    }));
  for (const [name, schema] of Object.entries(before.properties ?? {})) {
    const now = after.properties?.[name];
    const other = now ?? (typeof after.additionalProperties === 'object' ? after.additionalProperties : undefined);
    if (other) found.push(...differences(schema, other, member(path, name), its));
    else found.push({ path: member(path, name), what: 'is gone' });
  }
  if (direction === 'request' && isClosed(after) && !isClosed(before))
    found.push({ path, what: 'no longer accepts other fields' });
  if (typeof before.additionalProperties === 'object' && typeof after.additionalProperties === 'object')
    found.push(...differences(before.additionalProperties, after.additionalProperties, member(path, '*'), its));
  if (namesInMap(before) !== namesInMap(after)) found.push({ path, what: 'has a different pattern of field names' });
  return found;
};

const treatment = ({ before, after }: Pair, path: string, direction: Direction): Difference[] => {
  if (direction === 'answer') return [];
  return [
    ...(shown(before.default) === shown(after.default) ? [] : [{ path, what: 'has another default' }]),
    ...(after.readOnly && !before.readOnly ? [{ path, what: 'is ignored now' }] : []),
    ...NORMALISING.filter((word) => before[word] !== undefined && shown(before[word]) !== shown(after[word])).map(
      () => ({
        path,
        what: 'is read otherwise',
      }),
    ),
  ];
};

const plainDifferences = (pair: Pair, path: string, its: Surroundings): Difference[] => {
  const { before, after } = pair;
  const { narrow, wide } = ordered(its.direction, before, after);
  const fits =
    wide.type === 'any' || wide.type === narrow.type || (wide.type === 'number' && narrow.type === 'integer');
  if (!fits) return [{ path, what: `was of type ${before.type} and is of type ${after.type}` }];
  const items = narrow.items || wide.items ? differences(before.items ?? {}, after.items ?? {}, `${path}[]`, its) : [];
  return [
    ...listed(pair, path, its.direction),
    ...bounds(pair, path, its.direction),
    ...treatment(pair, path, its.direction),
    ...fields(pair, path, its),
    ...items,
  ];
};

/** The differences between the most similar choices. */
const differences = (before: Schema, after: Schema, path: string, its: Surroundings): Difference[] => {
  // A shortcut for the largest part of any description: equal schemas without references.
  const words = shown(before);
  if (words === shown(after) && !words.includes('"$ref"')) return [];
  const [earlier, later] = [alternatives(before, its.resolveBefore), alternatives(after, its.resolveAfter)];
  const { narrow, wide } = ordered(its.direction, earlier, later);
  const found = narrow.flatMap((one) => {
    const same = wide.filter(({ type }) => type === one.type || type === 'any');
    const others = same.length > 0 ? same : wide.filter(({ type }) => type === 'number' && one.type === 'integer');
    if (others.length === 0 && narrow.length > 1) {
      const words = its.direction === 'request' ? 'is no longer accepted' : 'is new';
      return [{ path, what: `${one.type} ${words}` }];
    }
    const candidates = (others.length > 0 ? others : wide).map((other) => {
      const [was, is] = its.direction === 'request' ? [one, other] : [other, one];
      return plainDifferences({ before: was, after: is }, path, its);
    });
    return candidates.reduce((best, next) => (next.length < best.length ? next : best));
  });
  return [...new Map(found.map((one) => [`${one.path} ${one.what}`, one])).values()];
};

/**
 * The changes of a value's schema that may break a client of the earlier one.
 * @throws {Error} on an unknown keyword, whose effect is unknown
 */
export const compareSchemas = (before: Side, after: Side, direction: Direction, path = '$'): Difference[] =>
  differences(before.schema, after.schema, path, {
    direction,
    resolveBefore: before.resolve,
    resolveAfter: after.resolve,
  });
