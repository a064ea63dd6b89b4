import { createHash } from 'node:crypto';
import { type IndexDescription, MongoServerError } from 'mongodb';
import { findEarliest, requireWork } from '../due.ts';
import { requireDeclaration, requirePath } from '../engines.ts';
import type { Collection, Document, Due, Index } from '../port.ts';

// MongoDB gives `$` at the beginning of a member's name, and dots in it, a meaning: they are stored as %24 and %2E.

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
type JsonObject = { readonly [name: string]: Json };

const special = /^\$|[.%\0]/;

/** The members that the store sets; never part of a body. */
const storeOwn: ReadonlySet<string> = new Set(['id', 'version', 'institution', 'due']);

export function toBody(document: object): JsonObject {
  const own = Object.fromEntries(Object.entries(document).filter(([name]) => !storeOwn.has(name)));
  return JSON.parse(JSON.stringify(own)) as JsonObject;
}

/** The body as it is stored; `escaped` if a name was changed, so that reads decode only where needed. */
export function encode(body: JsonObject): { body: JsonObject; escaped: boolean } {
  return hasSpecialNames(body)
    ? { body: rename(body, encodeName) as JsonObject, escaped: true }
    : { body, escaped: false };
}

const hasSpecialNames = (value: Json): boolean => {
  if (value === null || typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.some(hasSpecialNames);
  return Object.entries(value).some(([key, one]) => special.test(key) || hasSpecialNames(one));
};

const rename = (value: Json, name: (name: string) => string): Json => {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((one) => rename(one, name));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [name(key), rename(one, name)]));
};

const encodeName = (name: string): string =>
  special.test(name)
    ? name.replace(/^\$|[.%\0]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
    : name;

export function decode(body: JsonObject, escaped: boolean | undefined): JsonObject {
  return escaped ? (rename(body, decodeName) as JsonObject) : body;
}

const decodeName = (name: string): string =>
  name.replace(/%([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));

/** A unique index in its documents: under its name a text that occurs once. */
export type UniqueKey = ReturnType<typeof uniqueKey>;

export type Schema = ReturnType<typeof createSchema>;

/** The index that admits each idempotency key in one document only. */
const idempotencyIndex = 'store.idempotency';

const own: Readonly<Record<string, string>> = { id: '_id', version: 'version', institution: 'institution' };

/** The path of a document's field in its record. @throws for anything but a dotted path */
export function getRecordPath(field: string): string {
  return own[requirePath(field)] ?? `body.${field}`;
}

const ownIndexes: readonly IndexDescription[] = [
  { key: { _pending: 1 }, name: 'store.pending', sparse: true },
  { key: { _idempotencyKeys: 1 }, name: idempotencyIndex, sparse: true, unique: true },
  { key: { _subjects: 1 }, name: 'store.subjects', sparse: true },
];

/** The collection of the events that their documents have no room for, or that outlive them. */
export const ORPHANAGE = 'store.orphans';

const dueIndex: IndexDescription = { key: { _dueAt: 1, _id: 1 }, name: 'store.due', sparse: true };

/** The indexes of a collection. @throws if a name in it is not allowed */
export function createSchema(collection: Collection<Document>) {
  requireDeclaration(collection);
  const { name, indexes } = collection;
  const work = requireWork(name, collection.work);
  const unique = indexes.filter((one) => one.unique).map(uniqueKey);
  const all = [
    ...ownIndexes,
    ...(work.size > 0 ? [dueIndex] : []),
    ...indexes.map((one) => plain(pathsOf(one))),
    ...unique.map((one) => ({
      key: { [`_unique.${one.name}`]: 1 as const },
      name: one.name,
      unique: true,
      sparse: true,
    })),
  ];
  return { name, work, unique, indexes: [...new Map(all.map((one) => [one.name, one])).values()] };
}

const uniqueKey = ({ name, fields, acrossInstitutions = false }: Index) => ({
  declared: name,
  /** The declared name with a hash of the definition: the name of MongoDB's index and of the member in `_unique`. */
  name: `${name}#${hash([fields, acrossInstitutions])}`,
  fields,
  acrossInstitutions,
});

const hash = (definition: unknown) => createHash('sha256').update(JSON.stringify(definition)).digest('hex').slice(0, 8);

const plain = (paths: readonly string[]): IndexDescription => {
  const keys = paths.map((one) => [one, 1] as const);
  return { key: Object.fromEntries(keys), name: `plain#${hash(paths)}` };
};

/** The paths of an index; the id comes last, as the tie-break of every order, so that pages are read from the index. */
const pathsOf = (index: Index): readonly string[] => [
  ...new Set([...(index.acrossInstitutions ? [] : ['institution']), ...index.fields.map(getRecordPath), '_id']),
];

export function computeUniqueKeys(schema: Schema, institution: string, id: string, body: JsonObject) {
  const keys: Record<string, string> = {};
  for (const { name, fields, acrossInstitutions } of schema.unique) {
    const values = fields.map((field) => valueAt({ ...body, id, institution }, field));
    if (values.some((value) => value === null || value === undefined)) continue;
    keys[name] = JSON.stringify(acrossInstitutions ? values : [institution, ...values]);
  }
  return keys;
}

const valueAt = (body: JsonObject, path: string): Json | undefined => {
  let value: Json | undefined = body;
  for (const name of path.split('.')) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
    value = (value as JsonObject)[name];
  }
  return value;
};

const duplicateKey = 11_000;

/** The taken key of a write: the index as declared, `id`, or the idempotency key. */
type Taken = { readonly idempotencyKey: true } | { readonly index: string };

export function isDuplicate(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === duplicateKey;
}

export function parseTakenIndex(schema: Schema, message: string): Taken {
  // "E11000 duplicate key error collection: db.things index: email#1a2b3c4d dup key: { … }"
  const name = /index: (\S+)/.exec(message)?.[1] ?? '';
  if (name === idempotencyIndex) return { idempotencyKey: true };
  if (name === '_id_' || name === '_id') return { index: 'id' };
  return { index: schema.unique.find((one) => one.name === name)?.declared ?? name };
}

export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly key: string;
  readonly version: number;
  /** Epoch milliseconds, by the clock of the writing process. */
  readonly at: number;
  readonly traceparent?: string;
  /** JSON. */
  readonly data: string;
}

