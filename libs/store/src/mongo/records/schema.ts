import { createHash } from 'node:crypto';
import { type IndexDescription, MongoServerError } from 'mongodb';
import { requireDeclaration, requirePath } from '../../declarations.ts';
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
const idempotencyIndex = 'store.idempotency';

const own: Readonly<Record<string, string>> = { id: '_id', version: 'version', institution: 'institution' };

/** The path of a document's field in its record. @throws for anything but a dotted path */
export const recordPath = (field: string): string => own[requirePath(field)] ?? `body.${field}`;

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
export const schemaOf = (collection: Collection<Document>): Schema => {
  requireDeclaration(collection);
  const { name, indexes } = collection;
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

/** The server's code of a violated unique index. */
const duplicateKey = 11_000;

/** The taken key of a write: the index as declared, `id`, or the idempotency key. */
export type Taken = { readonly idempotencyKey: true } | { readonly index: string };

/** Whether this is a unique index that was violated. */
export const isDuplicate = (error: unknown): error is MongoServerError =>
  error instanceof MongoServerError && error.code === duplicateKey;

/** The index that the server's message names. */
export const takenIndex = (schema: Schema, message: string): Taken => {
  // "E11000 duplicate key error collection: db.things index: email#1a2b3c4d dup key: { … }"
  const name = /index: (\S+)/.exec(message)?.[1] ?? '';
  if (name === idempotencyIndex) return { idempotencyKey: true };
  if (name === '_id_' || name === '_id') return { index: 'id' };
  return { index: schema.unique.find((one) => one.name === name)?.declared ?? name };
};
