import { MongoBulkWriteError } from 'mongodb';
import { type Document, type New, UniqueViolation, type WriteOptions } from '../../port.ts';
import type { Shelf } from '../collection.ts';
import { type Call, whileAwaited } from '../connection/gate.ts';
import { stampsAs, storedStamp } from '../idempotency/records.ts';
import { eventsOf, freeze } from '../outbox/events.ts';
import { bodyOf } from '../records/body.ts';
import { takenIndex } from '../records/duplicates.ts';
import { contentOf, documentOf, prompt, type StoredRecord } from '../records/record.ts';
import { explain, refuseAnswered } from './refusal.ts';

/** So many documents of an insertMany go in one message. */
const batch = 1000;

const recordOf = ({ schema }: Shelf, institution: string, document: New<Document>): StoredRecord => {
  if (typeof document.id !== 'string' || document.id === '') throw new Error('a document needs an id');
  const content = contentOf(schema, institution, document.id, bodyOf(document));
  return { _id: document.id, institution, version: 1, ...content };
};

/** Inserts one document with its stamp and events. */
export const insert = async <T extends Document>(
  shelf: Shelf,
  institution: string,
  document: New<T>,
  { stamp, events: facts, forget }: WriteOptions<T>,
  call: Call,
): Promise<T> => {
  const plain = recordOf(shelf, institution, document);
  const frozen = freeze(facts);
  const traceparent = shelf.surroundings.trace?.();
  const written = documentOf<T>(plain);
  const stored = stamp && storedStamp(stamp, stamp.answer(written));
  await refuseAnswered(shelf, stamp?.key);
  if (forget !== undefined) await shelf.idempotency.forgetBut(forget, stamp?.key);
  for (;;) {
    const events = eventsOf(frozen, { collection: shelf.schema.name, document: plain._id }, 1, traceparent);
    const record = {
      ...plain,
      ...(stored ? stampsAs([stored]).$set : {}),
      ...(events[0] ? { _outbox: events, _pending: events[0].at } : {}),
    };
    whileAwaited(call);
    try {
      await shelf.records.insertOne(record, prompt);
    } catch (error) {
      await explain(shelf, error, stamp?.key);
      continue;
    }
    shelf.outbox.committed(events, institution);
    return written;
  }
};

/** The records of a batch that were refused for another reason than that their id is there. */
const refused = async ({ schema, records }: Shelf, error: MongoBulkWriteError, tried: readonly StoredRecord[]) => {
  const failures = [error.writeErrors].flat();
  const others = failures.filter((one) => one.code !== 11_000);
  if (others.length > 0) throw error;
  const suspects = failures.flatMap((one) => {
    const taken = takenIndex(schema, one.errmsg ?? '');
    const record = tried[one.index];
    return 'index' in taken && taken.index !== 'id' && record ? [{ index: taken.index, id: record._id }] : [];
  });
  // The server names one of the violated indexes; a document that is there already is no violation.
  const there = await records
    .find({ _id: { $in: suspects.map((one) => one.id) } }, { projection: { _id: 1 } })
    .toArray();
  const ids = new Set(there.map((one) => one._id));
  return suspects.filter((one) => !ids.has(one.id));
};

/** Inserts many, skipping ids that are there. */
export const insertMany = async <T extends Document>(
  shelf: Shelf,
  institution: string,
  documents: readonly New<T>[],
): Promise<number> => {
  const all = documents.map((one) => recordOf(shelf, institution, one));
  let inserted = 0;
  for (let start = 0; start < all.length; start += batch) {
    const some = all.slice(start, start + batch);
    try {
      inserted += (await shelf.records.insertMany(some, { ordered: false })).insertedCount;
    } catch (error) {
      if (!(error instanceof MongoBulkWriteError)) throw error;
      const [first] = await refused(shelf, error, some);
      if (first) throw new UniqueViolation(first.index);
      inserted += some.length - [error.writeErrors].flat().length;
    }
  }
  return inserted;
};
