// Idempotency on MongoDB: locks of running requests, and records in the documents of their effects.

import { randomUUID } from 'node:crypto';
import type { Collection, Db } from 'mongodb';
import type { Attempt, Idempotency, KeyState, RememberedAnswer } from '../../port.ts';
import { type Call, whileAwaited } from '../connection/gate.ts';
import type { Surroundings } from '../outbox/events.ts';
import { isDuplicate } from '../records/duplicates.ts';
import type { StoredIdempotencyRecord, StoredRecord } from '../records/record.ts';
import { findIdempotencyRecord, forgetIdempotencyRecords, storedIdempotencyRecord } from './records.ts';

/** The state of a key outside of its effect's document: the lock of a running request, or a stored answer. */
interface StoredKey {
  readonly _id: string;
  readonly fingerprint: string;
  readonly expiresAt: number;
  /** The id of the attempt that holds the key; empty once there is an answer. */
  readonly attempt: string;
  /** Of a running request: its last renewal, by the server's clock. */
  readonly beatAt?: Date;
  readonly answer?: string;
  readonly subjects?: readonly string[];
  /** When MongoDB may remove it. */
  readonly purgeAt: Date;
}

/** The stored answers of a store, with the operations that its writes need. */
export interface MongoIdempotency extends Omit<Idempotency, 'begin'> {
  /** The port's `begin`. If its call times out, it withdraws its lock as soon as the lock is written. */
  begin(key: string, fingerprint: string, expiresAt: number, call: Call): Promise<KeyState>;
  /**
   * Whether another request may have answered the key. False without a look-up while this process holds the key's lock
   * and has renewed it recently.
   */
  answered(key: string): Promise<boolean>;
  /** `forget`, except for the answer of one key. */
  forgetBut(subject: string, key: string | undefined): Promise<void>;
  /** Stores answers that leave the document of their effect. */
  carry(idempotencyRecords: readonly StoredIdempotencyRecord[]): Promise<void>;
  /** Stops all renewals, and withdraws the locks of this process. */
  stop(): Promise<void>;
}

/** A lock of this process. */
interface Held {
  /** The id of the attempt. */
  readonly id: string;
  /** When its request began, and when the lock was last known to be alive: monotonic clock, milliseconds. */
  readonly since: number;
  renewed: number;
}

/**
 * The longest time in milliseconds that a lock outlives its process. Renewals are dated and compared by the server's
 * clock alone, so the clocks of instances may differ by any amount. (After a failover the new primary's clock counts.)
 */
const markMs = 8_000;
const renewMs = 2_000;

const isDead = { answer: { $exists: false }, $expr: { $lte: ['$beatAt', { $subtract: ['$$NOW', markMs] }] } };
const beat = { $currentDate: { beatAt: true } } as const;

const remembered = ({ fingerprint, answer }: { fingerprint: string; answer: string }) => ({
  state: 'remembered' as const,
  fingerprint,
  answer: JSON.parse(answer) as RememberedAnswer,
});

/** The update that replaces any state of the key by an answer. */
const settled = ({ fingerprint, expiresAt, answer, subjects }: StoredIdempotencyRecord) => {
  const known: Partial<StoredKey> = { fingerprint, expiresAt, answer, attempt: '', purgeAt: new Date(expiresAt) };
  const gone: Readonly<Record<string, ''>> = subjects ? { beatAt: '' } : { beatAt: '', subjects: '' };
  return { $set: subjects ? { ...known, subjects } : known, $unset: gone };
};

