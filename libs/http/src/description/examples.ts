import type { Code } from '@boxoffice/envelope';
import { Type } from 'typebox';
import { type Family, familyA } from '../families/family.ts';
import type { AnyOperation } from '../operation.ts';
import { createBodySchema } from '../validation/body-schema.ts';
import { createCompiler } from '../validation/validators.ts';
import { describeViolations } from '../validation/violations.ts';
import {
  createAnswerExample,
  createAnswerSchema,
  createErrorExample,
  createErrorSchema,
  createFailureExample,
  createFailureSchema,
  findErrorDataSchema,
  listCodes,
} from './responses.ts';

/** One sentence per missing example and per one that its own schema refuses. For tests. */
export function findExampleFaults(operations: readonly AnyOperation[], family: Family = familyA): string[] {
  const compile = createCompiler({ proving: true });
  const faults: string[] = [];
  const { Failure: envelope = {} } = family.wording.components().schemas;

  const check = (what: string, schema: object, example: unknown): void => {
    if (example === undefined) {
      faults.push(`${what}: it is missing`);
      return;
    }
    try {
      // A copy: normalising keywords change the value they check.
      const { found } = compile(schema)(structuredClone(example));
      if (found.length > 0) faults.push(`${what}: ${describeViolations(found)}`);
    } catch (error) {
      faults.push(`${what}: ${error instanceof Error ? error.message : error}`);
    }
  };

  for (const operation of operations) {
    const { id, params, query, body, answers, errorData = {}, example } = operation;
    if (params) check(`${id}, example.params`, Type.Object(params), example.params);
    if (query) check(`${id}, example.query`, Type.Object(query), example.query ?? {});
    if (body) check(`${id}, example.body`, operation.form ? body : createBodySchema(operation), example.body);
    for (const [status, data] of Object.entries(answers)) {
      const what = `${id}, example.answer as ${status}`;
      check(
        what,
        createAnswerSchema(operation, data, family),
        example.answer === undefined ? undefined : createAnswerExample(operation, family),
      );
    }
    for (const [code, data] of Object.entries(errorData)) {
      check(
        `${id}, example of ${code}`,
        createErrorSchema(code as Code, data),
        createErrorExample(code as Code, operation),
      );
    }
    for (const code of listCodes(operation, family).filter((any) => !findErrorDataSchema(operation, any))) {
      const schema = createFailureSchema(operation, family.codes[code]?.http ?? 500, envelope);
      check(`${id}, example of ${code}`, schema, createFailureExample(operation, code, family));
    }
    if (Object.keys(answers).length === 0) faults.push(`${id}: it declares no answer`);
  }
  return faults;
}
