import { Fault } from '@boxoffice/envelope';
import type { TSchema } from 'typebox';
import { createValidators } from './validators.ts';
import { describeViolations } from './violations.ts';

/**
 * Creates the check of a value that a handler composed, such as the result of a merge patch: throws Fault
 * `validation_error` that names every violation by its path.
 */
export const createCheck = (schema: TSchema): ((value: unknown) => void) => {
  const validate = createValidators().compile(JSON.parse(JSON.stringify(schema)));
  return (value) => {
    const { found, more } = validate(value);
    if (found.length > 0) throw new Fault('validation_error', describeViolations(found, more));
  };
};
