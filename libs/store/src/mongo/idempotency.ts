import { randomUUID } from 'node:crypto';
import type { Collection, Db } from 'mongodb';
import type { Idempotency, RememberedAnswer } from '../port.ts';
import { isDuplicate } from './duplicates.ts';
import type { Surroundings } from './events.ts';
import type { StoredRecord, StoredStamp } from './record.ts';
import { findStamp, forgetStamps, storedStamp } from './stamps.ts';

/** What is known of a key outside of its effect: the mark of a running request, or an answer that no document carries. */
interface StoredKey {
  readonly _id: string;
  readonly fingerprint: string;
  readonly expiresAt: number;
  /** Changes with each request that takes the key. */
  readonly mark: string;
  /** Of a running request: it is taken for dead from then on, unless it is renewed. */
  readonly aliveUntil?: number;
  readonly answer?: string;
  readonly subjects?: readonly string[];
  /** When MongoDB may remove it. */
  readonly purgeAt: Date;
}

/** The remembered answers of a store, and what its writes need of them. */
export interface MongoIdempotency extends Idempotency {
  /**
   * Whether another request may have answered the key meanwhile. While this process holds the mark of the key, and has
   * renewed it lately, nobody can have; else it is looked up.
   */
  answered(key: string): Promise<boolean>;
  /** `forget`, sparing the answer of one key. */
  forgetBut(subject: string, key: string | undefined): Promise<void>;
  /** Remembers answers that leave the document of their effect. */
  carry(stamps: readonly StoredStamp[]): Promise<void>;
  stop(): void;
}

/** A mark outlives its process by at most so many milliseconds; clocks may differ by two seconds more. */
const markMs = 8_000;
const renewMs = 2_000;

const remembered = ({ fingerprint, answer }: { fingerprint: string; answer: string }) => ({
  state: 'remembered' as const,
  fingerprint,
  answer: JSON.parse(answer) as RememberedAnswer,
});

/** The update that makes an answer of whatever is known of the key. */
const settled = ({ fingerprint, expiresAt, answer, subjects }: StoredStamp) => {
  const known: Partial<StoredKey> = { fingerprint, expiresAt, answer, mark: '', purgeAt: new Date(expiresAt) };
  const gone: Readonly<Record<string, ''>> = subjects ? { aliveUntil: '' } : { aliveUntil: '', subjects: '' };
  return { $set: subjects ? { ...known, subjects } : known, $unset: gone };
};

