import { MongoBulkWriteError } from 'mongodb';
import { changeDue } from '../due.ts';
import { IdempotencyKeyTaken, UniqueViolation } from '../engines.ts';
import type { Change, Document, DueChange, InsertOptions, New, WriteOptions } from '../port.ts';
import { explain, type MongoCollection, refuseAnsweredKey } from './collection.ts';
import { type Call, LONG_TIMEOUT, requireInTime } from './connection.ts';
import {
  buildUpdateParts,
  countExcess,
  matchUnchanged,
  type Parts,
  removeEmptyParts,
  toStoredIdempotencyRecord,
} from './idempotency.ts';
import { buildEvents, type FrozenFact, freeze, outboxCapacity } from './outbox.ts';
import {
  buildContent,
  buildDueParts,
  matchUnchangedDue,
  parseTakenIndex,
  type StoredRecord,
  toBody,
  toDocument,
  toDueMembers,
  writable,
  writeOptions,
} from './record.ts';
import type { RecordFilter } from './where.ts';

/** Documents of an insertMany in one message. */
const batch = 1000;

export async function insert<T extends Document>(
  collection: MongoCollection,
  institution: string,
  document: New<T>,
  { idempotencyRecord, events: facts, forget, due }: InsertOptions<T>,
  call: Call,
): Promise<T> {
  const plain = recordOf(collection, institution, document, due);
  const frozen = freeze(facts);
  const traceparent = collection.surroundings.trace?.();
  const written = toDocument<T>(plain);
  const stored = idempotencyRecord && toStoredIdempotencyRecord(idempotencyRecord, idempotencyRecord.answer(written));
  await refuseAnsweredKey(collection, idempotencyRecord?.key);
  if (forget !== undefined) await collection.idempotency.forgetBut(forget, idempotencyRecord?.key);
  for (;;) {
    const events = buildEvents(frozen, { collection: collection.schema.name, document: plain._id }, 1, traceparent);
    const record = {
      ...plain,
      ...(stored ? buildUpdateParts([stored]).$set : {}),
      ...(events[0] ? { _outbox: events, _pending: events[0].at } : {}),
    };
    requireInTime(call);
    try {
      await collection.records.insertOne(record, writeOptions);
    } catch (error) {
      await explain(collection, error, idempotencyRecord?.key);
      continue;
    }
    collection.outbox.notifyCommitted(events, institution);
    collection.notifyDue(collection.schema.name, due);
    return written;
  }
}

const recordOf = (
  { schema }: MongoCollection,
  institution: string,
  document: New<Document>,
  due: DueChange = {},
): StoredRecord => {
  if (typeof document.id !== 'string' || document.id === '') throw new Error('a document needs an id');
  const content = buildContent(schema, institution, document.id, toBody(document));
  return { _id: document.id, institution, version: 1, ...content, ...toDueMembers(changeDue(undefined, due, schema)) };
};

export async function insertMany<T extends Document>(
  collection: MongoCollection,
  institution: string,
  documents: readonly New<T>[],
  { due }: Pick<InsertOptions<T>, 'due'>,
): Promise<number> {
  const all = documents.map((one) => recordOf(collection, institution, one, due));
  let inserted = 0;
  for (let start = 0; start < all.length; start += batch) {
    const some = all.slice(start, start + batch);
    try {
      inserted += (await collection.records.insertMany(some, { ordered: false, ...LONG_TIMEOUT })).insertedCount;
    } catch (error) {
      if (!(error instanceof MongoBulkWriteError)) throw error;
      const [first] = await findRefused(collection, error, some);
      if (first) throw new UniqueViolation(first.index);
      inserted += some.length - [error.writeErrors].flat().length;
    }
    collection.notifyDue(collection.schema.name, due);
  }
  return inserted;
}

