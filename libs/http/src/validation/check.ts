import { type Code, Fault } from '@boxoffice/envelope';
import type { Static, TSchema } from 'typebox';
import { closed } from './body-schema.ts';
import { createValidators } from './validators.ts';
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
  const validate = createValidators().compile(JSON.parse(JSON.stringify(schema)));
  return (value) => {
    const { found, more } = validate(value);
    if (found.length > 0) throw new Fault('validation_error', describeViolations(found, more));
    return value as Static<Schema>;
  };
};

/** Creates the check of one item of a body, for an operation that `checksItems`; undefined if it is well-formed. */
export const createItemCheck = (schema: TSchema): ((item: unknown) => Fault | undefined) => {
  const validate = createValidators().compile(closed(JSON.parse(JSON.stringify(schema))));
  return (item) => {
    const { found, more } = validate(item);
    return found.length > 0 ? bodyFault(found, describeViolations(found, more)) : undefined;
  };
};
