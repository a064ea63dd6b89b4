import { createCheck } from '@boxoffice/http';
import type { TSchema } from 'typebox';

/** Throws a Fault that names every violation if the data lack the shape of the schema. */
export type CheckShape = (schema: TSchema, data: unknown) => void;

/** Makes a check that compiles a schema when the first data are held to it: most schemas of a service meet none. */
export const createShapeCheck = (): CheckShape => {
  const checks = new Map<TSchema, ReturnType<typeof createCheck>>();
  return (schema, data) => {
    const check = checks.get(schema) ?? createCheck(schema);
    checks.set(schema, check);
    check(structuredClone(data));
  };
};
