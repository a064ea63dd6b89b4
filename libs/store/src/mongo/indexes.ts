import { type Collection, type IndexDescription, MongoServerError } from 'mongodb';
import { LONG_TIMEOUT } from './connection.ts';
import {
  computeUniqueKeys,
  decode,
  getRecordPath,
  isDuplicate,
  type Schema,
  type StoredRecord,
  type UniqueKey,
} from './record.ts';

/** Harmless server codes: another instance was faster, or an operator has created the same index. */
const noCollection = 26;
const noIndex = 27;
const sameKeys = 85;

/** Names of this engine's indexes; all others belong to operators and stay. */
const ours = /^(?:\w+#[0-9a-f]{8}|store\.\w+)$/;

/** Names carry a hash of the definition, so a changed index is a new one. The instance that starts last decides. */
export async function ensureIndexes(records: Collection<StoredRecord>, schema: Schema): Promise<void> {
  const there = await existing(records);
  const wanted = new Set(schema.indexes.map((one) => one.name));
  for (const index of schema.indexes) if (!there.includes(index.name ?? '')) await create(records, schema, index);
  for (const name of there) {
    if (!ours.test(name) || wanted.has(name)) continue;
    await records.dropIndex(name).catch((error: unknown) => {
      if (!hasCode(error, noCollection, noIndex)) throw error;
    });
  }
}

const existing = async (records: Collection<StoredRecord>): Promise<string[]> => {
  try {
    return (await records.listIndexes().toArray()).map((one) => String(one.name));
  } catch (error) {
    if (hasCode(error, noCollection)) return [];
    throw error;
  }
};

const hasCode = (error: unknown, ...codes: readonly number[]) =>
  error instanceof MongoServerError && codes.includes(Number(error.code));

const create = async (records: Collection<StoredRecord>, schema: Schema, index: IndexDescription) => {
  const { key, name = '', ...options } = index;
  const unique = schema.unique.find((one) => one.name === name);
  if (unique) await fillKeys(records, schema, unique);
  try {
    await records.createIndex(key, { name, ...options, ...LONG_TIMEOUT });
  } catch (error) {
    if (hasCode(error, sameKeys)) return;
    if (!isDuplicate(error)) throw error;
    const what = `unique index ${unique?.declared ?? name} of ${schema.name}`;
    throw new Error(`${what} cannot be created: there are documents that collide in it`, { cause: error });
  }
};

/** Adds the unique key to documents written before the index was declared. Idempotent, and safe during other writes. */
const fillKeys = async (records: Collection<StoredRecord>, schema: Schema, { name, fields }: UniqueKey) => {
  const present = fields.map((field) => ({ [getRecordPath(field)]: { $ne: null } }));
  const missing = records.find({ $and: [{ [`_unique.${name}`]: { $exists: false } }, ...present] });
  for await (const { _id, institution, version, body, _escaped } of missing) {
    const key = computeUniqueKeys(schema, institution, _id, decode(body, _escaped))[name];
    if (key !== undefined) await records.updateOne({ _id, version }, { $set: { [`_unique.${name}`]: key } });
  }
};
