import type { Schema } from '@boxoffice/codegen';
import {
  alternatives,
  COMPARED_BY_EQUALITY,
  LOWER_BOUNDS,
  NORMALISING,
  type Plain,
  UPPER_BOUNDS,
  valuesOf,
} from './alternatives.ts';

/**
 * The direction of values. `request`: accepted values must stay accepted. `answer`: returned values must have been
 * possible before; new members are harmless, since readers ignore unknown ones.
 */
export type Direction = 'request' | 'answer';

/** A difference at one path of a value. */
interface Difference {
  /** `$.data.lines[].amount` */
  readonly path: string;
  readonly what: string;
}

interface Pair {
  readonly before: Plain;
  readonly after: Plain;
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

const fields = ({ before, after }: Pair, path: string, direction: Direction): Difference[] => {
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

const plainDifferences = (pair: Pair, path: string, direction: Direction): Difference[] => {
  const { before, after } = pair;
  const { narrow, wide } = ordered(direction, before, after);
  const fits =
    wide.type === 'any' || wide.type === narrow.type || (wide.type === 'number' && narrow.type === 'integer');
  if (!fits) return [{ path, what: `was of type ${before.type} and is of type ${after.type}` }];
  const hasItems = narrow.items || wide.items;
  return [
    ...listed(pair, path, direction),
    ...bounds(pair, path, direction),
    ...treatment(pair, path, direction),
    ...fields(pair, path, direction),
    ...(hasItems ? compareSchemas(before.items ?? {}, after.items ?? {}, direction, `${path}[]`) : []),
  ];
};

/**
 * The changes of a value's schema, which has no references, that may break a client of the earlier one: the differences
 * between the most similar choices.
 * @throws {Error} on an unknown keyword, whose effect is unknown
 */
export const compareSchemas = (before: Schema, after: Schema, direction: Direction, path = '$'): Difference[] => {
  // A shortcut for the largest part of any description.
  if (shown(before) === shown(after)) return [];
  const { narrow, wide } = ordered(direction, alternatives(before), alternatives(after));
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
};
