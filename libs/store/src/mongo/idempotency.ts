import type { Collection, Db } from 'mongodb';
import type { Idempotency, RememberedAnswer, StoredAnswer } from '../port.ts';
import { isDuplicate, ORPHANAGE, type StoredIdempotencyRecord, type StoredRecord } from './record.ts';
import type { RecordFilter } from './where.ts';

// Idempotency records are in the document of their effect. Every change replaces all of them, conditional on the keys
// that were read; so the array of keys is never empty, and no record is lost.

type WithIdempotencyRecords = Pick<StoredRecord, '_id' | '_idempotencyRecords' | '_idempotencyKeys'>;

const projection = { _idempotencyRecords: 1, _idempotencyKeys: 1 } as const;

/** Matches while the idempotency records are those that were read. */
export function matchUnchanged({ _idempotencyKeys }: Pick<WithIdempotencyRecords, '_idempotencyKeys'>): RecordFilter {
  return _idempotencyKeys ? { _idempotencyKeys: [..._idempotencyKeys] } : { _idempotencyKeys: { $exists: false } };
}

export interface Parts {
  readonly $set: Partial<StoredRecord>;
  readonly $unset: Readonly<Record<string, ''>>;
}

export function buildUpdateParts(idempotencyRecords: readonly StoredIdempotencyRecord[]): Parts {
  if (idempotencyRecords.length === 0)
    return { $set: {}, $unset: { _idempotencyRecords: '', _idempotencyKeys: '', _subjects: '' } };
  const subjects = [...new Set(idempotencyRecords.flatMap((one) => one.subjects ?? []))];
  const $set = { _idempotencyRecords: idempotencyRecords, _idempotencyKeys: idempotencyRecords.map((one) => one.key) };
  return subjects.length > 0
    ? { $set: { ...$set, _subjects: subjects }, $unset: {} }
    : { $set, $unset: { _subjects: '' } };
}

/** The update without empty parts, which MongoDB before 5.0 refuses. */
export function removeEmptyParts({ $set, $unset }: Parts): Partial<Parts> {
  return {
    ...(Object.keys($set).length > 0 ? { $set } : {}),
    ...(Object.keys($unset).length > 0 ? { $unset } : {}),
  };
}

/** MongoDB's limit is 16 MiB per document, and every update reads them. The newest stays whatever its size. */
const recordCapacity = 50;
const answerBytes = 1024 * 1024;

/** The number of idempotency records, oldest first, that must leave the document before `own` is added. */
export function countExcess(current: readonly StoredIdempotencyRecord[], own: StoredIdempotencyRecord): number {
  let left = answerBytes - Buffer.byteLength(own.answer);
  const isOver = (one: StoredIdempotencyRecord, index: number) => {
    left -= Buffer.byteLength(one.answer);
    return left < 0 || current.length - index >= recordCapacity;
  };
  return current.findLastIndex(isOver) + 1;
}

export function toStoredIdempotencyRecord(
  { key, fingerprint, expiresAt }: Omit<StoredIdempotencyRecord, 'answer' | 'subjects'>,
  answer: RememberedAnswer,
): StoredIdempotencyRecord {
  return {
    key,
    fingerprint,
    expiresAt,
    ...(answer.subjects?.length ? { subjects: answer.subjects } : {}),
    answer: JSON.stringify(answer),
  };
}

/** The unexpired idempotency record of a key, in any collection. */
export async function findIdempotencyRecord(
  collections: Iterable<Collection<StoredRecord>>,
  key: string,
): Promise<StoredIdempotencyRecord | undefined> {
  const look = async (from: Collection<StoredRecord>) => {
    const record = await from.findOne<WithIdempotencyRecords>({ _idempotencyKeys: key }, { projection });
    return record?._idempotencyRecords?.find((one) => one.key === key && one.expiresAt > Date.now());
  };
  const found = await Promise.all([...collections].map(look));
  return found.find((one) => one !== undefined);
}

