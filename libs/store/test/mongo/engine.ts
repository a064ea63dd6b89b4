import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import type { Engine } from '../../src/conformance/index.ts';
import { type Collection, type Document, openMongoStore, type Store } from '../../src/index.ts';

interface Settings {
  readonly url: string;
  readonly name: string;
}

/** The server of the tests may stand still for seconds on a busy machine. */
const PATIENT_MS = 60_000;

/** Opens one instance with its own connections, as another process would. */
export const openStore = (settings: Settings, collections: readonly Collection<Document>[]): Promise<Store> =>
  openMongoStore({ answerMs: PATIENT_MS, ...settings, collections });

/** Settings of a new, empty database, its name, and its removal. */
export const newDatabase = (url: string) => {
  const name = `test-${randomUUID()}`;
  const database = `boxoffice_${name}`;
  const withClient = async <R>(use: (client: MongoClient) => Promise<R>): Promise<R> => {
    const client = await MongoClient.connect(url);
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  };
  return {
    settings: { url, name },
    database,
    withClient,
    // The wire-protocol server cannot drop a collection in which it has refused a unique index; nothing depends on it.
    remove: () =>
      withClient(
        async (client) =>
          void (await client
            .db(database)
            .dropDatabase()
            .catch(() => false)),
      ),
  };
};

/** The MongoDB engine on a new, empty database. */
export const mongoEngine = (url: string) => async (): Promise<Engine> => {
  const { settings, remove } = newDatabase(url);
  return {
    open: (collections) => openStore(settings, collections),
    child: { module: import.meta.url, settings },
    remove,
  };
};