/** The records of a batch that were refused for another reason than an existing id. */
const findRefused = async (
  { schema, records }: MongoCollection,
  error: MongoBulkWriteError,
  tried: readonly StoredRecord[],
) => {
  const failures = [error.writeErrors].flat();
  const others = failures.filter((one) => one.code !== 11_000);
  if (others.length > 0) throw error;
  const suspects = failures.flatMap((one) => {
    const taken = parseTakenIndex(schema, one.errmsg ?? '');
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

export async function insertInOrder<T extends Document>(
  collection: MongoCollection,
  institution: string,
  documents: readonly New<T>[],
): Promise<void> {
  if (documents.length === 0) return;
  const all = documents.map((one) => recordOf(collection, institution, one));
  try {
    await collection.records.insertMany(all, { ordered: true, ...writeOptions });
  } catch (error) {
    const failure = error instanceof MongoBulkWriteError ? [error.writeErrors].flat()[0] : undefined;
    if (failure?.code !== 11_000) throw error;
    const taken = parseTakenIndex(collection.schema, failure.errmsg ?? '');
    throw new UniqueViolation('index' in taken ? taken.index : 'id');
  }
}

interface More {
  readonly facts: readonly FrozenFact[];
  readonly traceparent: string | undefined;
  readonly call: Call;
}

/** The port's update; updates of one document are serialized within the process. */
export async function update<T extends Document>(
  collection: MongoCollection,
  scope: RecordFilter,
  id: string,
  fn: (current: T) => Change<T> | undefined,
  options: WriteOptions<T>,
  call: Call,
): Promise<T | undefined> {
  const more = { facts: freeze(options.events), traceparent: collection.surroundings.trace?.(), call };
  return collection.turns(id, () => swap(collection, { _id: id, ...scope }, fn, options, more));
}

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
    requireInTime(more.call);
    const record = await collection.records.findOne(wanted, { projection: writable });
    if (!record) return undefined;
    if (record.version === seen) await refuseFull(collection, record._id);
    seen = record.version;
    // What the function says of a document that has the effect of this request is no answer to it.
    if (hasKey(record, options.idempotencyRecord?.key)) throw new IdempotencyKeyTaken(options.idempotencyRecord?.key);
    const change = fn(toDocument<T>(record));
    if (!change) return toDocument<T>(record);
    const own = change.remember === false ? { ...options, idempotencyRecord: undefined } : options;
    const key = own.idempotencyRecord?.key;
    if (key !== refusedIfAnswered) await refuseAnsweredKey(collection, key);
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

/** Whether the document has an unexpired record of the key: an earlier attempt's write, perhaps one that came late. */
const hasKey = ({ _idempotencyRecords: records = [] }: StoredRecord, key: string | undefined): boolean =>
  key !== undefined && records.some((one) => one.key === key && one.expiresAt > Date.now());

/** If the document is unchanged since it was read; undefined on a lost race. */
const replace = async <T extends Document>(
  collection: MongoCollection,
  record: StoredRecord,
  { next, events: facts, due: dueChange }: Change<T>,
  options: WriteOptions<T>,
  more: More,
): Promise<T | undefined> => {
  const { _id, institution, version } = record;
  if (next.id !== _id) throw new Error(`an update cannot change the id ${_id} to ${next.id}`);
  const content = buildContent(collection.schema, institution, _id, toBody(next));
  const due = dueChange ? changeDue(record._due, dueChange, collection.schema) : record._due;
  const written = toDocument<T>({ _id, institution, version: version + 1, ...content, ...toDueMembers(due) });
  const idempotencyRecords = await nextIdempotencyRecords(collection, record, written, options);
  requireInTime(more.call);
  const changed: Parts = idempotencyRecords ? buildUpdateParts(idempotencyRecords) : { $set: {}, $unset: {} };
  const home = { collection: collection.schema.name, document: _id };
  const events = buildEvents([...freeze(facts), ...more.facts], home, version + 1, more.traceparent);
  const [first] = events;
  const filter: RecordFilter = {
    _id,
    institution,
    version,
    ...(idempotencyRecords ? matchUnchanged(record) : {}),
    ...(dueChange ? matchUnchangedDue(record._due) : {}),
    ...(first ? { [`_outbox.${outboxCapacity - 1}`]: { $exists: false } } : {}),
  };
  const dueParts = dueChange ? buildDueParts(due) : { $set: {}, $unset: {} };
  const parts: Parts = {
    $set: { ...content, ...changed.$set, ...dueParts.$set, version: version + 1 },
    $unset: {
      ...changed.$unset,
      ...dueParts.$unset,
      ...(record._escaped && !content._escaped ? { _escaped: '' } : {}),
    },
  };
  const pushed = first ? { $push: { _outbox: { $each: events } }, $min: { _pending: first.at } } : {};
  const { matchedCount } = await collection.records.updateOne(
    filter,
    { ...removeEmptyParts(parts), ...pushed },
    writeOptions,
  );
  if (matchedCount === 0) return undefined;
  collection.outbox.notifyCommitted(events, institution);
  collection.notifyDue(collection.schema.name, dueChange);
  return written;
};

/** Undefined if unchanged. Makes room for them before the write where needed. */
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
  if (hasKey(record, idempotencyRecord?.key)) throw new IdempotencyKeyTaken(idempotencyRecord?.key);
  if (!idempotencyRecord) return current.length === before.length ? undefined : current;
  const own = toStoredIdempotencyRecord(idempotencyRecord, idempotencyRecord.answer(next));
  await idempotency.carry(current.splice(0, countExcess(current, own)));
  return [...current, own];
};

const pause = (attempt: number) =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(50, 2 ** attempt)));

/** Bounds the outbox: without a relay it would grow until MongoDB refuses the document. */
const refuseFull = async ({ schema, records }: MongoCollection, id: string): Promise<void> => {
  const full = { _id: id, [`_outbox.${outboxCapacity - 1}`]: { $exists: true } };
  if (!(await records.findOne(full, { projection: { _id: 1 } }))) return;
  throw new Error(`${schema.name}/${id} has ${outboxCapacity} events that were not published; is the broker down?`);
};
