import { createRef } from '../families/components.ts';
import { getNullableSchema, getSchemaName } from '../named.ts';
import type { ReadOnly } from '../operation.ts';
import { closeSchema, type Json, mapSchemas } from '../validation/body-schema.ts';

/** Bodies are closed and answers are not, so a schema of both may need two components. */
type Use = 'request' | 'answer';

/** The pattern of a `Type.Record` whose member names are free. */
const ANY_NAME = '^.*$';

/** Marks references to the closed form of a schema until its component has its final name. */
const CLOSED = 'closed:';
const CLOSED_REF = /"#\/components\/schemas\/closed:([^"]+)"/g;

export function createSchemas() {
  const found = new Map<string, Json>();

  /** Makes a component of a schema whose parts are references already. @throws Error if the name has another schema */
  const add = (name: string, schema: object): Json => {
    const known = found.get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two different schemas are named ${name.replace(CLOSED, '')}: rename one of them`);
    found.set(name, schema as Json);
    return createRef('schemas', name);
  };

  const finish = (schema: Json, use: Use): Json => adaptToGenerators(use === 'request' ? closeSchema(schema) : schema);

  const parts = (schema: object, use: Use): Json => {
    const one = (part: object): Json => refer(part, use);
    // A part of an intersection is not closed alone, so in a request it is no component.
    return changeParts(schema, one, (part) => (use === 'request' ? parts(part, use) : one(part)));
  };

  const refer = (schema: object, use: Use): Json => {
    const base = getNullableSchema(schema);
    if (base && getSchemaName(base)) return { anyOf: [refer(base, use), { type: 'null' }] };
    const name = getSchemaName(schema);
    if (name === undefined) return parts(schema, use);
    return add(use === 'request' ? CLOSED + name : name, finish(parts(schema, use), use));
  };

  const differing = (): Set<string> => {
    const names = new Set<string>();
    const open = (schema: Json | undefined) =>
      JSON.stringify(schema).replaceAll(CLOSED_REF, '"#/components/schemas/$1"');
    for (let before = -1; before !== names.size; ) {
      before = names.size;
      for (const [key, schema] of found) {
        const name = key.replace(CLOSED, '');
        if (name === key || !found.has(name)) continue;
        const refersToOne = [...JSON.stringify(schema).matchAll(CLOSED_REF)].some(([, other = '']) => names.has(other));
        if (refersToOne || open(schema) !== JSON.stringify(found.get(name))) names.add(name);
      }
    }
    return names;
  };

  const answer = (schema: object): Json => finish(refer(schema, 'answer'), 'answer');

  const asRead = (members: ReadOnly): Record<string, Json> =>
    Object.fromEntries(
      Object.entries(members).map(([name, { shown, changedBy }]) => {
        const schema = answer(shown);
        const by = changedBy.length > 0 ? `changed by ${changedBy.join(', ')}` : undefined;
        const description = [schema.description, by].filter(Boolean).join('; ');
        return [name, { ...schema, readOnly: true, ...(description && { description }) }];
      }),
    );

  return {
    add,
    answer,
    request(body: object, readOnly?: ReadOnly): Json {
      const schema = finish(parts(body, 'request'), 'request');
      const whole = readOnly ? { ...schema, properties: { ...asRead(readOnly), ...schema.properties } } : schema;
      const name = getSchemaName(body);
      return name === undefined ? whole : add(CLOSED + name, whole);
    },
    /** The document with these schemas among its components. @throws Error on a name that is taken */
    into<Document extends { readonly components: { readonly schemas: object } }>(document: Document): Document {
      const both = differing();
      const nameOfClosed = (name: string): string => (both.has(name) ? `${name}Input` : name);
      const schemas: Record<string, unknown> = { ...document.components.schemas };
      for (const [key, schema] of found) {
        const plain = key.replace(CLOSED, '');
        const name = key === plain ? plain : nameOfClosed(plain);
        if (key !== plain && name === plain && found.has(plain)) continue;
        if (schemas[name]) throw new Error(`two different schemas are named ${name}: rename one of them`);
        schemas[name] = schema;
      }
      const sorted = Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)));
      const whole = JSON.stringify({ ...document, components: { ...document.components, schemas: sorted } });
      const named = whole.replaceAll(CLOSED_REF, (_, name: string) =>
        JSON.stringify(createRef('schemas', nameOfClosed(name)).$ref),
      );
      return JSON.parse(named) as Document;
    },
  };
}

/**
 * As generators of clients understand it: records by `additionalProperties`, and `propertyNames` for a pattern of names;
 * a boolean constant without its type, of which they make an enumeration of texts.
 */
const adaptToGenerators = (schema: Json): Json => {
  const { type, ...untyped } = changeParts(schema, adaptToGenerators);
  const mapped: Json = type === 'boolean' && 'const' in untyped ? untyped : { ...(type && { type }), ...untyped };
  const { patternProperties, additionalProperties, ...rest } = mapped;
  const [[pattern, value] = [], ...others] = Object.entries(patternProperties ?? {});
  if (pattern === undefined || rest.properties || others.length > 0 || additionalProperties) return mapped;
  return { ...rest, ...(pattern === ANY_NAME ? {} : { propertyNames: { pattern } }), additionalProperties: value };
};

/** The schema with each schema right below it changed; `partOfAll` changes those of `allOf`. */
const changeParts = (schema: object, change: (part: Json) => Json, partOfAll = change): Json =>
  Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      switch (keyword) {
        case 'properties':
        case 'patternProperties':
          return [keyword, mapSchemas(value, change)];
        case 'items':
          return [keyword, change(value)];
        case 'additionalProperties':
          return [keyword, typeof value === 'object' ? change(value) : value];
        case 'anyOf':
        case 'oneOf':
          return [keyword, value.map(change)];
        case 'allOf':
          return [keyword, value.map(partOfAll)];
        default:
          return [keyword, value];
      }
    }),
  );

export type Schemas = ReturnType<typeof createSchemas>;
