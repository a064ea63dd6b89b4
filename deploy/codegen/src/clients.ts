import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import {
  collectSchemas,
  type Described,
  type Description,
  isObject,
  type Json,
  listOperations,
  stripIndexSignatures,
} from './index.ts';
import { listPartnerOperations, type PartnerOperation } from './partner-operations.ts';

export type Released = readonly (readonly [process: string, description: Description])[];

export interface Family {
  /** The released descriptions, as the banner names them. */
  readonly from: string;
  /** The member of a refusal that has its code: `status` or `errorCode`. */
  readonly code: string;
  /** Messages that webhooks deliver and no operation answers: the package has their types, too. */
  readonly messages: readonly string[];
  readonly hasPublic: boolean;
  readonly has: (operation: Described) => boolean;
}

/** The modules of one family: its types, and its route table. */
export async function generatePartnerModules(
  released: Released,
  family: Family,
): Promise<{ readonly types: string; readonly table: string }> {
  const operations = released
    .flatMap(([, description]) => listPartnerOperations(description))
    .filter(({ operation }) => family.has(operation))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const messages = family.messages.map((type) => messageIn(released, type));
  const document = documentOf(operations, messages, mergedSchemas(released));
  const nodes = await openapiTS(document as OpenAPI3, {
    defaultNonNullable: false,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
  });
  const isUsed = (node: (typeof nodes)[number]): boolean =>
    'name' in node && !['paths', 'webhooks', '$defs'].includes((node.name as { readonly text: string }).text);
  const codes = [
    ...codesIn(
      released.map(([, description]) => description),
      family.code,
    ),
  ]
    .filter((code) => code !== 'success')
    .toSorted();
  const publicOnes = family.hasPublic ? operations.filter(({ access }) => access !== 'token') : [];
  const imported = [...new Set(operations.map(({ answer }) => answer.slice(0, answer.indexOf('<'))))].toSorted();
  const types = [
    ...banner(family.from),
    `import type { ${[...imported, 'Options'].join(', ')} } from '../call.ts';`,
    '',
    withoutHeaders(astToString(nodes.filter(isUsed))).trimEnd(),
    '',
    ...union('StatusCode', 'The codes of the refusals that are described. New ones may come.', codes),
    '/** The operations, by their ids. */',
    'export interface Operations {',
    ...operations.map((one) => member(one, one.answer)),
    '}',
    '',
    ...(publicOnes.length > 0
      ? [
          '/** The operations that need no token, and the public form of their data. */',
          'export interface PublicOperations {',
          ...publicOnes.map((one) => member(one, one.publicAnswer)),
          '}',
          '',
        ]
      : []),
  ].join('\n');
  const table = [
    ...banner(family.from),
    '/** Method, path and properties of each operation. */',
    'export const table = {',
    ...operations.map(({ id, row }) => `  ${id}: ${quote(row)},`),
    '};',
    '',
  ].join('\n');
  return { types, table };
}

/** The schema of a message that webhooks deliver. @throws {Error} when no description has it */
const messageIn = (released: Released, type: string): unknown => {
  for (const [, { webhooks }] of released) {
    const schema = webhooks?.[type]?.post.requestBody.content['application/json']?.schema;
    if (schema) return schema;
  }
  throw new Error(`no released description has the webhook ${type}`);
};

/** One document with the operations, reduced to what a caller sends and reads, and the schemas of these messages. */
const documentOf = (operations: readonly PartnerOperation[], messages: readonly unknown[], schemas: Json): unknown => {
  const paths: Record<string, Record<string, Json>> = {};
  for (const { path, method, reduced } of operations)
    paths[path] = { ...paths[path], [method]: stripIndexSignatures(reduced) as Json };
  const used = [...collectSchemas([paths, messages], schemas)].toSorted();
  return {
    openapi: '3.1.0',
    info: { title: 'operations', version: '1' },
    paths,
    components: { schemas: Object.fromEntries(used.map((name) => [name, stripIndexSignatures(schemas[name])])) },
  };
};

/** The schemas of all descriptions. @throws {Error} when a name has two meanings */
const mergedSchemas = (released: Released): Json => {
  const merged: Record<string, unknown> = {};
  for (const [process, description] of released)
    for (const [name, schema] of Object.entries(schemasOf(description))) {
      if (name in merged && JSON.stringify(merged[name]) !== JSON.stringify(schema))
        throw new Error(`${process} means by the schema ${name} something else than another process`);
      merged[name] = schema;
    }
  return merged;
};

