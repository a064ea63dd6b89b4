import type { TSchema } from 'typebox';
import type { Deprecation } from './operation.ts';

// Members that JSON, spreads and Ajv do not see: what is derived from a schema by a spread has no name.
const NAME = '~named';
const NULLABLE = '~nullable';
const DEPRECATED = '~deprecated';

/** The schema, described as `components.schemas[name]` wherever it is used. Validation does not change. */
export function named<Schema extends TSchema>(name: string, schema: Schema): Schema {
  return markSchema(schema, NAME, name);
}

const markSchema = <Schema extends object>(schema: Schema, mark: string, value: unknown): Schema =>
  Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(schema), [mark]: { value, configurable: true } },
  ) as Schema;

export function getSchemaName(schema: object): string | undefined {
  return (schema as { readonly [NAME]?: string })[NAME];
}

/** Marks a schema that allows null beside what `of` allows, so that a description can refer to `of` by its name. */
export function markNullable<Schema extends object>(schema: Schema, of: object): Schema {
  return markSchema(schema, NULLABLE, of);
}

export function getNullableSchema(schema: object): object | undefined {
  return (schema as { readonly [NULLABLE]?: object })[NULLABLE];
}

/** Described as deprecated, and announced by every answer of the operations that have it. */
export function deprecateMember<Schema extends TSchema>(schema: Schema, deprecation: Deprecation): Schema {
  return Object.assign(markSchema(schema, DEPRECATED, deprecation), { deprecated: true });
}

export function getDeprecation(schema: object): Deprecation | undefined {
  return (schema as { readonly [DEPRECATED]?: Deprecation })[DEPRECATED];
}
