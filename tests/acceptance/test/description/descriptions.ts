import { globSync, readFileSync } from 'node:fs';

const ROOT = new URL('../../../../', import.meta.url).pathname;

/** A JSON object of a description. */
export type Json = Readonly<Record<string, unknown>>;

/** The released descriptions of all public operations. */
export const descriptions = globSync('{gateway,authorizer,services/*}/released/openapi.json', { cwd: ROOT })
  .sort()
  .map(
    (file) =>
      JSON.parse(readFileSync(`${ROOT}${file}`, 'utf8')) as Json & { readonly paths: Json; readonly webhooks?: Json },
  );

/** The paths of all public operations. */
export const paths = descriptions.flatMap((one) => Object.keys(one.paths)).sort();

/** Every object within the value, and the value itself. */
export function listObjects(value: unknown): Json[] {
  return typeof value !== 'object' || value === null
    ? []
    : [...(Array.isArray(value) ? [] : [value as Json]), ...Object.values(value).flatMap(listObjects)];
}

const EXAMPLES = ['example', 'examples', 'default', 'enum'];

/** Every member that a schema within the value declares, with its schema. */
export function listMembers(value: unknown): [name: string, schema: Json][] {
  if (typeof value !== 'object' || value === null) return [];
  const { properties = {} } = (Array.isArray(value) ? {} : value) as {
    readonly properties?: Readonly<Record<string, Json>>;
  };
  const inner = Object.entries(value).filter(([name]) => !EXAMPLES.includes(name));
  return [
    ...Object.entries(properties),
    ...inner.flatMap(([name, one]) =>
      name === 'properties' ? Object.values(properties).flatMap(listMembers) : listMembers(one),
    ),
  ];
}

/** What generators add to the id of an operation for its parameters, body and answers. */
const OF_OPERATIONS = 'Params Body Request RequestBody JSONBody JSONRequestBody Response Req Res'.split(' ');

/**
 * Components whose name a generator of clients also makes of something else: of a member, a parameter, an operation or
 * a security scheme. Each with the place of that.
 */
export function findAmbiguousNames(document: { readonly paths: Json; readonly components: Json }): string[] {
  const { schemas = {}, ...others } = document.components as Readonly<Record<string, Readonly<Record<string, Json>>>>;
  const operations = listObjects(document.paths).filter(({ operationId }) => typeof operationId === 'string');
  const made: [string, string][] = [
    ...Object.entries(schemas).flatMap(([name, schema]) => namesIn(name, schema, name)),
    ...Object.entries(others).flatMap(([kind, named]) =>
      Object.keys(named).map((name): [string, string] => [pascal(name), `${kind} ${name}`]),
    ),
    ...operations.flatMap(({ operationId, parameters = [] }) => {
      const id = pascal(String(operationId));
      const names = (parameters as readonly Json[]).flatMap(({ name }) => (name === undefined ? [] : [String(name)]));
      const all = [...OF_OPERATIONS, ...names.flatMap((name) => [pascal(name), `Params${pascal(name)}`])];
      return all.map((suffix): [string, string] => [`${id}${suffix}`, `operation ${String(operationId)}`]);
    }),
  ];
  return made.filter(([name]) => name in schemas).map(([name, place]) => `${name}: ${place}`);
}

/** The names that generators make of the members of a schema, each with the place of the member. */
const namesIn = (name: string, schema: Json, place: string): [made: string, place: string][] => {
  const members = schemasOf(schema.properties).flatMap(([member, inner]): [string, string][] => {
    const made = `${name}${pascal(member)}`;
    const at = `${place}.${member}`;
    return [...(isTyped(inner) ? [[made, at] as [string, string]] : []), ...namesIn(made, inner, at)];
  });
  const items = schema.items === undefined ? [] : namesIn(`${name}Item`, schema.items as Json, `${place}[]`);
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((kind) =>
    ((schema[kind] ?? []) as readonly Json[]).flatMap((part) => namesIn(name, part, place)),
  );
  return [...members, ...items, ...parts];
};

const schemasOf = (value: unknown): readonly (readonly [string, Json])[] =>
  Object.entries((value ?? {}) as Record<string, Json>);

const pascal = (words: string): string =>
  words.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Whether a generator of clients makes a type of its own of a schema without a name. */
const isTyped = (schema: Json): boolean =>
  !('$ref' in schema) &&
  (['enum', 'properties', 'anyOf', 'oneOf', 'allOf'].some((member) => member in schema) ||
    [schema.type].flat().includes('object'));
