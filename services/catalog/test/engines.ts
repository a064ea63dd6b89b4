import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, text } from '@boxoffice/runtime';
import { openMongoStore, openSqliteStores, type Store } from '@boxoffice/store';
import { collections } from '../src/store.ts';

/** Instances of one empty store. */
export interface OpenEngine {
  /** One more instance on the same data, as another process would have it. */
  open(): Promise<Store>;
  /** Closes every instance; SQLite files are removed, a MongoDB test database is left to its server. */
  close(): Promise<void>;
}

export interface Engine {
  readonly name: string;
  start(): Promise<OpenEngine>;
}

const sqlite: Engine = {
  name: 'SQLite',
  async start() {
    const directory = await mkdtemp(join(tmpdir(), 'catalog-'));
    const opened: { close(): Promise<void> }[] = [];
    return {
      async open() {
        const stores = openSqliteStores({ directory });
        opened.push(stores);
        return stores.open('catalog', collections);
      },
      async close() {
        for (const stores of opened) await stores.close();
        await rm(directory, { recursive: true, force: true, maxRetries: 5 });
      },
    };
  },
};

const mongo = (server: string): Engine => ({
  name: 'MongoDB',
  async start() {
    const address = new URL(server);
    address.pathname = `/t${randomUUID().replaceAll('-', '').slice(0, 16)}`;
    const opened: Store[] = [];
    return {
      async open() {
        const store = await openMongoStore({ url: address.href, name: 'catalog', collections });
        opened.push(store);
        return store;
      },
      async close() {
        for (const store of opened) await store.close();
      },
    };
  },
});

const { mongodbUrl } = readSettings({ mongodbUrl: text('TEST_MONGODB_URL', { optional: true }) });

/** The engines that are there to be exercised. */
export const engines: readonly Engine[] = mongodbUrl === undefined ? [sqlite] : [sqlite, mongo(mongodbUrl)];

/** Said in the name of a suite, so that a run tells what it did not exercise. */
export const missing = mongodbUrl === undefined ? ' (MongoDB not exercised: TEST_MONGODB_URL is not set)' : '';
