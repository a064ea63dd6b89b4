import type { TSchema } from 'typebox';

// Members that JSON, spreads and Ajv do not see: what is derived from a schema by a spread has no name.
const NAME = '~named';
const NULLABLE = '~nullable';

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
