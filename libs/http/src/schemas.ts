import { type Static, type TObject, type TProperties, type TSchema, type TString, type TUnsafe, Type } from 'typebox';
import { getSchemaName, markNullable, named } from './named.ts';
import { NORMALISE, NORMALISE_NAMES } from './validation/ajv.ts';

/** Records per page without `limit`, and the most that a page holds. */
export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 500;

/** One line, before its format is checked and before the handler sees it. */
export const emailSchema = Type.String({
  format: 'idn-email',
  maxLength: 254,
  description:
    'also an internationalised one (RFC 6531), of at most 254 octets, 64 of them before the `@` (RFC 5321), where dots may ' +
    'follow each other and end it; trimmed; compared case-insensitively',
  [NORMALISE]: 'line',
});

const CONTROL = '\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F-\\x9F';
const CONTROL_OR_BREAK = '\\x00-\\x1F\\x7F-\\x9F\\u2028\\u2029';

/** White space, then a visible character, then anything but these: each part begins where the one before must end. */
const visible = (excluded: string): string => `^[^\\S${excluded}]*[^\\s${excluded}][^${excluded}]*$`;

/** The pattern of a text that is not blank and has neither line breaks nor other control characters. */
export const LINE_PATTERN = visible(CONTROL_OR_BREAK);

export const EMPTY_LINE_PATTERN = `^$|${LINE_PATTERN}`;

/** The pattern of a text that is not blank and has no control characters but tabs and line breaks. */
export const LINES_PATTERN = visible(CONTROL);

interface TextOptions {
  readonly maxLength: number;
  readonly description?: string;
}

/** The handler sees the text trimmed and in NFC. `mayBeEmpty`: the empty text is accepted, a blank one is not. */
export function createLineSchema({
  maxLength,
  description,
  mayBeEmpty = false,
}: TextOptions & { readonly mayBeEmpty?: boolean }) {
  return Type.String({
    maxLength,
    pattern: mayBeEmpty ? EMPTY_LINE_PATTERN : LINE_PATTERN,
    description: joinTexts(
      description,
      `one line${mayBeEmpty ? ', empty or' : ''} with a visible character, trimmed, in Unicode NFC`,
    ),
    [NORMALISE]: mayBeEmpty ? 'lineOrEmpty' : 'line',
  });
}

const joinTexts = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join('; ');

/** A text of several lines, such as a description. The handler sees it trimmed, in NFC, and with `\n` as line break. */
export function createLinesSchema({ maxLength, description }: TextOptions) {
  return Type.String({
    maxLength,
    pattern: LINES_PATTERN,
    description: joinTexts(description, 'with a visible character, trimmed, in Unicode NFC'),
    [NORMALISE]: 'lines',
  });
}

/** An instant: RFC 3339 with any offset in requests; ISO 8601 UTC with milliseconds in answers and for the handler. */
export const timestamp = Type.String({
  format: 'date-time',
  description: 'ISO 8601 UTC',
  [NORMALISE]: 'timestamp',
});

export function createInstantSchema(description: string) {
  return Type.Unsafe<string>({ ...timestamp, description });
}

export const institutionId = Type.String({ description: 'id of the institution that it belongs to' });

const ID_CHARACTERS = 'A-Za-z0-9_-';
export const ID_PATTERN = `^[${ID_CHARACTERS}]{1,128}$`;

/** An id in a body: opaque, so any short text is well-formed. */
export const id = Type.String({ minLength: 1, maxLength: 128 });

/** The id of a request of another service: a repeat has no further effect. */
export const requestId = Type.String({ pattern: '^[A-Za-z0-9_.-]{1,128}$' });

/** A language tag (BCP 47): a language, with a script or a region where it matters. */
export const LANGUAGE_TAG = '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$';

const CANONICAL = 'stored in its canonical form: `deu` is `de`, `iw` is `he`';

/** A language tag; the handler sees its canonical form. */
export const languageTag = Type.String({
  pattern: LANGUAGE_TAG,
  description: `BCP 47, such as fr, pt-BR, zh-Hant or es-419, ${CANONICAL}`,
  [NORMALISE]: 'language',
});

/** A text in several languages, by their tags; the handler sees these in their canonical form. */
export function createLanguageMapSchema(text: TString) {
  return Type.Record(Type.String({ pattern: LANGUAGE_TAG }), text, {
    minProperties: 1,
    additionalProperties: false,
    description: `by language (BCP 47: fr, pt-BR, zh-Hant, es-419), ${CANONICAL}`,
    [NORMALISE_NAMES]: 'language',
  });
}

export const currency = Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217' });

/** Another spelling is not a violation but a 404, as for an unknown id. */
export const pathId = Type.String({ minLength: 1, maxLength: 128, pattern: `^[${ID_CHARACTERS}]+$` });

export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, description: 'records per page' }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2048, description: '`nextCursor` of the page before; opaque' }),
  ),
};

export const listQuery = {
  ...pageQuery,
  modifiedSince: Type.Optional(
    Type.String({ format: 'date-time', [NORMALISE]: 'timestamp', description: 'only what was updated then or later' }),
  ),
};

export function createPageSchema<Item extends TSchema>(item: Item) {
  return pageOfNamed(
    item,
    Type.Object({
      items: Type.Array(item),
      nextCursor: createNullableSchema(Type.String({ description: '`cursor` of the next page; null on the last' })),
    }),
  );
}

