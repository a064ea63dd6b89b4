import { createHash } from 'node:crypto';
import type { IndexDescription } from 'mongodb';
import type { Collection, Document, Index } from '../../port.ts';
import { type JsonObject, valueAt } from './body.ts';

/** A unique index in its documents: under its name a text that occurs once. */
export interface UniqueKey {
  /** The declared name. */
  readonly declared: string;
  /** The declared name with a hash of the definition: the name of MongoDB's index and of the member in `_unique`. */
  readonly name: string;
  readonly fields: readonly string[];
  readonly acrossInstitutions: boolean;
}

/** A collection as the engine uses it. */
export interface Schema {
  readonly name: string;
  readonly unique: readonly UniqueKey[];
  readonly indexes: readonly IndexDescription[];
}

/** The index that admits each idempotency key in one document only. */
export const idempotencyIndex = 'store.idempotency';

const path = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$/;
const own: Readonly<Record<string, string>> = { id: '_id', version: 'version', institution: 'institution' };

/** The path of a document's field in its record. @throws for anything but a dotted path */
export const recordPath = (field: string): string => {
  if (!path.test(field)) throw new Error(`${JSON.stringify(field)} is not a field path`);
  return own[field] ?? `body.${field}`;
};

const named = (name: string, pattern: RegExp, what: string) => {
  if (!pattern.test(name)) throw new Error(`${JSON.stringify(name)} is not a name of ${what}`);
};

const hash = (definition: unknown) => createHash('sha256').update(JSON.stringify(definition)).digest('hex').slice(0, 8);

/** The paths of an index; the id comes last, as the tie-break of every order, so that pages are read from the index. */
const pathsOf = (index: Index): readonly string[] => [
  ...new Set([...(index.acrossInstitutions ? [] : ['institution']), ...index.fields.map(recordPath), '_id']),
];

const plain = (paths: readonly string[]): IndexDescription => {
  const keys = paths.map((one) => [one, 1] as const);
  return { key: Object.fromEntries(keys), name: `plain#${hash(paths)}` };
};

const uniqueKey = ({ name, fields, acrossInstitutions = false }: Index): UniqueKey => ({
  declared: name,
  name: `${name}#${hash([fields, acrossInstitutions])}`,
  fields,
  acrossInstitutions,
});

/** The indexes of the engine's own look-ups. */
const ownIndexes: readonly IndexDescription[] = [
  { key: { _pending: 1 }, name: 'store.pending', sparse: true },
  { key: { _idempotencyKeys: 1 }, name: idempotencyIndex, sparse: true, unique: true },
  { key: { _subjects: 1 }, name: 'store.subjects', sparse: true },
];

/** The indexes of a collection. @throws if a name in it is not allowed */
export const schemaOf = ({ name, indexes }: Collection<Document>): Schema => {
  named(name, /^[a-z_]+$/, 'a collection');
  for (const index of indexes) {
    named(index.name, /^[A-Za-z0-9_]+$/, 'an index');
    if (index.fields.length === 0) throw new Error(`index ${index.name} of ${name} has no fields`);
  }
  const unique = indexes.filter((one) => one.unique).map(uniqueKey);
  const all = [
    ...ownIndexes,
    ...indexes.map((one) => plain(pathsOf(one))),
    ...unique.map((one) => ({
      key: { [`_unique.${one.name}`]: 1 as const },
      name: one.name,
      unique: true,
      sparse: true,
    })),
  ];
  return { name, unique, indexes: [...new Map(all.map((one) => [one.name, one])).values()] };
};

/** The unique keys of a document, by index. */
export const uniqueKeys = (schema: Schema, institution: string, id: string, body: JsonObject) => {
  const keys: Record<string, string> = {};
  for (const { name, fields, acrossInstitutions } of schema.unique) {
    const values = fields.map((field) => valueAt({ ...body, id, institution }, field));
    if (values.some((value) => value === null || value === undefined)) continue;
    keys[name] = JSON.stringify(acrossInstitutions ? values : [institution, ...values]);
  }
  return keys;
};
