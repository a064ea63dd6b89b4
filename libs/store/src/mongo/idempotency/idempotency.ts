// Idempotency on MongoDB: records in the documents of their effects, and the other answers under their keys.

import type { Collection, Db } from 'mongodb';
import type { Idempotency, RememberedAnswer, StoredAnswer } from '../../port.ts';
import type { StoredIdempotencyRecord, StoredRecord } from '../records/record.ts';
import { isDuplicate } from '../records/schema.ts';
import { findIdempotencyRecord, forgetIdempotencyRecords, storedIdempotencyRecord } from './records.ts';

/** A stored answer outside of its effect's document. */
interface StoredKey {
  readonly _id: string;
  readonly fingerprint: string;
  readonly expiresAt: number;
  /** Always empty. Release 0.1 locked keys: there it was the id of the lock's holder, and `answer` was absent. */
  readonly attempt: string;
  readonly answer?: string;
  readonly subjects?: readonly string[];
  /** When MongoDB may remove it. */
  readonly purgeAt: Date;
}

/** The stored answers of a store, with the operations that its writes need. */
export interface MongoIdempotency extends Idempotency {
  /** Whether the key has an answer outside of the documents. */
  answered(key: string): Promise<boolean>;
  /** `forget`, except for the answer of one key. */
  forgetBut(subject: string, key: string | undefined): Promise<void>;
  /** Stores answers that leave the document of their effect. */
  carry(idempotencyRecords: readonly StoredIdempotencyRecord[]): Promise<void>;
}

const storedAnswer = ({ fingerprint, answer }: { fingerprint: string; answer: string }): StoredAnswer => ({
  fingerprint,
  answer: JSON.parse(answer) as RememberedAnswer,
});

/** The update that replaces any state of the key by an answer. */
const settled = ({ fingerprint, expiresAt, answer, subjects }: StoredIdempotencyRecord) => {
  const known: Partial<StoredKey> = { fingerprint, expiresAt, answer, attempt: '', purgeAt: new Date(expiresAt) };
  const gone: Readonly<Record<string, ''>> = subjects ? { beatAt: '' } : { beatAt: '', subjects: '' };
  return { $set: subjects ? { ...known, subjects } : known, $unset: gone };
};

/** The idempotency keys over the collections of a database. */
export const createIdempotency = (
  database: Db,
  collections: ReadonlyMap<string, Collection<StoredRecord>>,
): MongoIdempotency => {
  const keys = database.collection<StoredKey>('store.keys');

  const findApart = async (key: string) => {
    const found = await keys.findOne({ _id: key });
    return found?.answer !== undefined && found.expiresAt > Date.now() ? { ...found, answer: found.answer } : undefined;
  };
  const findWithin = (key: string) => findIdempotencyRecord(collections.values(), key);

  const find = async (key: string): Promise<StoredAnswer | undefined> => {
    const [apart, within] = await Promise.all([findApart(key), findWithin(key)]);
    // An effect may have been written since; its answer is the key's.
    const found = within ?? (apart && (await findWithin(key))) ?? apart;
    return found && storedAnswer(found);
  };

  /** Stores the answer under its key; false if it has one that is not replaceable. */
  const store = async (record: StoredIdempotencyRecord, replaceable: object): Promise<boolean> => {
    try {
      await keys.updateOne({ _id: record.key, ...replaceable }, settled(record), { upsert: true });
      return true;
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      return false;
    }
  };

  const forget = async (subject: string, but?: string) => {
    // Answers move only from documents to keys, so reading in this order misses none.
    await Promise.all([...collections.values()].map((from) => forgetIdempotencyRecords(from, subject, but)));
    await keys.deleteMany({ subjects: subject, ...(but === undefined ? {} : { _id: { $ne: but } }) });
  };

  return {
    find,
    async remember(request, answer) {
      const own = storedIdempotencyRecord(request, answer);
      for (;;) {
        const free = { $or: [{ answer: { $exists: false } }, { expiresAt: { $lte: Date.now() } }] };
        if (await store(own, free)) {
          const effect = await findWithin(own.key);
          if (!effect) return undefined;
          await keys.deleteOne({ _id: own.key, answer: own.answer });
          return storedAnswer(effect);
        }
        const earlier = await find(own.key);
        if (earlier) return earlier;
      }
    },
    forget: (subject) => forget(subject),
    forgetBut: forget,
    async trim(subject, most) {
      const newest = { sort: { expiresAt: -1 }, skip: most, projection: { _id: 1 } } as const;
      const over = await keys.find({ subjects: subject }, newest).toArray();
      if (over.length > 0) await keys.deleteMany({ _id: { $in: over.map(({ _id }) => _id) }, subjects: subject });
    },
    answered: async (key) => (await findApart(key)) !== undefined,
    async carry(idempotencyRecords) {
      // The answer of an effect replaces a refusal that was written at the same moment. An upsert may meet another one.
      const settle = async (record: StoredIdempotencyRecord) => {
        while (!(await store(record, {})));
      };
      await Promise.all(idempotencyRecords.map(settle));
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
