// The memory of the phone for an evening: IndexedDB.

/** The collections, and the member that is the key of each. */
const STORES = { statuses: 'id', scans: 'nonce', settings: 'name' };

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.oncomplete = () => resolve(undefined);
    request.onerror = () => reject(request.error);
    request.onabort = () => reject(request.error);
  });

/** Opens the database; rejects where the browser keeps nothing. */
export const openDatabase = async (name = 'boxoffice.door') => {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => {
    for (const [store, keyPath] of Object.entries(STORES)) opening.result.createObjectStore(store, { keyPath });
  };
  const database = await settled(opening);
  // Another tab with a newer page may change it.
  database.onversionchange = () => database.close();

  return {
    /** All records of a collection. */
    all: (store) => settled(database.transaction(store).objectStore(store).getAll()),
    /** Changes collections, `{[collection]: {clear, remove: keys, put: records}}`: all of it or nothing. */
    async write(changes) {
      const transaction = database.transaction(Object.keys(changes), 'readwrite');
      for (const [store, { clear = false, remove = [], put = [] }] of Object.entries(changes)) {
        const records = transaction.objectStore(store);
        if (clear) records.clear();
        for (const key of remove) records.delete(key);
        for (const record of put) records.put(record);
      }
      await settled(transaction);
    },
  };
};
