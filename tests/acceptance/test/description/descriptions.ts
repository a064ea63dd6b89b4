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
export const objectsIn = (value: unknown): Json[] =>
  typeof value !== 'object' || value === null
    ? []
    : [...(Array.isArray(value) ? [] : [value as Json]), ...Object.values(value).flatMap(objectsIn)];

const EXAMPLES = ['example', 'examples', 'default', 'enum'];

/** Every member that a schema within the value declares, with its schema. */
export const membersOf = (value: unknown): [name: string, schema: Json][] => {
  if (typeof value !== 'object' || value === null) return [];
  const { properties = {} } = (Array.isArray(value) ? {} : value) as {
    readonly properties?: Readonly<Record<string, Json>>;
  };
  const inner = Object.entries(value).filter(([name]) => !EXAMPLES.includes(name));
  return [
    ...Object.entries(properties),
    ...inner.flatMap(([name, one]) =>
      name === 'properties' ? Object.values(properties).flatMap(membersOf) : membersOf(one),
    ),
  ];
};
