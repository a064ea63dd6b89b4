import { type Code, Fault } from '@boxoffice/envelope';
import type { Static, TSchema } from 'typebox';
import type { Answer, AnyOperation } from '../operation.ts';
import { closed } from './body-schema.ts';
import { type Compile, createCompiler, type Validate } from './validators.ts';
import { describeViolations, type Violation } from './violations.ts';

/** The fault of a body: wrong types and absent members count before constraints. */
export const bodyFault = (violations: readonly Violation[], details: string): Fault => {
  const code: Code = violations.some(({ kind }) => kind !== 'constraint') ? 'bad_request' : 'validation_error';
  return new Fault(code, details);
};

/**
 * Creates the check of a value that a handler composed, such as the result of a merge patch: returns it, its texts
 * normalised, or throws Fault `validation_error` that names every violation by its path.
 */
export const createCheck = <Schema extends TSchema>(schema: Schema): ((value: unknown) => Static<Schema>) => {
  const validate = createCompiler()(JSON.parse(JSON.stringify(schema)));
  return (value) => {
    const { found, more } = validate(value);
    if (found.length > 0) throw new Fault('validation_error', describeViolations(found, more));
    return value as Static<Schema>;
  };
};

/** Creates the check of one item of a body, for an operation that `checksItems`; undefined if it is well-formed. */
export const createItemCheck = (schema: TSchema): ((item: unknown) => Fault | undefined) => {
  const validate = createCompiler()(closed(JSON.parse(JSON.stringify(schema))));
  return (item) => {
    const { found, more } = validate(item);
    return found.length > 0 ? bodyFault(found, describeViolations(found, more)) : undefined;
  };
};

/**
 * Creates the check of an operation's answers against its declared schemas: it throws an Error that names every
 * difference. It does not change the answer, and checks it as the client receives it.
 */
export const createAnswerCheck = ({ id, answers }: AnyOperation, compile: Compile) => {
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
};
