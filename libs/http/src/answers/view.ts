import type { Static, TSchema } from 'typebox';

/** What a view is made from: what it shows, and perhaps more. */
type Source<Shown> = Shown extends readonly (infer Item)[]
  ? readonly Source<Item>[]
  : Shown extends object
    ? { readonly [Name in keyof Shown]: Source<Shown[Name]> }
    : Shown;

interface Described {
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
}

const shown = ({ properties, items }: Described, value: unknown): unknown => {
  if (Array.isArray(value)) return items ? value.map((item) => shown(items, item)) : value;
  if (!properties || typeof value !== 'object' || value === null) return value;
  const given = new Map<string, unknown>(Object.entries(value));
  const members = Object.entries(properties).filter(([name]) => given.get(name) !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, shown(member, given.get(name))]));
};

/**
 * Makes the view of a schema: a value with the members that the schema describes, in the schema's order. Others, such as
 * the internal ones of a stored document, are left out.
 */
export const createView =
  <Schema extends TSchema>(schema: Schema) =>
  (source: Source<Static<Schema>>): Static<Schema> =>
    shown(schema, source) as Static<Schema>;
