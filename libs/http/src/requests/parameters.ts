import type { TProperties } from 'typebox';
import type { Json } from '../validation/body-schema.ts';
import { MAX_NAMED } from '../validation/violations.ts';

type Coerce = (text: string) => unknown;

const INTEGER = /^-?(0|[1-9]\d{0,15})$/;
const NUMBER = /^-?(0|[1-9]\d{0,15})(\.\d{1,15})?$/;

/** A text that is not a literal of its type stays a text, which the schema then refuses. */
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

/** Coerced parameters, and the names of those that are undeclared or repeated. */
interface Coerced {
  readonly values: Record<string, unknown>;
  readonly unknown: readonly string[];
  readonly repeated: readonly string[];
}

const NONE: readonly string[] = [];

/** The number of unknown or repeated names that are collected: one more than a fault names. */
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

/** Keywords that no value violates. */
const ALWAYS_TRUE: ReadonlySet<string> = new Set(['type', 'description', 'default', 'examples']);

/**
 * The declared parameters that any text satisfies: a repeated one is not refused either, and its first value counts.
 */
export const lenientIn = (declared: TProperties): ReadonlySet<string> =>
  new Set(
    Object.entries(declared)
      .filter(
        ([, schema]) => (schema as Json).type === 'string' && Object.keys(schema).every((key) => ALWAYS_TRUE.has(key)),
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
