import { hash } from 'node:crypto';
import { type Code, Fault } from '@boxoffice/envelope';
import type { Static, TSchema } from 'typebox';
import type { Answer, AnyOperation } from '../operation.ts';
import { type AjvOptions, createAjv, ENOUGH, type ErrorObject, NORMALISE, type ValidateFunction } from './ajv.ts';
import { closeSchema, type Json, mapSchemas } from './body-schema.ts';
import { describeViolations, listViolations, type Violation } from './violations.ts';

interface Violations {
  readonly found: readonly Violation[];
  /** Whether the search ended before the end of the value: there may be more violations. */
  readonly more: boolean;
}

export type Validate = (value: unknown) => Violations;

export type Compile = (schema: object) => Validate;

/** The search for violations ends before the item or member after the one that reaches this number of errors. */
export const MAX_ERRORS = 300;

/** Uniqueness and patterns are expensive, and irrelevant once a list or text is refused for its length. */
const LONG_LIST = 1_000;
const LONG_TEXT = 4_096;

const NOTHING: Violations = { found: [], more: false };

type Change = (schema: Json) => Json;

/** Compiles each schema once in a process, however many apps and checks have it. */
const createShared = (options: AjvOptions): ((schema: object) => ValidateFunction) => {
  let ajv: ReturnType<typeof createAjv> | undefined;
  const known = new Map<string, ValidateFunction>();
  return (schema) => {
    const key = hash('sha256', JSON.stringify(schema));
    ajv ??= createAjv(options);
    const compiled = known.get(key) ?? ajv.compile(schema);
    known.set(key, compiled);
    return compiled;
  };
};

const createPair = (options: AjvOptions) => ({
  first: createShared(options),
  all: createShared({ ...options, allErrors: true }),
});
const plain = createPair({});
const proving = createPair({ proving: true });

/** Validates up to the first error; a refused value again, to name up to `MAX_ERRORS`. Compiles at the first use. */
export function createCompiler(options: Pick<AjvOptions, 'proving'> = {}): Compile {
  const { first, all } = options.proving ? proving : plain;
  return (schema) => {
    let holds: ValidateFunction | undefined;
    let collect: ValidateFunction | undefined;
    return (value) => {
      holds ??= first(schema);
      if (holds(value)) return NOTHING;
      collect ??= all(collecting(JSON.parse(JSON.stringify(schema))));
      collect(value);
      const errors: readonly ErrorObject[] = collect.errors ?? holds.errors ?? [];
      return { found: listViolations(errors), more: errors.length > MAX_ERRORS };
    };
  };
}

/** An equivalent schema for collecting errors: the work is bounded, however many there are. */
const collecting: Change = (schema) => {
  const { properties, patternProperties, items, allOf, anyOf, oneOf } = schema;
  const inner: Json = {
    ...schema,
    ...(properties && { properties: mapSchemas(properties, collecting) }),
    ...(patternProperties && { patternProperties: mapSchemas(patternProperties, limitErrors) }),
    ...(items && { items: limitErrors(items) }),
    ...(allOf && { allOf: allOf.map(collecting) }),
    ...(anyOf && { anyOf: anyOf.map(collecting) }),
    ...(oneOf && { oneOf: oneOf.map(collecting) }),
    ...others(schema, 'additionalProperties'),
    ...others(schema, 'unevaluatedProperties'),
  };
  const lists = whereShort(inner, ['uniqueItems'], 'maxItems', LONG_LIST);
  // What a normalised text must match takes linear time, and must follow the normalising within one schema.
  return schema[NORMALISE] === undefined ? whereShort(lists, ['pattern', 'format'], 'maxLength', LONG_TEXT) : lists;
};

/** Keywords whose schema is checked once per item or member: the search can end between two of them. */
const limitErrors: Change = (schema) => ({ ...collecting(schema), [ENOUGH]: MAX_ERRORS });

/** The schema of members that the schema does not declare; `false` would collect an error for each of them. */
const others = (schema: Json, keyword: 'additionalProperties' | 'unevaluatedProperties'): Json => {
  const { [keyword]: other } = schema;
  if (other === false) return { [keyword]: { not: {}, [ENOUGH]: MAX_ERRORS } };
  return typeof other === 'object' ? { [keyword]: limitErrors(other) } : {};
};

/** Applies these keywords only to a value that is not much longer than the schema allows. */
const whereShort = (
  schema: Json,
  keywords: readonly string[],
  length: 'maxItems' | 'maxLength',
  long: number,
): Json => {
  const { [length]: most } = schema;
  const held = pick(schema, keywords);
  if (typeof most !== 'number' || Object.keys(held).length === 0) return schema;
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  const rule: Json = { if: { [length]: Math.max(most, long) }, then: held };
  return { ...without(schema, keywords), allOf: [...(schema.allOf ?? []), rule] };
};

const pick = (schema: Json, keywords: readonly string[]): Json =>
  Object.fromEntries(keywords.filter((keyword) => schema[keyword] !== undefined).map((name) => [name, schema[name]]));

const without = (schema: Json, keywords: readonly string[]): Json =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !keywords.includes(name)));

/** The fault of a body: wrong types and absent members count before constraints. */
export function createBodyFault(violations: readonly Violation[], details: string): Fault {
  const code: Code = violations.some(({ kind }) => kind !== 'constraint') ? 'bad_request' : 'validation_error';
  return new Fault(code, details);
}

/** Returns the value, its texts normalised. @throws Fault `validation_error` that names every violation by its path */
export function createCheck<Schema extends TSchema>(schema: Schema): (value: unknown) => Static<Schema> {
  const validate = createCompiler()(JSON.parse(JSON.stringify(schema)));
  return (value) => {
    const { found, more } = validate(value);
    if (found.length > 0) throw new Fault('validation_error', describeViolations(found, more));
    return value as Static<Schema>;
  };
}

/** Undefined if it is well-formed. */
export function createItemCheck(schema: TSchema): (item: unknown) => Fault | undefined {
  const validate = createCompiler()(closeSchema(JSON.parse(JSON.stringify(schema))));
  return (item) => {
    const { found, more } = validate(item);
    return found.length > 0 ? createBodyFault(found, describeViolations(found, more)) : undefined;
  };
}

/** Throws an Error that names every difference. Checks the answer as the client receives it, and does not change it. */
export function createAnswerCheck({ id, answers }: AnyOperation, compile: Compile) {
  const compiled = new Map<number, Validate>();
  return ({ status, data }: Answer): void => {
    const schema = answers[status];
    if (!schema) throw new Error(`${id} answered ${status}, which it does not declare`);
    const validate = compiled.get(status) ?? compile(schema);
    compiled.set(status, validate);
    const seen: unknown = data === undefined ? undefined : JSON.parse(JSON.stringify(data));
    const { found, more } = validate(seen);
    if (found.length > 0)
      throw new Error(
        `${id} answered ${status} with a body that differs from its declaration: ${describeViolations(found, more)}`,
      );
  };
}
