import type { TSchema } from 'typebox';
import type { Deprecation } from './operation.ts';

// Members that JSON, spreads and Ajv do not see: what is derived from a schema by a spread has no name.
const NAME = '~named';
const NULLABLE = '~nullable';
const DEPRECATED = '~deprecated';

const marked = <Schema extends object>(schema: Schema, mark: string, value: unknown): Schema =>
  Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(schema), [mark]: { value, configurable: true } },
  ) as Schema;

/** The schema, described as `components.schemas[name]` wherever it is used. Validation does not change. */
export const named = <Schema extends TSchema>(name: string, schema: Schema): Schema => marked(schema, NAME, name);

/** The name that `named` gave to the schema. */
export const nameOf = (schema: object): string | undefined => (schema as { readonly [NAME]?: string })[NAME];

/** Marks a schema that allows null beside what `of` allows, so that a description can refer to `of` by its name. */
export const markNullable = <Schema extends object>(schema: Schema, of: object): Schema => marked(schema, NULLABLE, of);

/** The schema that this one allows null beside, if `markNullable` marked it. */
export const nullableOf = (schema: object): object | undefined =>
  (schema as { readonly [NULLABLE]?: object })[NULLABLE];

/**
 * Marks a member, or a parameter, that will go: described as deprecated, and announced by every answer of the operations
 * that have it.
 */
export const deprecatedMember = <Schema extends TSchema>(schema: Schema, deprecation: Deprecation): Schema =>
  Object.assign(marked(schema, DEPRECATED, deprecation), { deprecated: true });

/** When the schema's member goes, if `deprecatedMember` marked it. */
export const deprecationOf = (schema: object): Deprecation | undefined =>
  (schema as { readonly [DEPRECATED]?: Deprecation })[DEPRECATED];