export interface StoredIdempotencyRecord {
  readonly key: string;
  readonly fingerprint: string;
  readonly expiresAt: number;
  readonly subjects?: readonly string[];
  /** JSON. */
  readonly answer: string;
}

/** A document as MongoDB stores it: the body is the service's, every other member the store's. */
export interface StoredRecord {
  readonly _id: string;
  readonly institution: string;
  readonly version: number;
  readonly body: JsonObject;
  readonly _escaped?: boolean;
  /** Unique keys by index; absent where one of the values is null. */
  readonly _unique: Readonly<Record<string, string>>;
  readonly _outbox?: readonly StoredEvent[];
  /** Present while the outbox is not empty: at or before the time of its oldest event. */
  readonly _pending?: number;
  readonly _idempotencyRecords?: readonly StoredIdempotencyRecord[];
  /** For their unique index. Never an empty array, which such an index would treat as a value. */
  readonly _idempotencyKeys?: readonly string[];
  readonly _subjects?: readonly string[];
  /** The due work; absent: none. Replaced as a whole, conditional on the whole. */
  readonly _due?: Due;
  readonly _dueAt?: number;
}

/** The members of due work; none where nothing is due. */
export function toDueMembers(due: Due | undefined): Pick<StoredRecord, '_due' | '_dueAt'> {
  return due ? { _due: due, _dueAt: findEarliest(due) ?? 0 } : {};
}

export function buildDueParts(due: Due | undefined): {
  readonly $set: Partial<StoredRecord>;
  readonly $unset: Readonly<Record<string, ''>>;
} {
  return due ? { $set: toDueMembers(due), $unset: {} } : { $set: {}, $unset: { _due: '', _dueAt: '' } };
}

/** Matches while the due work is what was read. */
export function matchUnchangedDue(due: Due | undefined) {
  return { _due: due ?? { $exists: false } };
}

/** The projection of reads: pending events and stored answers stay on the server. */
export const visible = {
  _outbox: 0,
  _pending: 0,
  _idempotencyRecords: 0,
  _idempotencyKeys: 0,
  _subjects: 0,
  _unique: 0,
  _dueAt: 0,
} as const;

/** The projection of reads that precede a write. */
export const writable = { _outbox: 0, _pending: 0, _unique: 0, _dueAt: 0 } as const;

/** A write that records its own time must be visible soon (the port: Documents): the server aborts it after this. */
export const writeOptions = { maxTimeMS: 4_000 } as const;

export function toDocument<T extends Document>(record: StoredRecord): T {
  return {
    ...decode(record.body, record._escaped),
    id: record._id,
    version: record.version,
    institution: record.institution,
    ...(record._due && { due: record._due }),
  } as Document as T;
}

export function buildContent(schema: Schema, institution: string, id: string, body: JsonObject) {
  const encoded = encode(body);
  return {
    body: encoded.body,
    ...(encoded.escaped ? { _escaped: true } : {}),
    _unique: computeUniqueKeys(schema, institution, id, body),
  };
}
