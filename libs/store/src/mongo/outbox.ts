import { randomBytes, randomUUID } from 'node:crypto';
import type { AnyBulkWriteOperation, Collection, Db } from 'mongodb';
import { removeEndedWork } from '../due.ts';
import { createListeners, type Surroundings } from '../engines.ts';
import type { EndedWork, Fact, Outbox, OutboxEvent, PastFact } from '../port.ts';
import { removeEmptyParts } from './idempotency.ts';
import {
  buildDueParts,
  matchUnchangedDue,
  ORPHANAGE,
  type StoredEvent,
  type StoredRecord,
  writeOptions,
} from './record.ts';
import type { RecordFilter } from './where.ts';

// `_pending` is at most the time of the oldest event. Its index is sparse, not multikey, and so gives the order.

export interface FrozenFact {
  readonly type: string;
  readonly key?: string | undefined;
  readonly data: string;
}

/** Serialises a fact, so that later changes by the caller have no effect. */
export function freeze(facts: readonly Fact[] = []): FrozenFact[] {
  return facts.map(({ type, key, data }) => ({ type, key, data: JSON.stringify(data) }));
}

interface Home {
  readonly collection: string;
  readonly document: string;
}

export function buildEvents(
  facts: readonly FrozenFact[],
  home: Home,
  version: number,
  traceparent: string | undefined,
): StoredEvent[] {
  const at = Date.now();
  return facts.map(({ type, key, data }) => ({
    id: eventId(home),
    type,
    key: key ?? home.document,
    version,
    at,
    ...(traceparent === undefined ? {} : { traceparent }),
    data,
  }));
}

/** An event's id encodes its location: removing it needs no index. */
const eventId = ({ collection, document }: Home) => `${randomBytes(9).toString('base64url')}.${collection}.${document}`;

/** Orphaned events: those of a deleted document, and those put into the outbox again without a write. */
interface Orphans {
  readonly _id: string;
  /** The orphaned events' origin: `<collection>.<document>`. */
  readonly of: string;
  readonly institution: string;
  readonly _outbox: readonly StoredEvent[];
  readonly _pending: number;
}

/** Unpublished events that one document may hold; a write that would exceed it is refused. */
export const outboxCapacity = 1000;

export interface MongoOutbox extends Outbox {
  notifyCommitted(events: readonly StoredEvent[], institution: string): void;
  /** Copies the events of a document that is about to be deleted. */
  orphan(orphans: Orphans): Promise<void>;
}

interface Waiting {
  readonly at: number;
  readonly event: OutboxEvent;
}

type Holder = Pick<StoredRecord, '_id' | 'institution' | '_outbox' | '_pending'>;

/** The ids of the events to remove, by document (or origin of orphaned events). */
type Published = ReadonlyMap<string, readonly string[]>;
type Step = AnyBulkWriteOperation<StoredRecord>;

const empty = { $unset: { _outbox: '' as const, _pending: '' as const } };

/** Characters of facts in one document: a quarter of MongoDB's limit. */
const CHARACTERS = 4_000_000;

