import { IdempotencyKeyTaken } from '../../errors.ts';
import type { Change, Document, WriteOptions } from '../../port.ts';
import type { MongoCollection } from '../collection.ts';
import { type Call, whileAwaited } from '../connection/gate.ts';
import {
  excessOf,
  type Parts,
  partsWith,
  storedIdempotencyRecord,
  unchanged,
  updateOf,
} from '../idempotency/records.ts';
import { eventsOf, type FrozenFact, freeze } from '../outbox/events.ts';
import { outboxCapacity } from '../outbox/outbox.ts';
import { bodyOf } from '../records/body.ts';
import { contentOf, documentOf, prompt, type StoredRecord, writable } from '../records/record.ts';
import type { RecordFilter } from '../records/where.ts';
import { explain, refuseAnswered } from './refusal.ts';

/** Whether the document has an unexpired record of the key: an earlier attempt's write, perhaps one that came late. */
const hasKey = ({ _idempotencyRecords: records = [] }: StoredRecord, key: string | undefined): boolean =>
  key !== undefined && records.some((one) => one.key === key && one.expiresAt > Date.now());

const taken = (key: string | undefined) => new IdempotencyKeyTaken(`the key ${key} is taken`);

/**
 * The idempotency records after the write, or undefined if unchanged. Makes room for them before the write where
 * needed.
 */
const nextIdempotencyRecords = async <T extends Document>(
  { idempotency }: MongoCollection,
  record: StoredRecord,
  next: T,
  { idempotencyRecord, forget }: WriteOptions<T>,
) => {
  const now = Date.now();
  const before = record._idempotencyRecords ?? [];
  const current = before.filter(
    (one) => one.expiresAt > now && !(forget !== undefined && one.subjects?.includes(forget)),
  );
  if (hasKey(record, idempotencyRecord?.key)) throw taken(idempotencyRecord?.key);
  if (!idempotencyRecord) return current.length === before.length ? undefined : current;
  const own = storedIdempotencyRecord(idempotencyRecord, idempotencyRecord.answer(next));
  await idempotency.carry(current.splice(0, excessOf(current, own)));
  return [...current, own];
};

/** State shared by the attempts of one update. */
interface More {
  readonly facts: readonly FrozenFact[];
  readonly traceparent: string | undefined;
  readonly call: Call;
}

/**
 * Writes the change if the document is unchanged since it was read; returns the document, or undefined on a lost race.
 */
const replace = async <T extends Document>(
  collection: MongoCollection,
  record: StoredRecord,
  { next, events: facts }: Change<T>,
  options: WriteOptions<T>,
  more: More,
): Promise<T | undefined> => {
  const { _id, institution, version } = record;
  if (next.id !== _id) throw new Error(`an update cannot change the id ${_id} to ${next.id}`);
  const content = contentOf(collection.schema, institution, _id, bodyOf(next));
  const written = documentOf<T>({ _id, institution, version: version + 1, ...content });
  const idempotencyRecords = await nextIdempotencyRecords(collection, record, written, options);
  whileAwaited(more.call);
  const changed: Parts = idempotencyRecords ? partsWith(idempotencyRecords) : { $set: {}, $unset: {} };
  const home = { collection: collection.schema.name, document: _id };
  const events = eventsOf([...freeze(facts), ...more.facts], home, version + 1, more.traceparent);
  const [first] = events;
  const filter: RecordFilter = {
    _id,
    institution,
    version,
    ...(idempotencyRecords ? unchanged(record) : {}),
    ...(first ? { [`_outbox.${outboxCapacity - 1}`]: { $exists: false } } : {}),
  };
  const parts: Parts = {
    $set: { ...content, ...changed.$set, version: version + 1 },
    $unset: { ...changed.$unset, ...(record._escaped && !content._escaped ? { _escaped: '' } : {}) },
  };
  const pushed = first ? { $push: { _outbox: { $each: events } }, $min: { _pending: first.at } } : {};
  const { matchedCount } = await collection.records.updateOne(filter, { ...updateOf(parts), ...pushed }, prompt);
  if (matchedCount === 0) return undefined;
  collection.outbox.committed(events, institution);
  return written;
};

const pause = (attempt: number) =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(50, 2 ** attempt)));

/** Loads, calls `fn` and writes by compare-and-swap, until it succeeds or its call has timed out. */
const swap = async <T extends Document>(
  collection: MongoCollection,
  wanted: RecordFilter,
  fn: (current: T) => Change<T> | undefined,
  options: WriteOptions<T>,
  more: More,
): Promise<T | undefined> => {
  const { forget } = options;
  let seen = 0;
  /** The key for which an earlier attempt has looked for an answer. */
  let refusedIfAnswered: string | undefined;
  for (let attempt = 0; ; attempt++) {
    whileAwaited(more.call);
    const record = await collection.records.findOne(wanted, { projection: writable });
    if (!record) return undefined;
    if (record.version === seen) await refuseFull(collection, record._id);
    seen = record.version;
    // What the function says of a document that has the effect of this request is no answer to it.
    if (hasKey(record, options.idempotencyRecord?.key)) throw taken(options.idempotencyRecord?.key);
    const change = fn(documentOf<T>(record));
    if (!change) return documentOf<T>(record);
    const own = change.remember === false ? { ...options, idempotencyRecord: undefined } : options;
    const key = own.idempotencyRecord?.key;
    if (key !== refusedIfAnswered) await refuseAnswered(collection, key);
    refusedIfAnswered = key;
    // Before and after the write: neither a crash in between nor a race leaves an answer that must be erased.
    if (forget !== undefined) await collection.idempotency.forgetBut(forget, key);
    try {
      const written = await replace(collection, record, change, own, more);
      if (written && forget !== undefined) await collection.idempotency.forgetBut(forget, key);
      if (written) return written;
    } catch (error) {
      await explain(collection, error, key);
    }
    await pause(attempt);
  }
};

/** The port's update; updates of one document are serialized within the process. */
export const update = async <T extends Document>(
  collection: MongoCollection,
  scope: RecordFilter,
  id: string,
  fn: (current: T) => Change<T> | undefined,
  options: WriteOptions<T>,
  call: Call,
): Promise<T | undefined> => {
  const more = { facts: freeze(options.events), traceparent: collection.surroundings.trace?.(), call };
  return collection.turns(id, () => swap(collection, { _id: id, ...scope }, fn, options, more));
};

/** Bounds the outbox: without a relay it would grow until MongoDB refuses the document. */
const refuseFull = async ({ schema, records }: MongoCollection, id: string): Promise<void> => {
  const full = { _id: id, [`_outbox.${outboxCapacity - 1}`]: { $exists: true } };
  if (!(await records.findOne(full, { projection: { _id: 1 } }))) return;
  throw new Error(`${schema.name}/${id} has ${outboxCapacity} events that were not published; is the broker down?`);
};
