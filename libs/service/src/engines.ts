import {
  type Bus,
  connectRabbitmq,
  createInProcessBus,
  type DeadLetter,
  type DeadLetterStore,
  type DeadLetters,
  type Declared,
  type Queue,
} from '@boxoffice/messaging';
import { getCurrentTrace, type Logger, repeat, StartFault } from '@boxoffice/runtime';
import {
  type Collection,
  collection,
  type Document,
  insertUnlessTaken,
  openMongoStore,
  openSqliteStores,
  type Store,
  skipWhenQuiet,
} from '@boxoffice/store';
import type { Closable } from './definition.ts';

type DeadLetterDocument = Document & DeadLetter & { readonly replayRequested?: boolean };

const deadLetterCollection = collection<DeadLetterDocument>('dead_letters', [
  { name: 'queue', fields: ['queue', 'deadSince'] },
  { name: 'since', fields: ['deadSince'] },
  { name: 'requested', fields: ['replayRequested', 'deadSince'] },
]);

/** The letters of all tenants are stored together: operators handle queues, not institutions. */
const TOGETHER = 'installation';

/** Milliseconds between two polls for requests: one indexed read each after a write. */
const LOOK_EVERY_MS = 1_000;

export interface Engines {
  readonly storeEngine: string;
  readonly busEngine: string;
  /** Opens the store of a service; closed by `close`. @throws {StartFault} when it is unavailable */
  store(service: string, collections: readonly Collection<Document>[]): Promise<Store>;
  readonly bus: Bus;
  /** The dead letters for an operator's process, beside the one that runs the services. */
  readonly deadLetters: DeadLetters;
  /** Closes the bus, then every store that was opened. */
  close(): Promise<void>;
}

interface EnginesOptions {
  /** Undefined: SQLite files in `directory`. */
  readonly mongodbUrl: string | undefined;
  /** Undefined: the bus of this process. */
  readonly amqpUrl: string | undefined;
  readonly directory: string;
  readonly logger: Logger;
  /** For the in-process bus: the queues that this process will serve. Undefined: none, an operator's process. */
  readonly serves?: readonly Queue[];
  /** The facts that there are; default: those of the product's own services. */
  readonly declared?: Declared;
}

export function getTraceparent(): string | undefined {
  return getCurrentTrace()?.traceparent;
}

/** The store of the in-process bus, which belongs to no service. */
const MESSAGING = 'messaging';

/** Time limit of RabbitMQ's response before it counts as unavailable. */
const CONNECT_MS = 10_000;

/** Embedded engines serve one process. @throws {StartFault} when one is unavailable, naming its setting */
export async function openEngines(options: EnginesOptions): Promise<Engines> {
  const { mongodbUrl, amqpUrl, directory, logger, serves, declared } = options;
  const opened: Store[] = [];
  const sqlite = mongodbUrl === undefined ? openSqliteStores({ directory, trace: getTraceparent, logger }) : undefined;
  const store: Engines['store'] = async (name, collections) => {
    const fresh = sqlite
      ? await sqlite.open(name, collections).catch(naming('BOXOFFICE_DATA_DIR'))
      : await openMongoStore({ url: String(mongodbUrl), name, collections, trace: getTraceparent, logger }).catch(
          naming('MONGODB_URL'),
        );
    opened.push(fresh);
    return fresh;
  };
  const closeStores = async (): Promise<void> => {
    for (const one of opened.splice(0)) await one.close();
    await sqlite?.close();
  };
  const openMessaging = async () => {
    if (amqpUrl !== undefined) {
      const connected = connectRabbitmq({ url: amqpUrl, logger, declared, connectTimeoutMs: CONNECT_MS });
      const bus = await connected.catch(naming('AMQP_URL'));
      return { bus, deadLetters: bus.deadLetters };
    }
    const letters = await store(MESSAGING, [deadLetterCollection]);
    const bus = createInProcessBus({ deadLetters: deadLettersIn(letters), logger, serves, declared });
    const deadLetters = deadLettersFromOutside(letters, bus.deadLetters);
    const replays = serves && serveReplayRequests(letters, bus.deadLetters, logger);
    return { bus, deadLetters, replays };
  };
  const { bus, deadLetters, replays } = await openMessaging().catch(async (error: unknown) => {
    await closeStores();
    throw error;
  });
  return {
    storeEngine: sqlite ? 'SQLite' : 'MongoDB',
    busEngine: amqpUrl === undefined ? 'in-process bus' : 'RabbitMQ',
    store,
    bus,
    deadLetters,
    async close() {
      await replays?.close();
      await bus.close();
      await closeStores();
    },
  };
}

const naming =
  (setting: string) =>
  (error: unknown): never => {
    throw new StartFault(`${setting}: ${(error as Error).message}`);
  };

const deadLettersIn = (store: Store): DeadLetterStore => {
  const letters = lettersIn(store);
  return {
    async add(letter) {
      if (!(await insertUnlessTaken(letters, letter))) await letters.update(letter.id, () => ({ next: letter }));
    },
    async list(queue) {
      const found = await letters.find({ where: queue === undefined ? {} : { queue }, orderBy: 'deadSince' });
      return found.map(letterOf);
    },
    count: (queue) => letters.count({ queue }),
    async get(id) {
      const letter = await letters.get(id);
      return letter && letterOf(letter);
    },
    remove: (id) => letters.delete(id),
  };
};

const lettersIn = (store: Store) => store.collection(deadLetterCollection).of(TOGETHER);

const letterOf = (document: DeadLetterDocument): DeadLetter => {
  const { version: _version, institution: _institution, replayRequested: _requested, ...letter } = document;
  return letter;
};

/** Stores the request for a replay; the process with the queue's consumers executes it. */
const deadLettersFromOutside = (store: Store, inside: DeadLetters): DeadLetters => ({
  list: inside.list,
  drop: inside.drop,
  replay: async (id) => {
    const stored = await lettersIn(store).update(id, (letter) => ({ next: { ...letter, replayRequested: true } }));
    return stored !== undefined;
  },
});

/** A letter that fails again is listed again. */
const serveReplayRequests = (store: Store, inside: DeadLetters, logger: Logger): Closable => {
  const letters = lettersIn(store);
  const look = async (): Promise<void> => {
    for (const { id } of await letters.find({ where: { replayRequested: true }, orderBy: 'deadSince', limit: 100 })) {
      await letters.update(id, ({ replayRequested: _, ...letter }) => ({ next: letter }));
      await inside.replay(id);
    }
  };
  return repeat(skipWhenQuiet(store, 0, look), {
    everyMs: LOOK_EVERY_MS,
    failed: (error) => logger.warn('a dead letter could not be replayed', { error }),
  });
};
