import { createClaim, isSameWork, replaceDue } from '../due.ts';
import type { Claimed, Document, Due, DueDocuments, DueRequest } from '../port.ts';
import { runForEach } from '../reading.ts';
import type { MongoCollection } from './collection.ts';
import type { Gate } from './connection.ts';
import { removeEmptyParts } from './idempotency.ts';
import { buildDueParts, matchUnchangedDue, type StoredRecord, toDocument, visible, writeOptions } from './record.ts';
import { combineAll, type RecordFilter } from './where.ts';

const WIDTH = 8;

export function createDueDocuments<T extends Document>(collection: MongoCollection, gate: Gate): DueDocuments<T> {
  const { records, schema } = collection;

  /** Writes the due work, if it still is what was read; returns the record, or null on a lost race. */
  const swap = (_id: string, read: Due | undefined, due: Due | undefined): Promise<StoredRecord | null> =>
    records.findOneAndUpdate(
      { _id, ...matchUnchangedDue(read) } as RecordFilter,
      removeEmptyParts(buildDueParts(due)),
      {
        returnDocument: 'after',
        projection: visible,
        ...writeOptions,
      },
    );

  const candidatesOf = ({ now, limit, forMs, except = [] }: DueRequest): Promise<StoredRecord[]> => {
    const some = Object.keys(forMs).map((name): RecordFilter => ({ [`_due.${name}.at`]: { $lte: now } }));
    const filter = combineAll([
      { _dueAt: { $lte: now } },
      ...(some.length > 1 ? [{ $or: some }] : some),
      ...(except.length > 0 ? [{ institution: { $nin: [...except] } }] : []),
    ]);
    const projection = { _due: 1 } as const;
    return records.find(filter, { projection }).sort({ _dueAt: 1, _id: 1 }).limit(limit).toArray();
  };

  return {
    claimDue: (request) =>
      gate.run(async () => {
        // MongoDB reads a limit of 0 as no limit.
        if (request.limit <= 0 || Object.keys(request.forMs).length === 0) return [];
        const found = await candidatesOf(request);
        const taken: Claimed<T>[] = [];
        await runForEach(found.values(), WIDTH, async ({ _id, _due = {} }) => {
          const claimed = createClaim(_due, request);
          const record = claimed && (await swap(_id, _due, claimed.due));
          if (claimed && record) taken.push({ document: toDocument<T>(record), work: claimed.work });
        });
        return taken;
      }),
    moveDue: (id, name, from, to) =>
      gate.run(async () => {
        for (;;) {
          const found = await records.findOne({ _id: id }, { projection: { _due: 1 } });
          if (!found) return false;
          const due = found._due;
          if (!isSameWork(due?.[name], from)) return false;
          if (!(await swap(id, due, replaceDue(due ?? {}, name, to)))) continue;
          if (to) collection.notifyDue(schema.name, { [name]: to.at });
          return true;
        }
      }),
    listDue: ({ until, limit, after }) =>
      gate.run(async () => {
        if (limit <= 0) return [];
        const upTo: RecordFilter = until === undefined ? { _dueAt: { $gt: 0 } } : { _dueAt: { $lte: until } };
        const beyond: RecordFilter[] = after
          ? [{ $or: [{ _dueAt: { $gt: after.at } }, { _dueAt: after.at, _id: { $gt: after.id } }] }]
          : [];
        const cursor = records.find(combineAll([upTo, ...beyond]), { projection: visible });
        const found = await cursor.sort({ _dueAt: 1, _id: 1 }).limit(limit).toArray();
        return found.map((one) => toDocument<T>(one));
      }),
  };
}
