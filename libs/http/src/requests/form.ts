// Reads requests: path, query and body in their declared types, limits, read-only members, merge patches.

import type { IncomingMessage } from 'node:http';
import { type Code, Fault } from '@boxoffice/envelope';
import { type TProperties, type TSchema, Type } from 'typebox';
import type { AnyOperation } from '../operation.ts';
import { TAKES_BODY } from '../shape.ts';
import { bodySchema, type Json, withAnyItems } from '../validation/body-schema.ts';
import { bodyFault } from '../validation/check.ts';
import type { Compile, Validate } from '../validation/validators.ts';
import { describeViolations, type Violation } from '../validation/violations.ts';
import { formOf, jsonObjectOf } from './body.ts';
import { coercionsOf, lenientIn, readPath, readQuery } from './parameters.ts';
import { compileReadOnly, type Unchanged } from './read-only.ts';

/** The three typed parts of a request. */
export interface Form {
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
  readonly unchanged: Unchanged;
}

type ReadForm = (
  request: IncomingMessage,
  params: Readonly<Record<string, string>>,
  search: string,
  body: Buffer,
) => Form;

interface FormRules {
  readonly compile: Compile;
  /** Whether a query parameter that the operation does not declare is refused. */
  readonly unknownQuery: 'refuse' | 'ignore';
  /** All of the app's. */
  readonly operations: readonly AnyOperation[];
}

/** The check of a body without read-only members. */
const nothingTaken: Unchanged = () => {};

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
const named =
  (what: string) =>
  ({ path, ...rest }: Violation): Violation => ({ path: `${what} ${path.replace(/^\$\.?/, '')}`, ...rest });

/** The earliest kind of violation decides the code: absent members, then wrong types, then constraints. */
const parameterFault = (violations: readonly Violation[], details: string): Fault => {
  const code: Code = violations.some(({ kind }) => kind === 'absent') ? 'missing_parameter' : 'invalid_parameter';
  return new Fault(code, details);
};

/** Compiles the conversion of a request to its typed parts. It throws one Fault that names every violation. */
export const compileForm = (operation: AnyOperation, { compile, unknownQuery, operations }: FormRules): ReadForm => {
  const { params = {}, query = {}, body, form, checksItems } = operation;
  const pathCoercions = coercionsOf(params);
  const queryCoercions = coercionsOf(query);
  const lenient = lenientIn(query);
  const checkPath = compiledUnlessEmpty(compile, withoutPatterns(params));
  const checkQuery = compiledUnlessEmpty(compile, query);
  const takesBody = TAKES_BODY.has(operation.method);
  const schema = form && body ? (JSON.parse(JSON.stringify(body)) as Json) : bodySchema(operation);
  const checkBody = compile(checksItems ? withAnyItems(schema) : schema);
  const takeReadOnly = compileReadOnly(operation, schema, operations);
  const inForm = named('form field');
  const inQuery = named('query parameter');
  const inPath = named('path parameter');

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
    if (raw.length > 0) return form ? formOf(request, raw) : jsonObjectOf(request, raw);
    // A PUT without a body is not taken for an empty one, which would delete the members that exist.
    if (operation.method === 'put' && body) throw new Fault('bad_request', 'The request has no body.');
    return {};
  };

  return (request, pathParams, search, raw) => {
    const path = readPath(pathParams, pathCoercions);
    const { values, wrong } = queryOf(search);
    const parameters = [...(checkPath?.(path).found ?? []).map(inPath), ...wrong];
    if (!takesBody) {
      if (parameters.length > 0) throw parameterFault(parameters, describeViolations(parameters));
      return { params: path, query: values, body: undefined, unchanged: nothingTaken };
    }
    const value = bodyOf(request, raw);
    const { found, more } = checkBody(value);
    if (form) parameters.push(...found.map(inForm));
    const details = () => describeViolations(form ? parameters : [...parameters, ...found], more);
    if (parameters.length > 0) throw parameterFault(parameters, details());
    if (found.length > 0) throw bodyFault(found, details());
    const unchanged = takeReadOnly(value);
    return { params: path, query: values, body: body ? value : undefined, unchanged };
  };
};
