import type { AnyOperation } from './operation.ts';
import { withReadOnly } from './schemas.ts';

/** A JSON Schema as this package walks it. */
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

const mapValues = <From, To>(record: Readonly<Record<string, From>>, change: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));

const SCALARS = ['string', 'number', 'integer', 'boolean', 'null'];

/** The schema with every object in it closed: a field that it does not name is refused. */
export const closed = (schema: Json): Json => {
  const isScalar = [schema.items?.type ?? 'object'].flat().every((type) => SCALARS.includes(type));
  // Ajv compares all pairs of anything else: a body within the limit would take seconds.
  if (schema.uniqueItems && !isScalar) throw new Error('uniqueItems is for lists of scalars with a declared type');
  const { properties, patternProperties, items, allOf, anyOf, oneOf } = schema;
  const named = properties !== undefined || patternProperties !== undefined;
  const silent = schema.additionalProperties === undefined && schema.unevaluatedProperties === undefined;
  return {
    ...schema,
    ...(properties && { properties: mapValues(properties, closed) }),
    ...(patternProperties && { patternProperties: mapValues(patternProperties, closed) }),
    ...(items && { items: closed(items) }),
    ...(anyOf && { anyOf: anyOf.map(closed) }),
    ...(oneOf && { oneOf: oneOf.map(closed) }),
    // The parts of an intersection see each other's fields: only the whole can be closed.
    ...(silent && allOf && { unevaluatedProperties: false }),
    ...(silent && !allOf && named && { additionalProperties: false }),
  };
};

/** The schema of an operation's body as requests are held to it, and as it is described; without one, an empty object. */
export const bodySchema = ({ body, readOnly = [] }: Pick<AnyOperation, 'body' | 'readOnly'>): Json => {
  if (!body) return { type: 'object', additionalProperties: false };
  return closed(JSON.parse(JSON.stringify(readOnly.length > 0 ? withReadOnly(body, readOnly) : body)));
};

type Drop = (value: unknown) => void;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Makes what deletes the members marked `readOnly` from a value that the schema accepted; undefined if there are none. */
export const readOnlyRemover = (schema: Json): Drop | undefined => {
  const drops: Drop[] = [];
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const drop: Drop | undefined = member.readOnly ? undefined : readOnlyRemover(member);
    if (member.readOnly) drops.push((value) => isObject(value) && delete value[name]);
    else if (drop) drops.push((value) => isObject(value) && Object.hasOwn(value, name) && drop(value[name]));
  }
  const ofItem = schema.items && readOnlyRemover(schema.items);
  if (ofItem) drops.push((value) => Array.isArray(value) && value.forEach(ofItem));
  for (const part of [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    const drop = readOnlyRemover(part);
    if (drop) drops.push(drop);
  }
  if (drops.length === 0) return undefined;
  return (value) => {
    for (const drop of drops) drop(value);
  };
};