/** The idempotency keys over the collections of a database. A lock is renewed for `requestMs` at most. */
export const createIdempotency = (
  database: Db,
  collections: ReadonlyMap<string, Collection<StoredRecord>>,
  { logger, requestMs }: Surroundings & { readonly requestMs: number },
): MongoIdempotency => {
  const keys = database.collection<StoredKey>('store.keys');
  const held = new Map<string, Held>();

  const renew = async () => {
    const renewed = performance.now();
    for (const [key, { since }] of held) if (renewed - since > requestMs) held.delete(key);
    if (held.size === 0) return;
    const locks = [...held.values()];
    await keys.updateMany({ _id: { $in: [...held.keys()] }, attempt: { $in: locks.map(({ id }) => id) } }, beat);
    for (const one of locks) one.renewed = renewed;
  };
  const timer = setInterval(() => {
    renew().catch((error: unknown) => logger?.error('locks of running requests could not be renewed', { error }));
  }, renewMs);
  timer.unref();

  const renewNoMore = (key: string, id: string) => {
    if (held.get(key)?.id === id) held.delete(key);
  };

  /**
   * Releases a lock, whether or not its write is confirmed. Its renewals stop first, so after a failure it expires by
   * itself.
   */
  const withdraw = async ({ key, id }: Attempt) => {
    renewNoMore(key, id);
    await keys.deleteOne({ _id: key, attempt: id });
  };
  /** The same without waiting, after a failure already reported: a lock that cannot be withdrawn expires. */
  const withdrawSoon = (attempt: Attempt) => void withdraw(attempt).catch(() => undefined);

  /** Locks the key, or returns the existing state; undefined if that has just changed. */
  const take = async ({ key, fingerprint, expiresAt, id }: Attempt) => {
    const now = Date.now();
    const own = { fingerprint, expiresAt, purgeAt: new Date(Math.max(expiresAt, now + markMs)) };
    try {
      // Matches only a write of the same command: it inserts, or finds the key taken.
      await keys.updateOne({ _id: key, attempt: id }, { $set: own, ...beat }, { upsert: true });
      return { state: 'fresh' as const };
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
    const found = await keys.findOne({ _id: key });
    if (!found) return undefined;
    const { answer, expiresAt: until } = found;
    if (answer !== undefined && until > now) return remembered({ fingerprint: found.fingerprint, answer });
    const free = answer === undefined ? isDead : { expiresAt: until };
    const taking = { $set: { ...own, attempt: id }, $unset: { answer: '', subjects: '' }, ...beat } as const;
    const { matchedCount } = await keys.updateOne({ _id: key, attempt: found.attempt, ...free }, taking);
    if (matchedCount === 1) return { state: 'fresh' as const };
    return answer === undefined ? { state: 'running' as const, fingerprint: found.fingerprint } : undefined;
  };

  const begin = async (attempt: Attempt, call: Call): Promise<KeyState> => {
    const { key, id } = attempt;
    for (;;) {
      whileAwaited(call);
      const started = performance.now();
      const found = await take(attempt);
      if (found && found.state !== 'fresh') return found;
      if (!found) continue;
      whileAwaited(call);
      held.set(key, { id, since: started, renewed: started });
      // After the lock: an earlier holder has written its effect or is dead. A dead holder's write that arrives late is
      // refused by the unique index over idempotency records.
      const idempotencyRecord = await findIdempotencyRecord(collections.values(), key);
      whileAwaited(call);
      if (!idempotencyRecord) return { ...found, attempt };
      await withdraw(attempt);
      return remembered(idempotencyRecord);
    }
  };

  const forget = async (subject: string, but?: string) => {
    // Answers move only from documents to keys, so reading in this order misses none.
    await Promise.all([...collections.values()].map((from) => forgetIdempotencyRecords(from, subject, but)));
    await keys.deleteMany({ subjects: subject, ...(but === undefined ? {} : { _id: { $ne: but } }) });
  };

  return {
    async begin(key, fingerprint, expiresAt, call) {
      const attempt = { key, fingerprint, expiresAt, id: randomUUID() };
      try {
        return await begin(attempt, call);
      } catch (error) {
        // The lock may exist or still arrive: its command's answer was lost, or its call has timed out.
        withdrawSoon(attempt);
        throw error;
      }
    },
    async remember(attempt, answer) {
      const { key, fingerprint, expiresAt, id } = attempt;
      // From here on the lock is no longer renewed, whatever the outcome of the write.
      renewNoMore(key, id);
      try {
        const update = settled(storedIdempotencyRecord({ key, fingerprint, expiresAt }, answer));
        const { matchedCount } = await keys.updateOne({ _id: key, attempt: id }, update);
        return matchedCount === 1;
      } catch (error) {
        withdrawSoon(attempt);
        throw error;
      }
    },
    end: withdraw,
    forget: (subject) => forget(subject),
    forgetBut: forget,
    async trim(subject, most) {
      const newest = { sort: { expiresAt: -1 }, skip: most, projection: { _id: 1 } } as const;
      const over = await keys.find({ subjects: subject }, newest).toArray();
      if (over.length > 0) await keys.deleteMany({ _id: { $in: over.map(({ _id }) => _id) }, subjects: subject });
    },
    async answered(key) {
      const own = held.get(key);
      if (own && performance.now() - own.renewed < markMs / 2) return false;
      const found = await keys.findOne({ _id: key });
      return found?.answer !== undefined && found.expiresAt > Date.now();
    },
    async carry(idempotencyRecords) {
      // Replaces a lock too: the effect exists, so the running request is a repeat.
      const weaker = { $or: [{ answer: { $exists: false } }, { expiresAt: { $lte: Date.now() } }] };
      const settle = async (idempotencyRecord: StoredIdempotencyRecord) => {
        try {
          await keys.updateOne({ _id: idempotencyRecord.key, ...weaker }, settled(idempotencyRecord), { upsert: true });
        } catch (error) {
          // The first answer wins.
          if (!isDuplicate(error)) throw error;
        }
      };
      await Promise.all(idempotencyRecords.map(settle));
    },
    async stop() {
      clearInterval(timer);
      const own = [...held].map(([key, { id }]) => ({ key, id }));
      held.clear();
      if (own.length === 0) return;
      await keys.deleteMany({ _id: { $in: own.map(({ key }) => key) }, attempt: { $in: own.map(({ id }) => id) } });
    },
  };
};

/** The indexes of the keys. MongoDB removes expired keys within minutes. */
export const indexKeys = async (database: Db): Promise<void> => {
  await database.collection('store.keys').createIndexes([
    { key: { subjects: 1, expiresAt: -1 }, name: 'subjects_by_end', sparse: true },
    { key: { purgeAt: 1 }, name: 'purge', expireAfterSeconds: 0 },
  ]);
  await database.collection('store.orphans').createIndexes([
    { key: { _pending: 1 }, name: 'pending', sparse: true },
    { key: { of: 1 }, name: 'of' },
  ]);
};
