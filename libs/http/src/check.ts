import { Fault } from '@boxoffice/envelope';
import type { TSchema } from 'typebox';
import { createAjv } from './ajv.ts';
import { violationsOf } from './choices.ts';
import { told } from './violations.ts';

/**
 * Makes the check of a value that a handler put together, such as the result of a merge patch: throws Fault `validation_error` that
 * names every violation by its path.
 */
export const createCheck = (schema: TSchema): ((value: unknown) => void) => {
  const holds = createAjv().compile(JSON.parse(JSON.stringify(schema)));
  return (value) => {
    if (!holds(value)) throw new Fault('validation_error', told(violationsOf(holds.errors ?? [])));
  };
};
