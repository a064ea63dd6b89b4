// The memory of the phone for an evening: IndexedDB, which browsers close, clear and refuse as they like.

/** The collections, and the member that is the key of each. */
const STORES = { lists: 'performanceId', statuses: 'id', scans: 'nonce', settings: 'name' };

const VERSION = 2;

/** A record of the settings: without it somebody has cleared the database. */
const MARK = { name: 'mark' };

/** How long the browser may take; one that takes longer keeps nothing. Milliseconds. */
const PATIENCE_MS = 4_000;

/** Opens the database; rejects where the browser keeps nothing. `onLost()`: called when it has ended. */
export async function connectDatabase({ onLost }, name = 'boxoffice.door') {
  const opening = indexedDB.open(name, VERSION);
  opening.onupgradeneeded = () => {
    // Earlier releases had fewer.
    for (const [store, keyPath] of Object.entries(STORES))
      if (!opening.result.objectStoreNames.contains(store)) opening.result.createObjectStore(store, { keyPath });
  };
  const database = await settled(opening);
  database.onclose = onLost;
  // Another tab with a newer page may change it, and whoever deletes it waits for this.
  database.onversionchange = () => {
    database.close();
    onLost();
  };

  return {
    /** All records of a collection. */
    all: (store) => settled(database.transaction(store).objectStore(store).getAll()),
    /**
     * Changes collections, `{[collection]: {clear, remove: keys, put: records}}`: all of it or nothing. Rejects where
     * the settings lack the mark, unless they get it.
     */
    async write(changes) {
      const transaction = database.transaction([...new Set([...Object.keys(changes), 'settings'])], 'readwrite');
      const written = settled(transaction);
      if (!changes.settings?.put?.includes(MARK)) {
        const mark = transaction.objectStore('settings').get(MARK.name);
        mark.onsuccess = () => mark.result ?? transaction.abort();
      }
      for (const [store, { clear = false, remove = [], put = [] }] of Object.entries(changes)) {
        const records = transaction.objectStore(store);
        if (clear) records.clear();
        for (const key of remove) records.delete(key);
        for (const record of put) records.put(record);
      }
      await written;
    },
  };
}

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.oncomplete = () => resolve(undefined);
    request.onerror = () => reject(request.error);
    request.onabort = () => reject(request.error ?? new Error('aborted'));
  });

/**
 * A database that is opened again and filled whenever it is lost or was cleared; its changes are made one after the
 * other.
 * - `connect({onLost})`: of `connectDatabase`
 * - `contents()`: what it should have, `{[collection]: records}`; every change is in there before it is written
 * - `mayKeep()`: whether what was lost is to be kept again
 * - `onChange()`: called when nothing is kept any more, or again
 */
export function createDatabase({ connect, contents, mayKeep, onChange }) {
  let connecting;
  let wasOpened = false;
  let isLost = false;
  let last = Promise.resolve();

  const inTurn = (run) => {
    const turn = last.then(run);
    last = turn.catch(() => undefined);
    return turn;
  };

  const become = (next) => {
    if (isLost === next) return;
    isLost = next;
    onChange();
  };

  const opened = async () => {
    if (connecting) return connecting;
    if (wasOpened && !mayKeep()) throw new Error('nobody is signed in');
    wasOpened = true;
    const own = inTime(
      connect({
        onLost() {
          if (connecting === own) connecting = undefined;
          if (mayKeep()) void inTurn(fill).catch(() => undefined);
        },
      }),
    );
    connecting = own;
    return own;
  };

  const fill = async () => {
    connecting = undefined;
    try {
      const database = await opened();
      const { settings, ...others } = contents();
      const all = Object.entries({ ...others, settings: [...settings, MARK] });
      await inTime(database.write(Object.fromEntries(all.map(([store, put]) => [store, { clear: true, put }]))));
      become(false);
    } catch (error) {
      connecting = undefined;
      become(true);
      throw error;
    }
  };

  return {
    /** Reads everything, `{[collection]: records}`. Rejects where the browser keeps nothing. */
    open: () =>
      inTurn(async () => {
        const database = await opened();
        const read = await Promise.all(Object.keys(STORES).map(async (store) => [store, await database.all(store)]));
        const records = Object.fromEntries(read);
        const isMarked = records.settings.some(({ name }) => name === MARK.name);
        if (!isMarked) await database.write({ settings: { put: [MARK] } });
        return records;
      }),
    /** Changes collections as `connectDatabase` does; rejects if nothing can be kept. */
    write: (changes) =>
      inTurn(async () => {
        try {
          await inTime((await opened()).write(changes));
        } catch {
          await fill();
        }
      }),
    /** Whether nothing is kept at the moment. */
    isLost: () => isLost,
  };
}

const inTime = (promise) => {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('the database does not answer')), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};