/** Removes an expired idempotency record of the key from its document; returns whether the key is free now. */
export async function freeIdempotencyRecord(from: Collection<StoredRecord>, key: string): Promise<boolean> {
  await drop(from, { _idempotencyKeys: key }, (one) => one.key === key && one.expiresAt <= Date.now());
  return (await from.findOne({ _idempotencyKeys: key }, { projection: { _id: 1 } })) === null;
}

const drop = async (
  from: Collection<StoredRecord>,
  filter: RecordFilter,
  dropped: (idempotencyRecord: StoredIdempotencyRecord) => boolean,
) => {
  for await (const found of from.find<WithIdempotencyRecords>(filter, { projection })) {
    let record: WithIdempotencyRecords | null = found;
    while (record?._idempotencyRecords?.some(dropped)) {
      const remaining = record._idempotencyRecords.filter((one) => !dropped(one));
      const filter = { _id: record._id, ...matchUnchanged(record) };
      const { matchedCount } = await from.updateOne(filter, removeEmptyParts(buildUpdateParts(remaining)));
      if (matchedCount === 1) break;
      record = await from.findOne<WithIdempotencyRecords>({ _id: record._id }, { projection });
    }
  }
};

/** A stored answer outside of its effect's document. */
interface StoredKey {
  readonly _id: string;
  readonly fingerprint: string;
  readonly expiresAt: number;
  readonly answer: string;
  readonly subjects?: readonly string[];
  /** When MongoDB may remove it. */
  readonly purgeAt: Date;
}

export interface MongoIdempotency extends Idempotency {
  isAnswered(key: string): Promise<boolean>;
  /** `forget`, except for the answer of one key. */
  forgetBut(subject: string, key: string | undefined): Promise<void>;
  /** Stores answers that leave the document of their effect. */
  carry(idempotencyRecords: readonly StoredIdempotencyRecord[]): Promise<void>;
}

export function createIdempotency(
  database: Db,
  collections: ReadonlyMap<string, Collection<StoredRecord>>,
): MongoIdempotency {
  const keys = database.collection<StoredKey>('store.keys');

  const findApart = async (key: string) => {
    const found = await keys.findOne({ _id: key });
    return found && found.expiresAt > Date.now() ? found : undefined;
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
      await keys.updateOne({ _id: record.key, ...replaceable }, toUpdate(record), { upsert: true });
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
      const own = toStoredIdempotencyRecord(request, answer);
      for (;;) {
        if (await store(own, { expiresAt: { $lte: Date.now() } })) {
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
    isAnswered: async (key) => (await findApart(key)) !== undefined,
    async carry(idempotencyRecords) {
      // The answer of an effect replaces a refusal that was written at the same moment. An upsert may meet another one.
      const settle = async (record: StoredIdempotencyRecord) => {
        while (!(await store(record, {})));
      };
      await Promise.all(idempotencyRecords.map(settle));
    },
  };
}

const storedAnswer = ({ fingerprint, answer }: { fingerprint: string; answer: string }): StoredAnswer => ({
  fingerprint,
  answer: JSON.parse(answer) as RememberedAnswer,
});

const toUpdate = ({ fingerprint, expiresAt, answer, subjects }: StoredIdempotencyRecord) => {
  const known: Omit<StoredKey, '_id'> = { fingerprint, expiresAt, answer, purgeAt: new Date(expiresAt) };
  return subjects ? { $set: { ...known, subjects } } : { $set: known, $unset: { subjects: '' as const } };
};

const forgetIdempotencyRecords = (from: Collection<StoredRecord>, subject: string, but?: string): Promise<void> =>
  drop(from, { _subjects: subject }, (one) => one.key !== but && (one.subjects?.includes(subject) ?? false));

/** MongoDB removes expired keys within minutes. */
export async function createKeyIndexes(database: Db): Promise<void> {
  await database.collection('store.keys').createIndexes([
    { key: { subjects: 1, expiresAt: -1 }, name: 'subjects_by_end', sparse: true },
    { key: { purgeAt: 1 }, name: 'purge', expireAfterSeconds: 0 },
  ]);
  await database.collection(ORPHANAGE).createIndexes([
    { key: { _pending: 1 }, name: 'pending', sparse: true },
    { key: { of: 1 }, name: 'of' },
  ]);
}
