import type { Family } from '../families/family.ts';
import type { AnyCode, AnyOperation } from '../operation.ts';
import { isIdempotent, TAKES_BODY } from '../shape.ts';

const requires = (properties: object | undefined): boolean =>
  Object.values(properties ?? {}).some((schema) => !('~optional' in schema));

/**
 * Every code that the operation can answer: its family's, those that follow from its shape, and those that it declares.
 * In the order of the family's table.
 */
export const codesOf = (
  operation: AnyOperation,
  { always, codesFor, codes: table }: Pick<Family, 'always' | 'codesFor' | 'codes'>,
): AnyCode[] => {
  const { method, form } = operation;
  const when = (holds: boolean | undefined, ...codes: AnyCode[]): AnyCode[] => (holds ? codes : []);
  const codes = new Set<AnyCode>([
    ...always,
    ...codesFor(operation),
    ...when(requires(operation.query) || form, 'missing_parameter'),
    ...when(TAKES_BODY.has(method) && !form, 'validation_error'),
    ...when(method !== 'get', 'payload_too_large'),
    ...when(operation.params !== undefined, 'not_found'),
    ...when(isIdempotent(operation), 'idempotency_in_progress', 'idempotency_key_reused'),
    ...when(operation.readOnly !== undefined, 'semantically_invalid'),
    ...when(operation.conditional, 'precondition_failed'),
    ...when(operation.handle === undefined, 'not_implemented'),
    ...(operation.errors ?? []),
  ]);
  return (Object.keys(table) as AnyCode[]).filter((code) => codes.has(code));
};
