import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { type Description, resolveIn } from './index.ts';
import { isObject, type Json, named, schemasIn } from './schemas.ts';

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
interface Found {
  readonly method: string;
  readonly path: string;
  readonly operation: Json;
}

/** The operations with these ids, by id. One that was not released yet is left out, so that calls of it do not compile. */
export const findOperations = ({ paths }: Description, ids: readonly string[]): ReadonlyMap<string, Found> => {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Found] => [
      operation.operationId,
      { method, path, operation: { ...operation } },
    ]),
  );
  const byId = new Map(all);
  return new Map(
    ids.flatMap((id) => {
      const found = byId.get(id);
      return found ? [[id, found] as const] : [];
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

const literal = (text: string): string => `'${text}'`;

/**
 * The source of a module with the types of these operations, the route table of its client and the lists of values,
 * from the service's released description.
 */
export const serviceClient = async (
  released: Description,
  service: string,
  ids: readonly string[],
): Promise<string> => {
  const operations = findOperations(released, ids);
  const description = reduced(released, operations);
  const nodes = await openapiTS(description as unknown as OpenAPI3, { immutable: true });
  const hasSchemas = Object.keys(description.components.schemas).length > 0;
  const wanted = hasSchemas ? ['components', 'operations'] : ['operations'];
  const types = astToString(
    nodes.filter((node) => 'name' in node && wanted.includes((node.name as { readonly text: string }).text)),
  );
  const table = [...operations].map(
    ([id, { method, path }]) => `    ${id}: { method: ${literal(method.toUpperCase())}, path: ${literal(path)} },`,
  );
  const values = [...valuesOf(description)].map(
    ([name, own]) => `  ${literal(name)}: [${own.map(literal).join(', ')}],`,
  );
  return [
    `// Generated by \`npm run setup\` from services/${service}/released/internal.json. Do not edit.`,
    "import type { ServiceApi } from '@boxoffice/service';",
    '',
    types.trimEnd(),
    '',
    `export const ${service}Api: ServiceApi<operations> = {`,
    `  service: ${literal(service)},`,
    '  operations: {',
    ...table,
    '  },',
    '};',
    '',
    ...(values.length > 0 ? [`export const ${service}Values = {`, ...values, '} as const;', ''] : []),
  ].join('\n');
};
