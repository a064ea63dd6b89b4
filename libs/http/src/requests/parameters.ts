import type { TProperties } from 'typebox';
import type { Json } from '../validation/body-schema.ts';
import { MAX_NAMED } from '../validation/violations.ts';

type Coerce = (text: string) => unknown;

const INTEGER = /^-?(0|[1-9]\d{0,15})$/;
const NUMBER = /^-?(0|[1-9]\d{0,15})(\.\d{1,15})?$/;

/** What is not written as its type stays a text, which the schema then refuses. */
const coercions: Readonly<Record<string, Coerce>> = {
  integer: (text) => (INTEGER.test(text) ? Number(text) : text),
  number: (text) => (NUMBER.test(text) ? Number(text) : text),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : text),
};

const asText: Coerce = (text) => text;

/** How each declared parameter becomes a value of its schema's type. @throws on a type that no parameter can have. */
export const coercionsOf = (declared: TProperties): ReadonlyMap<string, Coerce> =>
  new Map(
    Object.entries(declared).map(([name, schema]) => {
      const { type } = schema as Json;
      if (type === 'array' || type === 'object') throw new Error(`parameter ${name}: no parameter can be an ${type}`);
      return [name, coercions[String(type)] ?? asText];
    }),
  );

/** Parameters as they came: each declared one coerced, and the names of those that are undeclared or stand twice. */
export interface Coerced {
  readonly values: Record<string, unknown>;
  readonly unknown: readonly string[];
  readonly repeated: readonly string[];
}

const NONE: readonly string[] = [];

/** So many names that are unknown, or stand twice, are remembered: one more than are named in a fault. */
const MAX_NAMES = MAX_NAMED + 1;

const remember = (names: Set<string>, name: string): void => {
  if (names.size < MAX_NAMES) names.add(name);
};

/** Reads a query string (without its question mark). */
export const readQuery = (search: string, declared: ReadonlyMap<string, Coerce>): Coerced => {
  const values: Record<string, unknown> = {};
  if (search === '') return { values, unknown: NONE, repeated: NONE };
  const unknown = new Set<string>();
  const repeated = new Set<string>();
  for (const [name, text] of new URLSearchParams(search)) {
    const coerce = declared.get(name);
    if (!coerce) remember(unknown, name);
    else if (Object.hasOwn(values, name)) remember(repeated, name);
    else values[name] = coerce(text);
  }
  return { values, unknown: [...unknown], repeated: [...repeated] };
};

/** What a schema may say without anything being wrong with a value. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['type', 'description', 'default', 'examples']);

/**
 * The declared parameters that no text is wrong for: they are not wrong when they stand twice, either; the first one
 * counts.
 */
export const lenientIn = (declared: TProperties): ReadonlySet<string> =>
  new Set(
    Object.entries(declared)
      .filter(
        ([, schema]) => (schema as Json).type === 'string' && Object.keys(schema).every((key) => SAYS_NOTHING.has(key)),
      )
      .map(([name]) => name),
  );

/** Reads the values that the router found in the path. */
export const readPath = (
  params: Readonly<Record<string, string>>,
  declared: ReadonlyMap<string, Coerce>,
): Record<string, unknown> => {
  const values: Record<string, unknown> = {};
  for (const [name, coerce] of declared) values[name] = coerce(params[name] ?? '');
  return values;
};
