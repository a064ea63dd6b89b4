// The engines of a process: its store and bus, and the dead letters between them.

import {
  type Bus,
  connectRabbitmq,
  createInProcessBus,
  type DeadLetters,
  type Declared,
  type Queue,
} from '@boxoffice/messaging';
import { currentTrace, type Logger, StartFault } from '@boxoffice/runtime';
import { type Collection, type Document, openMongoStore, openSqliteStores, type Store } from '@boxoffice/store';
import type { Closable } from '../definition.ts';
import {
  deadLetterCollection,
  deadLettersFromOutside,
  deadLettersIn,
  serveReplayRequests,
} from './dead-letter-store.ts';

/** The engines of one process. */
export interface Engines {
  /** In words: "SQLite" or "MongoDB". */
  readonly storeEngine: string;
  /** In words: "in-process bus" or "RabbitMQ". */
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
  /**
   * The queues that services of this process will serve, for the in-process bus only. Undefined: none, an operator's
   * process.
   */
  readonly serves?: readonly Queue[];
  /** The facts that there are; default: those of the product's own services. */
  readonly declared?: Declared;
}

/** The traceparent of the current request, for the events it causes. */
export const traceOfEvents = (): string | undefined => currentTrace()?.traceparent;

/** The store of the in-process bus, which belongs to no service. */
const MESSAGING = 'messaging';

/** Time limit of RabbitMQ's response before it counts as unavailable. */
const CONNECT_MS = 10_000;

/** Turns the failure to open an engine into a line that names the setting. */
const naming =
  (setting: string) =>
  (error: unknown): never => {
    throw new StartFault(`${setting}: ${(error as Error).message}`);
  };

/**
 * Opens the engines that the settings choose: embedded ones, which serve one process, or MongoDB and RabbitMQ.
 * @throws {StartFault} when one is unavailable, naming its setting
 */
export const openEngines = async (options: EnginesOptions): Promise<Engines> => {
  const { mongodbUrl, amqpUrl, directory, logger, serves, declared } = options;
  const opened: Store[] = [];
  const sqlite = mongodbUrl === undefined ? openSqliteStores({ directory, trace: traceOfEvents, logger }) : undefined;
  const store: Engines['store'] = async (name, collections) => {
    const fresh = sqlite
      ? await sqlite.open(name, collections).catch(naming('BOXOFFICE_DATA_DIR'))
      : await openMongoStore({ url: String(mongodbUrl), name, collections, trace: traceOfEvents, logger }).catch(
          naming('MONGODB_URL'),
        );
    opened.push(fresh);
    return fresh;
  };
  const closeStores = async (): Promise<void> => {
    for (const one of opened.splice(0)) await one.close();
    await sqlite?.close();
  };
  interface Messaging {
    readonly bus: Bus;
    readonly deadLetters: DeadLetters;
    readonly replays?: Closable;
  }
  const openMessaging = async (): Promise<Messaging> => {
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
};
