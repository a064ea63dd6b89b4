import {
  type Collection,
  type CollectionHandle,
  type Document,
  type Documents,
  openMongoStore as openFaithfulMongo,
  openSqliteStores as openFaithfulSqlite,
  type SqliteOptions,
  type Store,
} from '@boxoffice/store';
import { modes } from './modes.ts';

// Replaces libs/store inside a process under test (replace.ts): the same, except for the faults that the modes set.
export * from '@boxoffice/store';

/** Reads and then writes, without regard to changes in between. */
const unfaithful = <T extends Document>(documents: Documents<T>): Documents<T> => ({
  ...documents,
  async claim(request) {
    if (modes().store === 'faithful') return documents.claim(request);
    const { where, set, limit } = request;
    const found = await documents.find({ where, limit });
    await new Promise(setImmediate);
    const taken = await Promise.all(found.map(({ id }) => documents.claim({ where: { id }, set })));
    return taken.flat();
  },
});

const doubled = (store: Store): Store => ({
  ...store,
  collection<T extends Document>(declared: Collection<T>): CollectionHandle<T> {
    const handle = store.collection(declared);
    return { ...handle, of: (institution) => unfaithful(handle.of(institution)) };
  },
});

/** As the original, in the modes of this process. */
export const openSqliteStores = (options: SqliteOptions): ReturnType<typeof openFaithfulSqlite> => {
  const stores = openFaithfulSqlite(options);
  return { ...stores, open: async (name, collections) => doubled(await stores.open(name, collections)) };
};

/** As the original, in the modes of this process. */
export const openMongoStore: typeof openFaithfulMongo = async (options) => doubled(await openFaithfulMongo(options));
