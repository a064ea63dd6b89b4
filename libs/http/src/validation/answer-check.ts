import type { Answer, AnyOperation } from '../operation.ts';
import type { Validate, Validators } from './validators.ts';
import { describeViolations } from './violations.ts';

/**
 * Makes what holds an operation's answers to its declared schemas: throws an Error that names every difference. A
 * read-only look: the answer is checked as the client will see it.
 */
export const createAnswerCheck = ({ id, answers }: AnyOperation, validators: Validators) => {
  const compiled = new Map<number, Validate>();
  return ({ status, data }: Answer): void => {
    const schema = answers[status];
    if (!schema) throw new Error(`${id} answered ${status}, which it does not declare`);
    const validate = compiled.get(status) ?? validators.compile(schema);
    compiled.set(status, validate);
    const seen: unknown = data === undefined ? undefined : JSON.parse(JSON.stringify(data));
    const { found, more } = validate(seen);
    if (found.length > 0)
      throw new Error(`${id} answered ${status} otherwise than it declares: ${describeViolations(found, more)}`);
  };
};
