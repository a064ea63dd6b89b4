// The documents of an institution on MongoDB, a file per kind of write.

import type { CollectionHandle, Document, Documents } from '../../port.ts';
import type { MongoCollection } from '../collection.ts';
import type { Gate } from '../connection/gate.ts';
import { documentOf, visible } from '../records/record.ts';
import { allOf, conditionsOf, pageOf } from '../records/where.ts';
import { claim } from './claim.ts';
import { insert, insertInOrder, insertMany } from './insert.ts';
import { remove } from './remove.ts';
import { update } from './update.ts';

/** The documents of one institution, or of all where that is undefined. */
const documentsOf = <T extends Document>(
  collection: MongoCollection,
  gate: Gate,
  institution: string | undefined,
): Documents<T> => {
  const scope = institution === undefined ? {} : { institution };
  const { records } = collection;
  return {
    insert: (document, options = {}) =>
      gate.run((call) => insert<T>(collection, institution ?? '', document, options, call)),
    insertMany: (documents) => gate.runLong(() => insertMany<T>(collection, institution ?? '', documents)),
    insertInOrder: (documents) => gate.run(() => insertInOrder<T>(collection, institution ?? '', documents)),
    get: (id) =>
      gate.run(async () => {
        const record = await records.findOne({ _id: id, ...scope }, { projection: visible });
        return record ? documentOf<T>(record) : undefined;
      }),
    find: (query = {}) =>
      gate.run(async () => {
        const { filter, sort } = pageOf(query, institution);
        // MongoDB reads a limit of 0 as no limit.
        if (query.limit !== undefined && query.limit <= 0) return [];
        const cursor = records.find(filter, { projection: visible }).sort(sort);
        const found = await (query.limit === undefined ? cursor : cursor.limit(query.limit)).toArray();
        return found.map((one) => documentOf<T>(one));
      }),
    count: (where = {}) => gate.run(async () => records.countDocuments(allOf(conditionsOf(where, institution)))),
    update: (id, fn, options = {}) => gate.run((call) => update<T>(collection, scope, id, fn, options, call)),
    delete: (id, version) => gate.run(() => remove(collection, scope, id, version)),
    claim: (request) => gate.run(() => claim<T>(collection, institution, request)),
  };
};

/** The handle of a collection. */
export const collectionHandle = <T extends Document>(collection: MongoCollection, gate: Gate): CollectionHandle<T> => ({
  of: (institution) => documentsOf<T>(collection, gate, institution),
  acrossInstitutions: documentsOf<T>(collection, gate, undefined),
});
