import type { MongoCollection } from '../collection.ts';
import type { StoredRecord } from '../records/record.ts';
import type { RecordFilter } from '../records/where.ts';

/**
 * Deletes a document, if it has the expected version; returns whether it did. Its pending events and stored answers are first copied elsewhere: a
 * crash in between duplicates them, which consumers tolerate, and never loses them.
 */
export const remove = async (
  collection: MongoCollection,
  scope: RecordFilter,
  id: string,
  expected: number | undefined,
): Promise<boolean> => {
  const { records, outbox, idempotency, schema } = collection;
  const projection = { version: 1, institution: 1, _outbox: 1, _pending: 1, _idempotencyRecords: 1 };
  for (;;) {
    const record = await records.findOne<StoredRecord>({ _id: id, ...scope }, { projection });
    if (!record) return false;
    if (expected !== undefined && record.version !== expected) return false;
    const { version, institution, _outbox = [], _pending = _outbox[0]?.at, _idempotencyRecords = [] } = record;
    if (_outbox.length > 0 && _pending !== undefined) {
      const of = `${schema.name}.${id}`;
      await outbox.orphan({ _id: `${of}.${version}`, of, institution, _outbox, _pending });
    }
    await idempotency.carry(_idempotencyRecords.filter((one) => one.expiresAt > Date.now()));
    const { deletedCount } = await records.deleteOne({ _id: id, ...scope, version });
    if (deletedCount === 1) return true;
  }
};
