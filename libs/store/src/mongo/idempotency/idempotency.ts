import { randomUUID } from 'node:crypto';
import type { Collection, Db } from 'mongodb';
import type { Attempt, Begun, Idempotency, RememberedAnswer } from '../../port.ts';
import { type Call, whileAwaited } from '../connection/gate.ts';
import type { Surroundings } from '../outbox/events.ts';
import { isDuplicate } from '../records/duplicates.ts';
import type { StoredIdempotencyRecord, StoredRecord } from '../records/record.ts';
import { findIdempotencyRecord, forgetIdempotencyRecords, storedIdempotencyRecord } from './records.ts';

/** What is known of a key outside of its effect: the mark of a running request, or an answer that no document carries. */
interface StoredKey {
  readonly _id: string;
  readonly fingerprint: string;
  readonly expiresAt: number;
  /** The id of the attempt that has the key; empty once there is an answer. */
  readonly attempt: string;
  /** Of a running request: when it last showed life, by the server's clock. */
  readonly beatAt?: Date;
  readonly answer?: string;
  readonly subjects?: readonly string[];
  /** When MongoDB may remove it. */
  readonly purgeAt: Date;
}

/** The remembered answers of a store, and what its writes need of them. */
export interface MongoIdempotency extends Omit<Idempotency, 'begin'> {
  /** The port's `begin`. For a caller that has given up meanwhile it withdraws its mark as soon as that is there. */
  begin(key: string, fingerprint: string, expiresAt: number, call: Call): Promise<Begun>;
  /**
   * Whether another request may have answered the key meanwhile. While this process holds the mark of the key, and has
   * renewed it lately, nobody can have; else it is looked up.
   */
  answered(key: string): Promise<boolean>;
  /** `forget`, sparing the answer of one key. */
  forgetBut(subject: string, key: string | undefined): Promise<void>;
  /** Remembers answers that leave the document of their effect. */
  carry(idempotencyRecords: readonly StoredIdempotencyRecord[]): Promise<void>;
  /** Renews no mark any more, and withdraws those of this process. */
  stop(): Promise<void>;
}

/** A mark of this process. */
interface Held {
  /** The id of the attempt. */
  readonly id: string;
  /** Since when its request runs, and when the mark was certainly alive: by the monotonic clock, in milliseconds. */
  readonly since: number;
  renewed: number;
}

/**
 * A mark outlives its process by at most so many milliseconds. The server's clock alone counts: it dates every beat, and it says which
 * is too old; so clocks of instances may differ by anything. (After a failover the next server's clock counts.)
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

/** The update that makes an answer of whatever is known of the key. */
const settled = ({ fingerprint, expiresAt, answer, subjects }: StoredIdempotencyRecord) => {
  const known: Partial<StoredKey> = { fingerprint, expiresAt, answer, attempt: '', purgeAt: new Date(expiresAt) };
  const gone: Readonly<Record<string, ''>> = subjects ? { beatAt: '' } : { beatAt: '', subjects: '' };
  return { $set: subjects ? { ...known, subjects } : known, $unset: gone };
};

/** The idempotency keys over the collections of a database. A mark is renewed for `requestMs` at most. */
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
    const marks = [...held.values()];
    await keys.updateMany({ _id: { $in: [...held.keys()] }, attempt: { $in: marks.map(({ id }) => id) } }, beat);
    for (const one of marks) one.renewed = renewed;
  };
  const timer = setInterval(() => {
    renew().catch((error: unknown) => logger?.error('marks of running requests could not be renewed', { error }));
  }, renewMs);
  timer.unref();

  const renewNoMore = (key: string, id: string) => {
    if (held.get(key)?.id === id) held.delete(key);
  };

  /** Ends a mark, whether or not it is known here that it is there. From then on it is not renewed, so a failure ends it later. */
  const withdraw = async ({ key, id }: Attempt) => {
    renewNoMore(key, id);
    await keys.deleteOne({ _id: key, attempt: id });
  };
  /** The same without waiting, where a failure is told already: a mark that cannot be withdrawn dies by itself. */
  const withdrawSoon = (attempt: Attempt) => void withdraw(attempt).catch(() => undefined);

  /** Marks the key, or answers what stands in the way; undefined if that has just changed. */
  const take = async ({ key, fingerprint, expiresAt, id }: Attempt) => {
    const now = Date.now();
    const own = { fingerprint, expiresAt, purgeAt: new Date(Math.max(expiresAt, now + markMs)) };
    try {
      // Matches nothing but what a repeat of the same command has written: it inserts, or finds the key taken.
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

  const begin = async (attempt: Attempt, call: Call): Promise<Begun> => {
    const { key, id } = attempt;
    for (;;) {
      whileAwaited(call);
      const started = performance.now();
      const begun = await take(attempt);
      if (begun && begun.state !== 'fresh') return begun;
      if (!begun) continue;
      whileAwaited(call);
      held.set(key, { id, since: started, renewed: started });
      // Only now: whoever had the mark before has written its effect, or is dead. (What a dead one may still have on
      // its way to the server, the unique index over idempotency records refuses to let in twice.)
      const idempotencyRecord = await findIdempotencyRecord(collections.values(), key);
      whileAwaited(call);
      if (!idempotencyRecord) return { ...begun, attempt };
      await withdraw(attempt);
      return remembered(idempotencyRecord);
    }
  };

  const forget = async (subject: string, but?: string) => {
    // Answers move from documents to keys only, so those that move meanwhile are met here or there.
    await Promise.all([...collections.values()].map((from) => forgetIdempotencyRecords(from, subject, but)));
    await keys.deleteMany({ subjects: subject, ...(but === undefined ? {} : { _id: { $ne: but } }) });
  };

  return {
    async begin(key, fingerprint, expiresAt, call) {
      const attempt = { key, fingerprint, expiresAt, id: randomUUID() };
      try {
        return await begin(attempt, call);
      } catch (error) {
        // The mark may be there, or come: a command whose answer was lost, or that nobody waits for any more.
        withdrawSoon(attempt);
        throw error;
      }
    },
    async remember(attempt, answer) {
      const { key, fingerprint, expiresAt, id } = attempt;
      // From here on nothing keeps the mark alive, whatever becomes of the answer.
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
      // Over a mark as well: the effect is there, so whoever runs is a repeat.
      const weaker = { $or: [{ answer: { $exists: false } }, { expiresAt: { $lte: Date.now() } }] };
      const settle = async (idempotencyRecord: StoredIdempotencyRecord) => {
        try {
          await keys.updateOne({ _id: idempotencyRecord.key, ...weaker }, settled(idempotencyRecord), { upsert: true });
        } catch (error) {
          // The first answer stays.
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

/** The indexes of the keys. MongoDB removes what has expired, within minutes. */
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
