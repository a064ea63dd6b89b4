import type { createAjv, ValidateFunction } from './ajv.ts';
import { violationsOf } from './choices.ts';
import type { Answer, AnyOperation } from './operation.ts';
import { told } from './violations.ts';

/**
 * Makes what holds an operation's answers to its declared schemas: throws an Error that names every difference. A read-only look: the
 * answer is checked as the client will see it.
 */
export const createAnswerCheck = ({ id, answers }: AnyOperation, ajv: ReturnType<typeof createAjv>) => {
  const compiled = new Map<number, ValidateFunction>();
  return ({ status, data }: Answer): void => {
    const schema = answers[status];
    if (!schema) throw new Error(`${id} answered ${status}, which it does not declare`);
    const holds = compiled.get(status) ?? ajv.compile(schema);
    compiled.set(status, holds);
    const seen: unknown = data === undefined ? undefined : JSON.parse(JSON.stringify(data));
    if (!holds(seen))
      throw new Error(`${id} answered ${status} otherwise than it declares: ${told(violationsOf(holds.errors ?? []))}`);
  };
};
