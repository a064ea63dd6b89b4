import type { AnyOperation } from '../operation.ts';

export interface Json {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Json>>;
  readonly patternProperties?: Readonly<Record<string, Json>>;
  readonly additionalProperties?: boolean | Json;
  readonly unevaluatedProperties?: boolean | Json;
  readonly required?: readonly string[];
  readonly items?: Json;
  readonly allOf?: readonly Json[];
  readonly anyOf?: readonly Json[];
  readonly oneOf?: readonly Json[];
  readonly readOnly?: boolean;
  readonly [keyword: string]: unknown;
}

const SCALARS = ['string', 'number', 'integer', 'boolean', 'null'];

export function closeSchema(schema: Json): Json {
  const isScalar = [schema.items?.type ?? 'object'].flat().every((type) => SCALARS.includes(type));
  // Ajv compares all pairs of other items: a body within the size limit would take seconds.
  if (schema.uniqueItems && !isScalar) throw new Error('uniqueItems is for lists of scalars with a declared type');
  const { properties, patternProperties, items, allOf, anyOf, oneOf } = schema;
  const named = properties !== undefined || patternProperties !== undefined;
  const silent = schema.additionalProperties === undefined && schema.unevaluatedProperties === undefined;
  return {
    ...schema,
    ...(properties && { properties: mapSchemas(properties, closeSchema) }),
    ...(patternProperties && { patternProperties: mapSchemas(patternProperties, closeSchema) }),
    ...(items && { items: closeSchema(items) }),
    ...(anyOf && { anyOf: anyOf.map(closeSchema) }),
    ...(oneOf && { oneOf: oneOf.map(closeSchema) }),
    // The parts of an intersection see each other's fields, so only the whole can be closed.
    ...(silent && allOf && { unevaluatedProperties: false }),
    ...(silent && !allOf && named && { additionalProperties: false }),
  };
}

export function mapSchemas(schemas: Readonly<Record<string, Json>>, change: (schema: Json) => Json) {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema)]));
}

export function allowAnyItems(schema: Json): Json {
  const { items: _, ...list } = schema.properties?.items ?? {};
  return { ...schema, properties: { ...schema.properties, items: list } };
}

/** The schema of an operation's body, for validation and for the description; an empty object if it declares none. */
export function createBodySchema({ body, readOnly }: Pick<AnyOperation, 'body' | 'readOnly'>): Json {
  if (!body) return { type: 'object', additionalProperties: false };
  const schema: Json = JSON.parse(JSON.stringify(body));
  return closeSchema(readOnly ? withReadOnly(schema, readOnly) : schema);
}

/** Accepts any value: only a comparison with the resource can check these members. */
const withReadOnly = (schema: Json, members: NonNullable<AnyOperation['readOnly']>): Json => {
  const ignored = Object.fromEntries(Object.keys(members).map((name) => [name, { readOnly: true }]));
  return { ...schema, properties: { ...ignored, ...schema.properties } };
};

export function createFormSchema({ body, described = {} }: AnyOperation): object {
  const { properties = {}, ...rest } = { ...body } as { properties?: Readonly<Record<string, object>> };
  const fields = Object.entries(properties).map(([name, schema]) => [name, { ...schema, ...described[name] }]);
  return { ...rest, properties: Object.fromEntries(fields) };
}
