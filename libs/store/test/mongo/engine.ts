import { randomUUID } from 'node:crypto';
import { MongoClient, type Collection as MongoCollection } from 'mongodb';
import type { Engine } from '../../src/conformance/index.ts';
import { suiteCollections } from '../../src/conformance/subject.ts';
import { type Collection, type Document, openMongoStore, type Store, StoreUnavailable } from '../../src/index.ts';
import { type Command, startProxy, type Verdict } from './proxy.ts';

interface Settings {
  readonly url: string;
  readonly name: string;
  readonly answerMs: number;
}

/** The server of the tests may stand still for seconds on a busy machine. */
const PATIENT_MS = 60_000;

/** Opens one instance with its own connections, as another process would. */
export function openStore(settings: Settings, collections: readonly Collection<Document>[]): Promise<Store> {
  return openMongoStore({ ...settings, collections });
}

/** What the call resolves to, once it is answered: the server may stand still for longer than the store waits. */
export async function retryWhileUnavailable<R>(call: () => Promise<R>): Promise<R> {
  const until = Date.now() + PATIENT_MS;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || Date.now() > until) throw error;
    }
  }
}

/** Settings of a new, empty database, its name, and its removal. */
export function createDatabase(url: string) {
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
    settings: { url, name, answerMs: PATIENT_MS },
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
}

/** The MongoDB engine on a new, empty database. */
export function createMongoEngine(url: string) {
  return async (): Promise<Engine> => {
    const { settings, remove } = createDatabase(url);
    return {
      open: (collections) => openStore(settings, collections),
      child: { module: import.meta.url, settings },
      remove,
    };
  };
}

/** A store on a new database behind a proxy, which passes every command until `judge` sets other verdicts. */
export async function openBehindProxy(url: string, answerMs: number) {
  const { settings, remove, database, withClient } = createDatabase(url);
  const seen: Command[] = [];
  let verdictOn: (command: Command) => Verdict = () => 'pass';
  let onAnswer = (): void => undefined;
  const proxy = await startProxy(
    url,
    (command) => {
      seen.push(command);
      return verdictOn(command);
    },
    () => onAnswer(),
  );
  const address = new URL(proxy.url);
  address.searchParams.set('serverSelectionTimeoutMS', String(PATIENT_MS));
  const store = await openMongoStore({ ...settings, url: address.href, collections: suiteCollections, answerMs });
  return {
    store,
    proxy,
    /** The commands so far. */
    seen,
    settings,
    records: <T>(use: (records: MongoCollection<{ _id: string }>) => Promise<T>): Promise<T> =>
      withClient((client) => use(client.db(database).collection<{ _id: string }>('things'))),
    /** Sets the verdict on each command from now on, and what happens when an unanswered one was executed. */
    judge(verdict: typeof verdictOn, answered = onAnswer) {
      verdictOn = verdict;
      onAnswer = answered;
    },
    async close() {
      await store.close();
      await proxy.close();
      await remove();
    },
  };
}