const schemasOf = ({ components }: Description): Json => (components.schemas ?? {}) as Json;

/** The codes of refusals in the responses of a description. */
const codesIn = (value: unknown, member_: string, found: Set<string> = new Set()): ReadonlySet<string> => {
  if (Array.isArray(value)) for (const item of value) codesIn(item, member_, found);
  if (!isObject(value)) return found;
  const { value: example } = value;
  if (isObject(example)) {
    const { [member_]: code, success } = example;
    if (typeof code === 'string' && (success === false || (success === undefined && 'details' in example)))
      found.add(code);
  }
  for (const part of Object.values(value)) codesIn(part, member_, found);
  return found;
};

const banner = (from: string): string[] => [`// Generated by \`npm run setup\` from ${from}. Do not edit.`, ''];

/** Callers do not read the headers of answers: openapi-typescript has nothing but `unknown` of them. */
const withoutHeaders = (types: string): string =>
  types.replaceAll(/\n +headers: \{\n +\[name: string\]: unknown;\n +\};/g, '');

const union = (name: string, doc: string, values: readonly string[]): string[] =>
  values.length === 0
    ? []
    : [`/** ${doc} */`, `export type ${name} =`, ...values.map((one) => `  | ${quote(one)}`), ''];

const quote = (text: string): string => `'${text}'`;

const member = (operation: PartnerOperation, answer: string): string =>
  `${comment(operation)}\n  ${operation.id}(${operation.argument}): ${answer};`;

const comment = ({ summary, method, path }: PartnerOperation): string =>
  `  /** ${summary}: \`${method.toUpperCase()} ${path}\` */`;

/** The lists of values in named schemas, by the schema's name and the path of the member: `Order.state`. */
export function listValues({ components: { schemas = {} } }: Description): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.entries(schemas)
      .filter(([name]) => !name.endsWith('Answer'))
      .flatMap(([name, schema]) => valuesIn(schema, name)),
  );
}

const valuesIn = (schema: unknown, path: string): [path: string, values: readonly string[]][] => {
  if (!isObject(schema)) return [];
  const { enum: own, properties = {}, items, anyOf = [] } = schema;
  const isList = Array.isArray(own) && own.every((value) => typeof value === 'string');
  return [
    ...(isList ? [[path, own] as [string, readonly string[]]] : []),
    ...Object.entries(properties as Json).flatMap(([name, member]) => valuesIn(member, `${path}.${name}`)),
    ...valuesIn(items, path),
    ...(anyOf as readonly unknown[]).flatMap((alternative) => valuesIn(alternative, path)),
  ];
};

/** With the route table and the lists of values. What is not released yet is left out: calls do not compile. */
export async function generateServiceClient(
  released: Description,
  service: string,
  ids: readonly string[],
): Promise<string> {
  const called = [...listOperations(released).values()].filter(({ operation }) => ids.includes(operation.operationId));
  const paths: Record<string, Record<string, unknown>> = {};
  const table = called.map(({ name, operation }) => {
    const [method = '', path = ''] = name.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
    return `    ${operation.operationId}: { method: ${quote(method)}, path: ${quote(path)} },`;
  });
  const nodes = await openapiTS(stripIndexSignatures({ ...released, paths }) as OpenAPI3, { immutable: true });
  const wanted = ['components', 'operations'];
  const types = astToString(
    nodes.filter((node) => 'name' in node && wanted.includes((node.name as { readonly text: string }).text)),
  );
  const values = [...listValues(released)].map(([name, own]) => `  ${quote(name)}: [${own.map(quote).join(', ')}],`);
  return [
    `// Generated by \`npm run setup\` from services/${service}/released/internal.json. Do not edit.`,
    "import type { ServiceApi } from '@boxoffice/service';",
    '',
    types.trimEnd(),
    '',
    `export const ${service}Api: ServiceApi<operations> = {`,
    `  service: ${quote(service)},`,
    '  operations: {',
    ...table,
    '  },',
    '};',
    '',
    ...(values.length > 0 ? [`export const ${service}Values = {`, ...values, '} as const;', ''] : []),
  ].join('\n');
}