/** The schema with its description: it names a list after its items. */
const pageOfNamed = <Item extends TSchema, Page extends TSchema>(item: Item, schema: Page): Page => {
  const name = getSchemaName(item);
  return name === undefined ? schema : named(`${name}Page`, schema);
};

const AS_OF =
  'ISO 8601 UTC: `modifiedSince` of the next synchronisation, which then misses nothing, whichever instances wrote meanwhile; some ' +
  'records are repeated';

const instantOf = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2027-02-01T11:59:45.000Z'] });

export const asOf = instantOf(AS_OF);

export function createChangesPageSchema<Item extends TSchema>(item: Item) {
  return pageOfNamed(
    item,
    Type.Object({
      ...createPageSchema(item).properties,
      asOf: instantOf(`${AS_OF}. The same on every page of a walk`),
    }),
  );
}

export function oneOf<const Values extends readonly string[]>(
  values: Values,
  options: object = {},
): TUnsafe<Values[number]> {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options });
}

interface Loose {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly object[];
}

/** `type`, `enum` and so on stay at the top level, so that a violation is reported for the schema and not for null. */
export function createNullableSchema<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema> | null> {
  const { const: constant, ...rest } = { ...schema } as Loose;
  const values = constant === undefined ? rest.enum : [constant];
  const isNullable = rest.type?.includes('null') || values?.includes(null);
  if (isNullable) return schema as TSchema as TUnsafe<Static<Schema> | null>;
  const flat = {
    ...rest,
    ...(rest.type === undefined ? {} : { type: [rest.type, 'null'].flat() }),
    ...(values === undefined ? {} : { enum: [...values, null] }),
    ...(rest.anyOf === undefined ? {} : { anyOf: [...rest.anyOf, { type: 'null' }] }),
  };
  return markNullable(Type.Unsafe<Static<Schema> | null>(flat), schema);
}

/** RFC 7396: every member may be absent, an optional one may be null (which removes it), objects merge. */
export type PatchOf<T> = {
  [Key in keyof T]?: undefined extends T[Key] ? Patched<NonNullable<T[Key]>> | null : Patched<T[Key]>;
};

type Patched<T> = T extends readonly unknown[] ? T : T extends object ? PatchOf<T> : T;

interface Members {
  readonly properties?: TProperties;
  readonly patternProperties?: TProperties;
  readonly additionalProperties?: TSchema | boolean;
  readonly anyOf?: readonly TSchema[];
  readonly required?: readonly string[];
}

/** Check the merged result with `createCheck`. */
export function createPatchSchema<Properties extends TProperties>(
  schema: TObject<Properties>,
): TUnsafe<PatchOf<Static<TObject<Properties>>>> {
  return toPatch(schema) as TUnsafe<PatchOf<Static<TObject<Properties>>>>;
}

const toPatch = (schema: TSchema): TSchema => {
  const name = getSchemaName(schema);
  const patch = patchedParts(schema);
  return name === undefined || patch === schema ? patch : named(`${name}Changes`, patch);
};

const patchedParts = (schema: TSchema): TSchema => {
  const { default: _, ...rest } = schema as TSchema & { default?: unknown };
  const { properties, patternProperties, additionalProperties, anyOf, required = [] } = rest as Members;
  const alternatives = anyOf?.map(toPatch);
  if (alternatives?.some((alternative, index) => alternative !== anyOf?.[index]))
    return Type.Unsafe({ ...rest, anyOf: alternatives });
  if (!properties && !patternProperties) return 'default' in schema ? Type.Unsafe(rest) : schema;
  const { required: _required, ...object } = rest as Members;
  return Type.Unsafe({
    ...object,
    ...(patternProperties && { patternProperties: patchMembers(patternProperties) }),
    ...(properties && { properties: patchMembers(properties, required) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: createNullableSchema(toPatch(additionalProperties)),
    }),
  });
};

const patchMembers = (members: TProperties, required: readonly string[] = []): TProperties =>
  Object.fromEntries(
    Object.entries(members).map(([name, member]) => [
      name,
      required.includes(name) ? toPatch(member) : createNullableSchema(toPatch(member)),
    ]),
  );

type Source<Shown> = Shown extends readonly (infer Item)[]
  ? readonly Source<Item>[]
  : Shown extends object
    ? { readonly [Name in keyof Shown]: Source<Shown[Name]> }
    : Shown;

interface Described {
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
}

type Copy = (value: unknown) => unknown;

/** Shows what the schema describes, in its order; others, such as internal members of a document, are left out. */
export function createView<Schema extends TSchema>(schema: Schema) {
  const copy = compileCopy(schema);
  return (source: Source<Static<Schema>>): Static<Schema> => (copy ? copy(source) : source) as Static<Schema>;
}

/** Undefined where all of the value is shown. */
const compileCopy = ({ properties, items }: Described): Copy | undefined => {
  const copyItem = items && compileCopy(items);
  const copyItems: Copy = (value) => (copyItem && Array.isArray(value) ? value.map(copyItem) : value);
  if (!properties) return copyItem && copyItems;
  const members = Object.entries(properties).map(([name, member]) => ({ name, copy: compileCopy(member) }));
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return copyItems(value);
    const given = value as Readonly<Record<string, unknown>>;
    const copied: Record<string, unknown> = {};
    for (const { name, copy } of members) {
      const member = Object.hasOwn(given, name) ? given[name] : undefined;
      if (member !== undefined) copied[name] = copy ? copy(member) : member;
    }
    return copied;
  };
};
