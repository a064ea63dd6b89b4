import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, text } from '@boxoffice/runtime';
import { type Collection, type Document, openMongoStore, openSqliteStores, type Store } from '@boxoffice/store';

export interface OpenEngine {
  /** Another instance on the same data, as another process would have it. */
  open(): Promise<Store>;
  /** Closes every instance; SQLite files are removed, a MongoDB test database is left to its server. */
  close(): Promise<void>;
}

export interface TestEngine {
  readonly name: string;
  start(): Promise<OpenEngine>;
  open(): Promise<{ readonly store: Store; discard(): Promise<void> }>;
}

type Collections = readonly Collection<Document>[];

/** A test server on a busy machine may stand still for seconds. */
const PATIENT_MS = 60_000;

const { mongodbUrl } = readSettings({ mongodbUrl: text('TEST_MONGODB_URL', { optional: true }) });

/** `npm test` reports the engines that it did not exercise. */
export function listTestEngines(service: string, collections: Collections): readonly TestEngine[] {
  return mongodbUrl === undefined
    ? [sqlite(service, collections)]
    : [sqlite(service, collections), mongodb(mongodbUrl, service, collections)];
}

const sqlite = (service: string, collections: Collections): TestEngine =>
  engine('SQLite', async () => {
    const directory = await mkdtemp(join(tmpdir(), `boxoffice-${service}-`));
    const opened: { close(): Promise<void> }[] = [];
    return {
      async open() {
        const stores = openSqliteStores({ directory });
        opened.push(stores);
        return stores.open(service, collections);
      },
      async close() {
        for (const stores of opened) await stores.close();
        await rm(directory, { recursive: true, force: true, maxRetries: 5 });
      },
    };
  });

const engine = (name: string, start: TestEngine['start']): TestEngine => ({
  name,
  start,
  async open() {
    const opened = await start();
    return { store: await opened.open(), discard: opened.close };
  },
});

const mongodb = (server: string, service: string, collections: Collections): TestEngine =>
  engine('MongoDB', async () => {
    const address = new URL(server);
    address.pathname = `/t${randomBytes(8).toString('hex')}`;
    const opened: Store[] = [];
    return {
      async open() {
        const store = await openMongoStore({ url: address.href, name: service, collections, answerMs: PATIENT_MS });
        opened.push(store);
        return store;
      },
      async close() {
        for (const store of opened) await store.close();
      },
    };
  });

/** A suffix for the name of a suite: says that MongoDB is not exercised, if TEST_MONGODB_URL is not set; else empty. */
export const notExercised = mongodbUrl === undefined ? ' (MongoDB not exercised: TEST_MONGODB_URL is not set)' : '';
