/** A JSON object of a description. */
export type Json = { readonly [member: string]: unknown };

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const SCHEMAS = '#/components/schemas/';

/** Names of the component schemas that a part of a description refers to, directly or through another one. */
export const schemasIn = (part: unknown, all: Json, found: Set<string> = new Set()): ReadonlySet<string> => {
  if (Array.isArray(part)) for (const item of part) schemasIn(item, all, found);
  if (!isObject(part)) return found;
  for (const [member, value] of Object.entries(part)) {
    const name = member === '$ref' && typeof value === 'string' ? value.slice(SCHEMAS.length) : undefined;
    if (name === undefined) schemasIn(value, all, found);
    else if (!found.has(name)) schemasIn(all[name], all, found.add(name));
  }
  return found;
};

/**
 * The schema without the permission of further members: a type would get an index signature, which an interface lacks.
 */
export const named = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(named);
  if (!isObject(schema)) return schema;
  const members = Object.entries(schema).filter(
    ([name, value]) => !(name === 'additionalProperties' && value === true && isObject(schema.properties)),
  );
  return Object.fromEntries(members.map(([name, value]) => [name, named(value)]));
};
