import type { Answer, AnyOperation } from '../operation.ts';
import type { Validate, Validators } from './validators.ts';
import { describeViolations } from './violations.ts';

/**
 * Creates the check of an operation's answers against its declared schemas: it throws an Error that names every
 * difference. It does not change the answer, and checks it as the client receives it.
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
      throw new Error(
        `${id} answered ${status} with a body that differs from its declaration: ${describeViolations(found, more)}`,
      );
  };
};
