import type { CollectionHandle, Document, Documents, Store } from '@boxoffice/store';

/** What a process dies of. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

/** The same store, seen by a process that dies at its n-th write to a document (from 1), before or after it took effect. */
export const crashingAt = (store: Store, write: number, when: 'before' | 'after'): Store => {
  let writes = 0;
  const dying = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    writes += 1;
    if (writes > write || (writes === write && when === 'before')) throw new Crash();
    const result = await run();
    if (writes >= write) throw new Crash();
    return result;
  };
  const documents = <T extends Document>(real: Documents<T>): Documents<T> => ({
    ...real,
    insert: (...given) => dying(() => real.insert(...given)),
    insertMany: (...given) => dying(() => real.insertMany(...given)),
    update: async (id, fn, options) => {
      const current = await real.get(id);
      const writing = current !== undefined && fn(current) !== undefined;
      return writing ? dying(() => real.update(id, fn, options)) : real.update(id, fn, options);
    },
    delete: (id) => dying(() => real.delete(id)),
  });
  return {
    ...store,
    collection: <T extends Document>(collection: { name: string; indexes: [] }): CollectionHandle<T> => {
      const real = store.collection<T>(collection);
      return { ...real, of: (institution) => documents(real.of(institution)) };
    },
  } as Store;
};

/** Runs something as often as processes die of it, each later than the one before; answers how many did. */
export const untilNoneDies = async (
  store: Store,
  run: (store: Store) => Promise<unknown>,
  when: 'before' | 'after',
): Promise<number> => {
  for (let write = 1; ; write += 1) {
    try {
      await run(crashingAt(store, write, when));
      return write - 1;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
  }
};
