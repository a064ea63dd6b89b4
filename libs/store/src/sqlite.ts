import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Surroundings } from './engines.ts';
import type { Collection, Document, Store } from './port.ts';
import { createGetTogether, upgradeReads } from './reading.ts';
import { createCollectionHandle } from './sqlite/documents.ts';
import { findWaiting } from './sqlite/due.ts';
import { type DatabaseFile, openFile } from './sqlite/file.ts';
import { createIdempotency } from './sqlite/idempotency.ts';
import { createOutbox } from './sqlite/outbox.ts';
import { createTableInfo, describeTable } from './sqlite/schema.ts';
import { startWriterThread } from './sqlite/writer/thread.ts';
import { keepHandles } from './wrapping.ts';

interface SqliteOptions extends Surroundings {
  /** Created if missing, accessible to its owner only. The mode of the files follows the process's umask. */
  readonly directory: string;
}

/** The stores of one process: one file per service, one writer thread for all. */
export type SqliteStores = ReturnType<typeof openSqliteStores>;

/** Who holds which lease, by file and name; `until` in milliseconds of the monotonic clock. */
const leases = new Map<string, { readonly holder: object; readonly until: number }>();

export function openSqliteStores({ directory, ...surroundings }: SqliteOptions) {
  const thread = startWriterThread();
  const opened = new Set<Store>();
  return {
    /** Other processes may have it open; leases are of this one. @throws an Error that names the file and the reason */
    async open(name: string, collections: readonly Collection<Document>[]): Promise<Store> {
      if (!/^[A-Za-z0-9_-]+$/.test(name)) throw new Error(`${JSON.stringify(name)} is not a store name`);
      const tables = collections.map(describeTable);
      try {
        mkdirSync(directory, { recursive: true, mode: 0o700 });
      } catch (error) {
        throw new Error(`data directory ${directory}: ${(error as Error).message}`, { cause: error });
      }
      const file = await openFile(thread, join(directory, `${name}.sqlite`), tables, surroundings);
      const store: Store = storeOf(file, collections, () => opened.delete(store));
      opened.add(store);
      return store;
    },
    /** Closes every store, then the writer thread. */
    async close(): Promise<void> {
      for (const store of opened) await store.close();
      await thread.stop();
    },
  };
}

const storeOf = (file: DatabaseFile, collections: readonly Collection<Document>[], onClose: () => void): Store => {
  const tables = new Map(collections.map((one) => [one.name, createTableInfo(one)]));
  const idempotency = createIdempotency(file);
  const leases = createLeases(file.path);
  const collection = keepHandles(<T extends Document>(declared: Collection<T>) => {
    const table = tables.get(declared.name);
    if (!table) throw new Error(`the store ${file.path} was opened without the collection ${declared.name}`);
    return upgradeReads(createCollectionHandle<T>(file, table), declared);
  });
  return {
    collection,
    getTogether: createGetTogether(collection),
    idempotency,
    outbox: createOutbox(file),
    lease: async (name, ms) => leases.lease(name, ms),
    onDue: file.onDue,
    waiting: async () => findWaiting(file, tables.values()),
    revision: () => file.reader.revision(),
    ping: () => file.ping(),
    async close() {
      idempotency.stop();
      leases.releaseAll();
      onClose();
      await file.close();
    },
  };
};

/** In memory, since the services of a directory run in one process: a start waits for no lease of a dead one. */
const createLeases = (path: string) => {
  const holder = {};
  return {
    lease(name: string, ms: number): boolean {
      const key = `${path} ${name}`;
      const now = performance.now();
      const held = leases.get(key);
      if (held && held.holder !== holder && held.until > now) return false;
      leases.set(key, { holder, until: now + ms });
      return true;
    },
    releaseAll(): void {
      for (const [key, held] of leases) if (held.holder === holder) leases.delete(key);
    },
  };
};
