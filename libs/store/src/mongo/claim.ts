import type { Sort } from 'mongodb';
import { UniqueViolation } from '../engines.ts';
import type { ClaimRequest, Document } from '../port.ts';
import { runForEach } from '../reading.ts';
import type { MongoCollection } from './collection.ts';
import { removeEmptyParts } from './idempotency.ts';
import {
  buildContent,
  decode,
  encode,
  getRecordPath,
  isDuplicate,
  parseTakenIndex,
  type StoredRecord,
  toBody,
  toDocument,
  visible,
} from './record.ts';
import { buildConditions, combineAll, type RecordFilter } from './where.ts';

/** Documents of one claim that are taken concurrently. */
const width = 8;

/** Takes the first matching document in the order; returns it as written. */
type TakeOne = (filter: RecordFilter, sort?: Sort) => Promise<StoredRecord | null>;

export async function claim<T extends Document>(
  collection: MongoCollection,
  institution: string | undefined,
  { where, set, limit, spread }: ClaimRequest<T>,
): Promise<T[]> {
  const take = takerOf(collection, set);
  const field = spread === undefined ? undefined : getRecordPath(spread);
  const present = field === undefined ? [] : [{ [field]: { $ne: null } }];
  const filter = combineAll(buildConditions(where, institution));
  try {
    const taken =
      limit === undefined
        ? await takeAll(collection, take, combineAll([filter, ...present]))
        : await takeSome(take, filter, limit, field);
    return taken.map((one) => toDocument<T>(one));
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const taken = parseTakenIndex(collection.schema, error.message);
    throw 'index' in taken ? new UniqueViolation(taken.index) : error;
  }
}

const takerOf = (collection: MongoCollection, set: object): TakeOne => {
  for (const name of ['id', 'version', 'institution']) {
    if (name in set) throw new Error(`a claim cannot set ${name}`);
  }
  const changed = new Set(Object.keys(set));
  const touchesKey = collection.schema.unique.some((one) =>
    one.fields.some((field) => changed.has(field.split('.')[0] ?? '')),
  );
  return touchesKey ? bySwap(collection, set) : blindly(collection, set);
};

/** Compare-and-swap, for claims that change a unique key, which depends on the whole document. */
const bySwap = ({ records, schema }: MongoCollection, set: object): TakeOne => {
  const gone = Object.entries(set).flatMap(([name, value]) => (value === undefined ? [name] : []));
  const merged = toBody(set);
  return async (filter, sort) => {
    for (;;) {
      const record = await records.findOne(filter, { projection: visible, ...(sort ? { sort } : {}) });
      if (!record) return null;
      const { _id, institution, version } = record;
      const body = { ...decode(record.body, record._escaped), ...merged };
      const remaining = Object.fromEntries(Object.entries(body).filter(([name]) => !gone.includes(name)));
      const $set = { ...buildContent(schema, institution, _id, remaining), version: version + 1 };
      const how = { returnDocument: 'after', projection: visible } as const;
      const written = await records.findOneAndUpdate({ _id, institution, version }, { $set }, how);
      if (written) return written;
    }
  };
};

/** One atomic server command, for claims whose changes do not depend on the document. */
const blindly = ({ records }: MongoCollection, set: object): TakeOne => {
  const encoded = encode(toBody(set));
  const values: readonly (readonly [string, unknown])[] = Object.entries(encoded.body);
  const gone = Object.entries(set).filter(([, value]) => value === undefined);
  const $set: Partial<StoredRecord> = {
    ...Object.fromEntries(values.map(([name, value]) => [`body.${name}`, value])),
    ...(encoded.escaped ? { _escaped: true } : {}),
  };
  const $unset = Object.fromEntries(gone.map(([name]) => [`body.${name}`, '' as const]));
  const update = { ...removeEmptyParts({ $set, $unset }), $inc: { version: 1 } };
  const how = { returnDocument: 'after', projection: visible } as const;
  return (filter, sort) => records.findOneAndUpdate(filter, update, sort ? { ...how, sort } : how);
};

/** Takes every document that matches at the start and still matches at its turn. */
const takeAll = async ({ records }: MongoCollection, take: TakeOne, filter: RecordFilter) => {
  const taken: StoredRecord[] = [];
  const found = await records.find(filter, { projection: { _id: 1 } }).toArray();
  await runForEach(found.values(), width, async ({ _id }) => {
    const one = await take(combineAll([{ _id }, filter]));
    if (one) taken.push(one);
  });
  return taken;
};

const takeSome = async (take: TakeOne, filter: RecordFilter, limit: number, spread: string | undefined) => {
  const taken: StoredRecord[] = [];
  let exhausted = false;
  const takeNext = async () => {
    if (spread === undefined) return take(filter);
    for (const half of halves(spread)) {
      const one = await take(combineAll([filter, half]), { [spread]: 1 });
      if (one) return one;
    }
    return null;
  };
  await runForEach(Array.from({ length: limit }).values(), width, async () => {
    if (exhausted) return;
    const one = await takeNext();
    if (one) taken.push(one);
    else exhausted = true;
  });
  return taken;
};

/** The two ranges of the wrap-around: from a random position to the end, and from the beginning to it. */
const halves = (field: string): RecordFilter[] => {
  const start = Math.random();
  return [{ [field]: { $gte: start } }, { [field]: { $lt: start } }];
};
