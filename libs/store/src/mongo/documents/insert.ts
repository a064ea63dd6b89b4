import { MongoBulkWriteError } from 'mongodb';
import { UniqueViolation } from '../../errors.ts';
import type { Document, New, WriteOptions } from '../../port.ts';
import type { MongoCollection } from '../collection.ts';
import { LONG_TIMEOUT } from '../connection/client.ts';
import { type Call, whileAwaited } from '../connection/gate.ts';
import { partsWith, storedIdempotencyRecord } from '../idempotency/records.ts';
import { eventsOf, freeze } from '../outbox/events.ts';
import { bodyOf } from '../records/body.ts';
import { contentOf, documentOf, prompt, type StoredRecord } from '../records/record.ts';
import { takenIndex } from '../records/schema.ts';
import { explain, refuseAnswered } from './refusal.ts';

/** Documents of an insertMany in one message. */
const batch = 1000;

const recordOf = ({ schema }: MongoCollection, institution: string, document: New<Document>): StoredRecord => {
  if (typeof document.id !== 'string' || document.id === '') throw new Error('a document needs an id');
  const content = contentOf(schema, institution, document.id, bodyOf(document));
  return { _id: document.id, institution, version: 1, ...content };
};

/** Inserts one document with its idempotency record and events. */
export const insert = async <T extends Document>(
  collection: MongoCollection,
  institution: string,
  document: New<T>,
  { idempotencyRecord, events: facts, forget }: WriteOptions<T>,
  call: Call,
): Promise<T> => {
  const plain = recordOf(collection, institution, document);
  const frozen = freeze(facts);
  const traceparent = collection.surroundings.trace?.();
  const written = documentOf<T>(plain);
  const stored = idempotencyRecord && storedIdempotencyRecord(idempotencyRecord, idempotencyRecord.answer(written));
  await refuseAnswered(collection, idempotencyRecord?.key);
  if (forget !== undefined) await collection.idempotency.forgetBut(forget, idempotencyRecord?.key);
  for (;;) {
    const events = eventsOf(frozen, { collection: collection.schema.name, document: plain._id }, 1, traceparent);
    const record = {
      ...plain,
      ...(stored ? partsWith([stored]).$set : {}),
      ...(events[0] ? { _outbox: events, _pending: events[0].at } : {}),
    };
    whileAwaited(call);
    try {
      await collection.records.insertOne(record, prompt);
    } catch (error) {
      await explain(collection, error, idempotencyRecord?.key);
      continue;
    }
    collection.outbox.committed(events, institution);
    return written;
  }
};

/** The records of a batch that were refused for another reason than an existing id. */
const refused = async (
  { schema, records }: MongoCollection,
  error: MongoBulkWriteError,
  tried: readonly StoredRecord[],
) => {
  const failures = [error.writeErrors].flat();
  const others = failures.filter((one) => one.code !== 11_000);
  if (others.length > 0) throw error;
  const suspects = failures.flatMap((one) => {
    const taken = takenIndex(schema, one.errmsg ?? '');
    const record = tried[one.index];
    return 'index' in taken && taken.index !== 'id' && record ? [{ index: taken.index, id: record._id }] : [];
  });
  // The server names one of the violated indexes; an existing document is not reported as a violation.
  const there = await records
    .find({ _id: { $in: suspects.map((one) => one.id) } }, { projection: { _id: 1 } })
    .toArray();
  const ids = new Set(there.map((one) => one._id));
  return suspects.filter((one) => !ids.has(one.id));
};

/** Inserts many documents, and skips existing ids. */
export const insertMany = async <T extends Document>(
  collection: MongoCollection,
  institution: string,
  documents: readonly New<T>[],
): Promise<number> => {
  const all = documents.map((one) => recordOf(collection, institution, one));
  let inserted = 0;
  for (let start = 0; start < all.length; start += batch) {
    const some = all.slice(start, start + batch);
    try {
      inserted += (await collection.records.insertMany(some, { ordered: false, ...LONG_TIMEOUT })).insertedCount;
    } catch (error) {
      if (!(error instanceof MongoBulkWriteError)) throw error;
      const [first] = await refused(collection, error, some);
      if (first) throw new UniqueViolation(first.index);
      inserted += some.length - [error.writeErrors].flat().length;
    }
  }
  return inserted;
};

/** Inserts documents one after the other, up to the first whose id or unique index is taken. */
export const insertInOrder = async <T extends Document>(
  collection: MongoCollection,
  institution: string,
  documents: readonly New<T>[],
): Promise<void> => {
  if (documents.length === 0) return;
  const all = documents.map((one) => recordOf(collection, institution, one));
  try {
    await collection.records.insertMany(all, { ordered: true, ...prompt });
  } catch (error) {
    const failure = error instanceof MongoBulkWriteError ? [error.writeErrors].flat()[0] : undefined;
    if (failure?.code !== 11_000) throw error;
    const taken = takenIndex(collection.schema, failure.errmsg ?? '');
    throw new UniqueViolation('index' in taken ? taken.index : 'id');
  }
};