/** The idempotency keys over the collections of a database. */
export const createIdempotency = (
  database: Db,
  collections: ReadonlyMap<string, Collection<StoredRecord>>,
  { logger }: Surroundings,
): MongoIdempotency => {
  const keys = database.collection<StoredKey>('store.keys');
  /** The marks of this process, and when each was certainly alive. */
  const held = new Map<string, { readonly mark: string; renewed: number }>();

  const renew = async () => {
    const renewed = performance.now();
    const marks = [...held.values()];
    const ours = { _id: { $in: [...held.keys()] }, mark: { $in: marks.map((one) => one.mark) } };
    await keys.updateMany(ours, { $set: { aliveUntil: Date.now() + markMs } });
    for (const one of marks) one.renewed = renewed;
  };
  const timer = setInterval(() => {
    if (held.size === 0) return;
    renew().catch((error: unknown) => logger?.error('marks of running requests could not be renewed', { error }));
  }, renewMs);
  timer.unref();

  const free = (now: number) => [{ expiresAt: { $lte: now } }, { aliveUntil: { $lte: now } }];

  /** Writes an answer unless there is one already. */
  const settle = async (stamp: StoredStamp, condition: object) => {
    try {
      await keys.updateOne({ _id: stamp.key, ...condition }, settled(stamp), { upsert: true });
    } catch (error) {
      // The first answer stays.
      if (!isDuplicate(error)) throw error;
    }
  };

  /** Marks the key, or answers what stands in the way; undefined if that has just changed. */
  const take = async (key: string, fingerprint: string, expiresAt: number, mark: string) => {
    const now = Date.now();
    const aliveUntil = now + markMs;
    const own = { fingerprint, expiresAt, mark, aliveUntil, purgeAt: new Date(Math.max(expiresAt, aliveUntil)) };
    try {
      const { upsertedCount } = await keys.updateOne({ _id: key }, { $setOnInsert: own }, { upsert: true });
      if (upsertedCount === 1) return { state: 'fresh' as const };
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
    const found = await keys.findOne({ _id: key });
    if (!found) return undefined;
    const { answer, aliveUntil: alive = 0 } = found;
    if (answer !== undefined && found.expiresAt > now) return remembered({ fingerprint: found.fingerprint, answer });
    if (answer === undefined && alive > now) return { state: 'running' as const, fingerprint: found.fingerprint };
    const filter = { _id: key, mark: found.mark, expiresAt: found.expiresAt, ...(answer ? {} : { aliveUntil: alive }) };
    const { matchedCount } = await keys.updateOne(filter, { $set: own, $unset: { answer: '', subjects: '' } });
    return matchedCount === 1 ? { state: 'fresh' as const } : undefined;
  };

  const forget = async (subject: string, but?: string) => {
    await keys.deleteMany({ subjects: subject, ...(but === undefined ? {} : { _id: { $ne: but } }) });
    await Promise.all([...collections.values()].map((from) => forgetStamps(from, subject, but)));
  };

  return {
    async begin(key, fingerprint, expiresAt) {
      const mark = randomUUID();
      for (;;) {
        const renewed = performance.now();
        const begun = await take(key, fingerprint, expiresAt, mark);
        if (begun && begun.state !== 'fresh') return begun;
        if (!begun) continue;
        held.set(key, { mark, renewed });
        // Only now: whoever had the mark before has written its effect, or is dead. (What a dead one may still have on
        // its way to the server, the unique index over stamps refuses to let in twice.)
        const stamp = await findStamp(collections.values(), key).catch(async (error: unknown) => {
          held.delete(key);
          throw error;
        });
        if (!stamp) return begun;
        held.delete(key);
        await keys.deleteOne({ _id: key, mark });
        return remembered(stamp);
      }
    },
    async remember(key, fingerprint, expiresAt, answer) {
      const mark = held.get(key)?.mark;
      const stamp = storedStamp({ key, fingerprint, expiresAt }, answer);
      await settle(stamp, { $or: [...(mark ? [{ mark }] : []), ...free(Date.now())] });
      held.delete(key);
    },
    async end(key) {
      const mark = held.get(key)?.mark;
      if (mark === undefined) return;
      held.delete(key);
      await keys.deleteOne({ _id: key, mark });
    },
    forget: (subject) => forget(subject),
    forgetBut: forget,
    async answered(key) {
      const own = held.get(key);
      if (own && performance.now() - own.renewed < markMs / 2) return false;
      const found = await keys.findOne({ _id: key });
      return found?.answer !== undefined && found.expiresAt > Date.now();
    },
    async carry(stamps) {
      // Over a mark as well: the effect is there, so whoever runs is a repeat.
      const weaker = () => ({ $or: [{ answer: { $exists: false } }, ...free(Date.now())] });
      await Promise.all(stamps.map((stamp) => settle(stamp, weaker())));
    },
    stop: () => clearInterval(timer),
  };
};

/** The indexes of the keys. MongoDB removes what has expired, within minutes. */
export const indexKeys = async (database: Db): Promise<void> => {
  await database.collection('store.keys').createIndexes([
    { key: { subjects: 1 }, name: 'subjects', sparse: true },
    { key: { purgeAt: 1 }, name: 'purge', expireAfterSeconds: 0 },
  ]);
  await database.collection('store.orphans').createIndexes([
    { key: { _pending: 1 }, name: 'pending', sparse: true },
    { key: { of: 1 }, name: 'of' },
  ]);
};
