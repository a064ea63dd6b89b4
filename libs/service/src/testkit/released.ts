import { readFileSync } from 'node:fs';

type Json = Readonly<Record<string, unknown>>;

/** The parts of a parameter or a body that a fake checks. */
interface Part {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Json;
}

interface Body {
  readonly content?: { readonly 'application/json'?: { readonly schema?: Json } };
}

/** A description of internal operations, as each service's `released/internal.json` has it. */
export interface ReleasedDescription {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly operationId: string;
            readonly parameters?: readonly Part[];
            readonly requestBody?: Body;
            readonly responses: Readonly<Record<string, Body>>;
          }
        >
      >
    >
  >;
  readonly components?: { readonly schemas?: Json; readonly parameters?: Readonly<Record<string, Part>> };
}

/** The schemas of an operation, without references. */
export interface Schemas {
  readonly path: Readonly<Record<string, Json>>;
  readonly query: Readonly<Record<string, { readonly schema: Json; readonly required: boolean }>>;
  readonly body: Json | undefined;
  /** The whole answer, the envelope included. */
  readonly answer: Json;
}

/** The description of a service's last release for the services that call it. */
export const releasedDescription = (service: string): ReleasedDescription =>
  JSON.parse(readFileSync(new URL(`../../../../services/${service}/released/internal.json`, import.meta.url), 'utf8'));

const COMPONENT = '#/components/schemas/';
const PARAMETER = '#/components/parameters/';

/** The value with each reference to a component schema replaced by the schema. */
const inlined = (value: unknown, schemas: Json): unknown => {
  if (Array.isArray(value)) return value.map((item) => inlined(item, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...others } = value as Json;
  const rest = Object.fromEntries(Object.entries(others).map(([name, member]) => [name, inlined(member, schemas)]));
  if (typeof $ref !== 'string') return rest;
  const referred = inlined(schemas[$ref.slice(COMPONENT.length)], schemas) as Json;
  return Object.keys(rest).length === 0 ? referred : { ...referred, ...rest };
};

/**
 * Finds the schemas of the operation.
 * @throws Error if the description does not have it
 */
export const schemasOf = ({ paths, components }: ReleasedDescription, operationId: string): Schemas => {
  const found = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .find((one) => one.operationId === operationId);
  if (!found) throw new Error(`the released description has no ${operationId}`);
  const whole = (schema: Json | undefined) => schema && (inlined(schema, components?.schemas ?? {}) as Json);
  const resolved = (found.parameters ?? []).map((one) =>
    one.$ref === undefined ? one : components?.parameters?.[one.$ref.slice(PARAMETER.length)],
  );
  const parts = (place: string) => resolved.filter((one) => one !== undefined).filter((one) => one.in === place);
  return {
    path: Object.fromEntries(parts('path').map(({ name, schema }) => [name, whole(schema) ?? {}])),
    query: Object.fromEntries(
      parts('query').map(({ name, schema, required = false }) => [name, { schema: whole(schema) ?? {}, required }]),
    ),
    body: whole(found.requestBody?.content?.['application/json']?.schema),
    answer: whole(found.responses['200']?.content?.['application/json']?.schema) ?? {},
  };
};
