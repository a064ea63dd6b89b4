import type { CollectionHandle, Document, Documents } from '../port.ts';
import { keepByKey } from '../wrapping.ts';
import { claim } from './claim.ts';
import type { MongoCollection } from './collection.ts';
import type { Gate } from './connection.ts';
import { createDueDocuments } from './due.ts';
import { type StoredRecord, toDocument, visible } from './record.ts';
import { buildConditions, buildPageQuery, combineAll, type RecordFilter } from './where.ts';
import { insert, insertInOrder, insertMany, update } from './writes.ts';

/** Its pending events and answers are copied first: a crash in between duplicates them, and never loses them. */
export async function remove(
  collection: MongoCollection,
  scope: RecordFilter,
  id: string,
  expected: number | undefined,
): Promise<boolean> {
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
}

export function createCollectionHandle<T extends Document>(
  collection: MongoCollection,
  gate: Gate,
): CollectionHandle<T> {
  return {
    of: keepByKey((institution) => documentsOf<T>(collection, gate, institution)),
    acrossInstitutions: { ...documentsOf<T>(collection, gate, undefined), ...createDueDocuments<T>(collection, gate) },
  };
}

/** The documents of one institution, or of all where that is undefined. */
const documentsOf = <T extends Document>(
  collection: MongoCollection,
  gate: Gate,
  institution: string | undefined,
): Documents<T> => {
  const scope = institution === undefined ? {} : { institution };
  const { records } = collection;
  return {
    insert: (document, options = {}) =>
      gate.run((call) => insert<T>(collection, institution ?? '', document, options, call)),
    insertMany: (documents, options = {}) =>
      gate.runLong(() => insertMany<T>(collection, institution ?? '', documents, options)),
    insertInOrder: (documents) => gate.run(() => insertInOrder<T>(collection, institution ?? '', documents)),
    get: (id) =>
      gate.run(async () => {
        const record = await records.findOne({ _id: id, ...scope }, { projection: visible });
        return record ? toDocument<T>(record) : undefined;
      }),
    find: (query = {}) =>
      gate.run(async () => {
        const { filter, sort } = buildPageQuery(query, institution);
        // MongoDB reads a limit of 0 as no limit.
        if (query.limit !== undefined && query.limit <= 0) return [];
        const cursor = records.find(filter, { projection: visible }).sort(sort);
        const found = await (query.limit === undefined ? cursor : cursor.limit(query.limit)).toArray();
        return found.map((one) => toDocument<T>(one));
      }),
    count: (where = {}, most) =>
      gate.run(async () =>
        records.countDocuments(
          combineAll(buildConditions(where, institution)),
          most === undefined ? {} : { limit: most },
        ),
      ),
    update: (id, fn, options = {}) => gate.run((call) => update<T>(collection, scope, id, fn, options, call)),
    delete: (id, version) => gate.run(() => remove(collection, scope, id, version)),
    claim: (request) => gate.run(() => claim<T>(collection, institution, request)),
  };
};
