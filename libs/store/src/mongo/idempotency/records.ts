import type { Collection } from 'mongodb';
import type { RememberedAnswer } from '../../port.ts';
import type { StoredIdempotencyRecord, StoredRecord } from '../records/record.ts';
import type { RecordFilter } from '../records/where.ts';

// Idempotency records are stored in the document of their effect. Every change replaces all of them, conditional on the
// keys that were read; so the array of keys is never empty, and no record is lost.

type WithIdempotencyRecords = Pick<StoredRecord, '_id' | '_idempotencyRecords' | '_idempotencyKeys'>;

const projection = { _idempotencyRecords: 1, _idempotencyKeys: 1 } as const;

/** Matches while the idempotency records are those that were read. */
export const unchanged = ({ _idempotencyKeys }: Pick<WithIdempotencyRecords, '_idempotencyKeys'>): RecordFilter =>
  _idempotencyKeys ? { _idempotencyKeys: [..._idempotencyKeys] } : { _idempotencyKeys: { $exists: false } };

/** The `$set` and `$unset` of an update. */
export interface Parts {
  readonly $set: Partial<StoredRecord>;
  readonly $unset: Readonly<Record<string, ''>>;
}

/** The parts of an update that store these idempotency records in the document. */
export const partsWith = (idempotencyRecords: readonly StoredIdempotencyRecord[]): Parts => {
  if (idempotencyRecords.length === 0)
    return { $set: {}, $unset: { _idempotencyRecords: '', _idempotencyKeys: '', _subjects: '' } };
  const subjects = [...new Set(idempotencyRecords.flatMap((one) => one.subjects ?? []))];
  const $set = { _idempotencyRecords: idempotencyRecords, _idempotencyKeys: idempotencyRecords.map((one) => one.key) };
  return subjects.length > 0
    ? { $set: { ...$set, _subjects: subjects }, $unset: {} }
    : { $set, $unset: { _subjects: '' } };
};

/** The update without empty parts, which MongoDB before 5.0 refuses. */
export const updateOf = ({ $set, $unset }: Parts): Partial<Parts> => ({
  ...(Object.keys($set).length > 0 ? { $set } : {}),
  ...(Object.keys($unset).length > 0 ? { $unset } : {}),
});

/**
 * Limits of the idempotency records in one document, in number and in bytes of answers: MongoDB's limit is 16 MiB per
 * document, and every update reads them. The newest stays whatever its size, since it is written with its effect.
 */
const recordCapacity = 50;
const answerBytes = 1024 * 1024;

/** The number of idempotency records, oldest first, that must leave the document before `own` is added. */
export const excessOf = (current: readonly StoredIdempotencyRecord[], own: StoredIdempotencyRecord): number => {
  let left = answerBytes - Buffer.byteLength(own.answer);
  const isOver = (one: StoredIdempotencyRecord, index: number) => {
    left -= Buffer.byteLength(one.answer);
    return left < 0 || current.length - index >= recordCapacity;
  };
  return current.findLastIndex(isOver) + 1;
};

/** The answer as it is stored. */
export const storedIdempotencyRecord = (
  { key, fingerprint, expiresAt }: Omit<StoredIdempotencyRecord, 'answer' | 'subjects'>,
  answer: RememberedAnswer,
): StoredIdempotencyRecord => ({
  key,
  fingerprint,
  expiresAt,
  ...(answer.subjects?.length ? { subjects: answer.subjects } : {}),
  answer: JSON.stringify(answer),
});

const drop = async (
  from: Collection<StoredRecord>,
  filter: RecordFilter,
  dropped: (idempotencyRecord: StoredIdempotencyRecord) => boolean,
) => {
  for await (const found of from.find<WithIdempotencyRecords>(filter, { projection })) {
    let record: WithIdempotencyRecords | null = found;
    while (record?._idempotencyRecords?.some(dropped)) {
      const remaining = record._idempotencyRecords.filter((one) => !dropped(one));
      const filter = { _id: record._id, ...unchanged(record) };
      const { matchedCount } = await from.updateOne(filter, updateOf(partsWith(remaining)));
      if (matchedCount === 1) break;
      record = await from.findOne<WithIdempotencyRecords>({ _id: record._id }, { projection });
    }
  }
};

/** The unexpired idempotency record of a key, in any collection. */
export const findIdempotencyRecord = async (
  collections: Iterable<Collection<StoredRecord>>,
  key: string,
): Promise<StoredIdempotencyRecord | undefined> => {
  const look = async (from: Collection<StoredRecord>) => {
    const record = await from.findOne<WithIdempotencyRecords>({ _idempotencyKeys: key }, { projection });
    return record?._idempotencyRecords?.find((one) => one.key === key && one.expiresAt > Date.now());
  };
  const found = await Promise.all([...collections].map(look));
  return found.find((one) => one !== undefined);
};

/** Removes an expired idempotency record of the key from its document; returns whether the key is free now. */
export const freeIdempotencyRecord = async (from: Collection<StoredRecord>, key: string): Promise<boolean> => {
  await drop(from, { _idempotencyKeys: key }, (one) => one.key === key && one.expiresAt <= Date.now());
  return (await from.findOne({ _idempotencyKeys: key }, { projection: { _id: 1 } })) === null;
};

/** Removes the subject's idempotency records, except one key's, from the documents of a collection. */
export const forgetIdempotencyRecords = (
  from: Collection<StoredRecord>,
  subject: string,
  but?: string,
): Promise<void> =>
  drop(from, { _subjects: subject }, (one) => one.key !== but && (one.subjects?.includes(subject) ?? false));