export function createOutbox(
  database: Db,
  collections: ReadonlyMap<string, Collection<StoredRecord>>,
  surroundings: Surroundings,
): MongoOutbox {
  const orphanage = database.collection<Orphans>(ORPHANAGE);
  const { onCommitted, notify } = createListeners(surroundings);

  /** A crash or a partial `done` leaves a `_pending` that is too early; it is corrected, so that it hides no other. */
  const mend = async (from: Collection<StoredRecord>, { _id, _outbox = [], _pending }: Holder) => {
    const [first] = _outbox;
    if (!first) {
      const drained = { _id, $or: [{ _outbox: { $size: 0 } }, { _outbox: { $exists: false } }] };
      if (from.collectionName === orphanage.collectionName) await from.deleteOne(drained);
      else await from.updateOne(drained, empty);
    } else if (_pending !== undefined && _pending < first.at) {
      await from.updateOne({ _id, _pending, '_outbox.0.id': first.id }, { $set: { _pending: first.at } });
    }
  };

  const oldest = async (from: Collection<StoredRecord>, limit: number, before: number): Promise<Waiting[]> => {
    const projection = { institution: 1, _outbox: 1, _pending: 1 };
    const filter = { _pending: { $lte: before } };
    const holders = (await from.find(filter, { projection }).sort({ _pending: 1 }).limit(limit).toArray()) as Holder[];
    for (const holder of holders) if (holder._pending !== holder._outbox?.[0]?.at) await mend(from, holder);
    return holders.flatMap(waitingIn);
  };

  const takeOutOrphans = async (collection: string, documents: Published) => {
    const homes = [...documents].map(([document, ids]) => [`${collection}.${document}`, ids] as const);
    const steps = homes.flatMap(([of, ids]): AnyBulkWriteOperation<Orphans>[] => [
      { updateMany: { filter: { of }, update: { $pull: { _outbox: { id: { $in: [...ids] } } } } } },
      { deleteMany: { filter: { of, _outbox: { $size: 0 } } } },
    ]);
    await orphanage.bulkWrite(steps, { ordered: true });
  };

  const notifyCommitted: MongoOutbox['notifyCommitted'] = (events, institution) => {
    if (events.length > 0) notify(events.map((event) => toOutboxEvent(event, institution)));
  };

  /** Stores the facts in documents of their own, under names that no service's document has. */
  const orphansOf = (institution: string, facts: readonly PastFact[]): Orphans[] => {
    const [collection = ''] = collections.keys();
    return partsOf(freeze(facts)).map(([first, last]) => {
      const home = { collection, document: `again ${randomUUID()}` };
      const _outbox = facts
        .slice(first, last)
        .flatMap((fact) => buildEvents(freeze([fact]), home, fact.version, surroundings.trace?.()));
      const of = `${home.collection}.${home.document}`;
      return { _id: of, of, institution, _outbox, _pending: _outbox[0]?.at ?? 0 };
    });
  };

  return {
    async pending(limit, olderThanMs = 0) {
      if (limit <= 0) return [];
      const before = Date.now() - olderThanMs;
      // Orphaned events have the members of a record that the outbox uses.
      const holders = [...collections.values(), database.collection<StoredRecord>(ORPHANAGE)];
      const found = await Promise.all(holders.map((from) => oldest(from, limit, before)));
      const waiting = found.flat().filter(({ at }) => at <= before);
      const inOrder = waiting.sort((a, b) => a.at - b.at).map(({ event }) => event);
      return [...new Map(inOrder.map((event) => [event.id, event])).values()].slice(0, limit);
    },
    async add(institution, facts) {
      for (const orphans of orphansOf(institution, facts)) {
        await orphanage.insertOne(orphans);
        notifyCommitted(orphans._outbox, institution);
      }
    },
    async done(ids, ended = []) {
      const byCollection = new Map<string, Map<string, string[]>>();
      for (const id of new Set(ids)) {
        const home = homeOf(id);
        if (!home || !collections.has(home.collection)) continue;
        const documents = byCollection.get(home.collection) ?? new Map<string, string[]>();
        documents.set(home.document, [...(documents.get(home.document) ?? []), id]);
        byCollection.set(home.collection, documents);
      }
      for (const [name, documents] of byCollection) {
        const from = collections.get(name);
        if (!from) continue;
        const emptied = await from.bulkWrite(emptyOut(documents), { ordered: false });
        if (emptied.matchedCount === documents.size) continue;
        const taken = await from.bulkWrite(takeOut(documents), { ordered: false });
        // The remaining documents are gone: their events are orphaned, or were removed before.
        if (emptied.matchedCount + taken.matchedCount < documents.size) await takeOutOrphans(name, documents);
      }
      for (const [name, ends] of Map.groupBy(ended, ({ collection }) => collection)) {
        const records = collections.get(name);
        if (records) await endWork(records, ends);
      }
    },
    onCommitted,
    notifyCommitted,
    async orphan(orphans) {
      await orphanage.replaceOne({ _id: orphans._id }, orphans, { upsert: true });
    },
  };
}

/** Ends work of a collection, unless it has changed since. */
const endWork = async (records: Collection<StoredRecord>, ends: readonly EndedWork[]): Promise<void> => {
  const ids = ends.map(({ id }) => id);
  const found = await records.find({ _id: { $in: ids } }, { projection: { _due: 1 } }).toArray();
  const steps = found.flatMap(({ _id, _due }) => {
    if (!_due) return [];
    const filter = { _id, ...matchUnchangedDue(_due) } as RecordFilter;
    return [{ updateOne: { filter, update: removeEmptyParts(buildDueParts(removeEndedWork(_due, _id, ends))) } }];
  });
  if (steps.length > 0) await records.bulkWrite(steps, { ordered: false, ...writeOptions });
};

/** Clocks of processes differ: within a document events follow the order of its writes, whatever their times. */
const waitingIn = ({ _outbox = [], institution }: Holder): Waiting[] => {
  let latest = 0;
  return _outbox.map((event) => {
    latest = Math.max(latest, event.at);
    return { at: latest, event: toOutboxEvent(event, institution) };
  });
};

const toOutboxEvent = ({ at, data, ...event }: StoredEvent, institution: string): OutboxEvent => ({
  ...event,
  institution,
  occurredAt: new Date(at).toISOString(),
  data: JSON.parse(data) as object,
});

/** Splits the facts, in order, into ranges that each fit into one document. */
const partsOf = (facts: readonly FrozenFact[]): [number, number][] => {
  const parts: [number, number][] = [];
  let size = 0;
  for (const [index, { data }] of facts.entries()) {
    const part = parts.at(-1);
    size += data.length;
    if (part && size <= CHARACTERS && part[1] - part[0] < outboxCapacity) part[1] = index + 1;
    else {
      parts.push([index, index + 1]);
      size = data.length;
    }
  }
  return parts;
};

/** The location encoded in an event's id, or undefined if this engine did not make the id. */
const homeOf = (id: string): Home | undefined => {
  const [, collection, document] = /^[\w-]{12}\.([a-z_]+)\.(.+)$/s.exec(id) ?? [];
  return collection === undefined || document === undefined ? undefined : { collection, document };
};

/** Empties the outboxes that hold only published events: one write each. */
const emptyOut = (documents: Published): Step[] =>
  [...documents].map(([_id, ids]) => {
    const all = { _outbox: { $size: ids.length }, '_outbox.id': { $all: [...ids] } };
    return { updateOne: { filter: { _id, ...all }, update: empty } };
  });

/** Removes the published events from outboxes that also hold others; `pending` repairs one that becomes empty. */
const takeOut = (documents: Published): Step[] =>
  [...documents].map(([_id, ids]) => {
    const those = { $in: [...ids] };
    return { updateOne: { filter: { _id, '_outbox.id': those }, update: { $pull: { _outbox: { id: those } } } } };
  });
