import { type Description, resolveIn } from '../compare/description.ts';

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

const schemaOf = (content: unknown): Json => {
  const { schema } = ((content as Json | undefined)?.['application/json'] ?? {}) as Json;
  return { content: { 'application/json': { schema: named(schema) } } };
};

/**
 * The parts of an operation that a caller sends and reads: parameters, body and 200; no headers, examples or faults.
 */
const callable = (
  { operationId, summary, parameters = [], requestBody, responses }: Json,
  resolve: (parameter: Json) => Json,
): Json => {
  const body = requestBody as Json | undefined;
  const success = (responses as Readonly<Record<string, Json>>)['200'];
  return {
    operationId,
    summary,
    parameters: (parameters as readonly Json[]).map(resolve).filter((one) => one.in === 'path' || one.in === 'query'),
    ...(body && { requestBody: { required: body.required, ...schemaOf(body.content) } }),
    responses: { 200: { description: 'OK', ...schemaOf(success?.content) } },
  };
};

/** A called operation with its place in the description. */
export interface Found {
  readonly method: string;
  readonly path: string;
  readonly operation: Json;
}

/** Finds the operations with these ids. @throws {Error} naming an id that the description lacks */
export const findOperations = (
  released: Description,
  service: string,
  ids: readonly string[],
): ReadonlyMap<string, Found> => {
  const all = Object.entries(released.paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, operation]): Found => ({ method, path, operation: operation as unknown as Json }),
    ),
  );
  return new Map(
    ids.map((id) => {
      const found = all.find(({ operation }) => operation.operationId === id);
      if (!found) throw new Error(`services/${service}/released/internal.json has no ${id}: release ${service} first`);
      return [id, found];
    }),
  );
};

interface Reduced {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Json;
  readonly components: { readonly schemas: Json };
}

/** A description reduced to what a caller of these operations sends and reads. */
export const reduced = (released: Description, operations: ReadonlyMap<string, Found>): Reduced => {
  const find = resolveIn(released);
  const resolve = (parameter: Json): Json =>
    typeof parameter.$ref === 'string' ? find<Json>(parameter.$ref) : parameter;
  const paths: Record<string, Record<string, Json>> = {};
  for (const { path, method, operation } of operations.values())
    paths[path] = { ...paths[path], [method]: callable(operation, resolve) };
  const { components = {} } = released as unknown as { readonly components?: Json };
  const schemas = (components.schemas ?? {}) as Json;
  const names = [...schemasIn(paths, schemas)].toSorted();
  return {
    openapi: '3.1.0',
    info: { title: 'called operations', version: '1' },
    paths,
    components: { schemas: Object.fromEntries(names.map((name) => [name, named(schemas[name])])) },
  };
};

const valuesIn = (schema: unknown, path: string): [path: string, values: readonly string[]][] => {
  if (!isObject(schema)) return [];
  const { enum: own, properties = {}, items, anyOf = [] } = schema;
  return [
    ...(Array.isArray(own) ? [[path, own] as [string, readonly string[]]] : []),
    ...Object.entries(properties as Json).flatMap(([name, member]) => valuesIn(member, `${path}.${name}`)),
    ...valuesIn(items, path),
    ...(anyOf as readonly unknown[]).flatMap((alternative) => valuesIn(alternative, path)),
  ];
};

/** The lists of values in named schemas, by the schema's name and the path of the member: `Order.state`. */
export const valuesOf = ({ components }: Reduced): ReadonlyMap<string, readonly string[]> =>
  new Map(
    Object.entries(components.schemas)
      .filter(([name]) => !name.endsWith('Answer'))
      .flatMap(([name, schema]) => valuesIn(schema, name)),
  );
