import type { IncomingMessage } from 'node:http';
import { type Code, Fault } from '@boxoffice/envelope';
import { type TProperties, type TSchema, Type } from 'typebox';
import type { AnyOperation } from '../operation.ts';
import { TAKES_BODY } from '../shape.ts';
import { allowAnyItems, createBodySchema, type Json } from '../validation/body-schema.ts';
import { type Compile, createBodyFault, type Validate } from '../validation/validators.ts';
import { describeViolations, MAX_NAMED, type Violation } from '../validation/violations.ts';
import { parseForm, parseJsonObject } from './body.ts';
import { compileReadOnly, type RequireUnchanged } from './read-only.ts';

type Coerce = (text: string) => unknown;

const INTEGER = /^-?(0|[1-9]\d{0,15})$/;
const NUMBER = /^-?(0|[1-9]\d{0,15})(\.\d{1,15})?$/;

/** A text that is not a literal of its type stays a text, which the schema then refuses. */
const coercions: Readonly<Record<string, Coerce>> = {
  integer: (text) => (INTEGER.test(text) ? Number(text) : text),
  number: (text) => (NUMBER.test(text) ? Number(text) : text),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : text),
};

const NONE: readonly string[] = [];

/** The number of unknown or repeated names that are collected: one more than a fault names. */
const MAX_NAMES = MAX_NAMED + 1;

/** Keywords that no value violates. */
const ALWAYS_TRUE: ReadonlySet<string> = new Set(['type', 'description', 'default', 'examples']);

interface Form {
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
  readonly requireUnchanged: RequireUnchanged;
}

type ReadForm = (
  request: IncomingMessage,
  params: Readonly<Record<string, string>>,
  search: string,
  body: Buffer,
) => Form;

interface FormRules {
  readonly compile: Compile;
  readonly unknownQuery: 'refuse' | 'ignore';
  readonly operations: readonly AnyOperation[];
}

/** Throws one Fault that names every violation. */
export function compileForm(operation: AnyOperation, { compile, unknownQuery, operations }: FormRules): ReadForm {
  const { params = {}, query = {}, body, form, raw: isRaw = false, checksItems } = operation;
  const pathCoercions = coercionsOf(params);
  const queryCoercions = coercionsOf(query);
  const lenient = lenientIn(query);
  const checkPath = compiledUnlessEmpty(compile, withoutPatterns(params));
  const checkQuery = compiledUnlessEmpty(compile, query);
  const takesBody = TAKES_BODY.has(operation.method);
  const schema = form && body ? (JSON.parse(JSON.stringify(body)) as Json) : createBodySchema(operation);
  const checkBody = compile(checksItems ? allowAnyItems(schema) : schema);
  const takeReadOnly = compileReadOnly(operation, schema, operations);
  const inForm = nameViolation('form field');
  const inQuery = nameViolation('query parameter');
  const inPath = nameViolation('path parameter');

  const queryOf = (search: string): { values: Record<string, unknown>; wrong: Violation[] } => {
    const { values, unknown, repeated } = readQuery(search, queryCoercions);
    const wrong = [...(checkQuery?.(values).found ?? [])];
    const refuse = (names: readonly string[], message: string) => {
      for (const name of names) wrong.push({ path: name.slice(0, 64), message, kind: 'constraint' });
    };
    refuse(
      repeated.filter((name) => !lenient.has(name)),
      'is repeated',
    );
    if (unknownQuery === 'refuse') refuse(unknown, 'is not a known parameter');
    return { values, wrong: wrong.map(inQuery) };
  };

  const bodyOf = (request: IncomingMessage, raw: Buffer): unknown => {
    if (raw.length > 0) return form ? parseForm(request, raw) : parseJsonObject(request, raw);
    // A PUT without a body is not taken for an empty one, which would delete the members that exist.
    if (operation.method === 'put' && body) throw new Fault('bad_request', 'The request has no body.');
    return {};
  };

  return (request, pathParams, search, raw) => {
    const path = readPath(pathParams, pathCoercions);
    const { values, wrong } = queryOf(search);
    const parameters = [...(checkPath?.(path).found ?? []).map(inPath), ...wrong];
    if (!takesBody || isRaw) {
      if (parameters.length > 0) throw parameterFault(parameters, describeViolations(parameters));
      return { params: path, query: values, body: isRaw ? raw : undefined, requireUnchanged: nothingTaken };
    }
    const value = bodyOf(request, raw);
    const { found, more } = checkBody(value);
    if (form) parameters.push(...found.map(inForm));
    const details = () => describeViolations(form ? parameters : [...parameters, ...found], more);
    if (parameters.length > 0) throw parameterFault(parameters, details());
    if (found.length > 0) throw createBodyFault(found, details());
    const requireUnchanged = takeReadOnly(value);
    return { params: path, query: values, body: body ? value : undefined, requireUnchanged };
  };
}

/** @throws on a type that no parameter can have */
const coercionsOf = (declared: TProperties): ReadonlyMap<string, Coerce> =>
  new Map(
    Object.entries(declared).map(([name, schema]) => {
      const { type } = schema as Json;
      if (type === 'array' || type === 'object') throw new Error(`parameter ${name}: no parameter can be an ${type}`);
      return [name, coercions[String(type)] ?? asText];
    }),
  );

const asText: Coerce = (text) => text;

/** Parameters that any text satisfies: a repeated one is not refused either, and its first value counts. */
const lenientIn = (declared: TProperties): ReadonlySet<string> =>
  new Set(
    Object.entries(declared)
      .filter(
        ([, schema]) => (schema as Json).type === 'string' && Object.keys(schema).every((key) => ALWAYS_TRUE.has(key)),
      )
      .map(([name]) => name),
  );

const compiledUnlessEmpty = (compile: Compile, properties: TProperties): Validate | undefined =>
  Object.keys(properties).length > 0 ? compile(Type.Object(properties)) : undefined;

/** The parameters of a path without their patterns: a value that does not match names no resource, which is 404. */
const withoutPatterns = (params: TProperties): TProperties =>
  Object.fromEntries(
    Object.entries(params).map(([name, schema]) => {
      const { pattern: _, ...rest } = schema as TSchema & { readonly pattern?: string };
      return [name, rest];
    }),
  );

/** A parameter is named, not placed in a document: `$.limit` is `limit`. */
const nameViolation =
  (what: string) =>
  ({ path, ...rest }: Violation): Violation => ({ path: `${what} ${path.replace(/^\$\.?/, '')}`, ...rest });

const readQuery = (search: string, declared: ReadonlyMap<string, Coerce>) => {
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

const remember = (names: Set<string>, name: string): void => {
  if (names.size < MAX_NAMES) names.add(name);
};

const readPath = (
  params: Readonly<Record<string, string>>,
  declared: ReadonlyMap<string, Coerce>,
): Record<string, unknown> => {
  const values: Record<string, unknown> = {};
  for (const [name, coerce] of declared) values[name] = coerce(params[name] ?? '');
  return values;
};

/** The earliest kind of violation decides the code: absent members, then wrong types, then constraints. */
const parameterFault = (violations: readonly Violation[], details: string): Fault => {
  const code: Code = violations.some(({ kind }) => kind === 'absent') ? 'missing_parameter' : 'invalid_parameter';
  return new Fault(code, details);
};

const nothingTaken: RequireUnchanged = () => {};
