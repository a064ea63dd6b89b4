import { type Bus, connectRabbitmq, createInProcessBus } from '@boxoffice/messaging';
import { currentTrace, type Logger } from '@boxoffice/runtime';
import { type Collection, type Document, openMongoStore, openSqliteStores, type Store } from '@boxoffice/store';
import { deadLetterCollection, deadLettersIn } from './dead-letter-store.ts';

/** The engines of one process. */
export interface Engines {
  /** In words, for the screen: "SQLite", "MongoDB". */
  readonly storeEngine: string;
  readonly busEngine: string;
  /** Opens the store of a service. Closed by `close`. */
  store(service: string, collections: readonly Collection<Document>[]): Promise<Store>;
  readonly bus: Bus;
  /** Closes the bus, then every store that was opened. */
  close(): Promise<void>;
}

export interface EnginesOptions {
  /** Undefined: SQLite files in `directory`. */
  readonly mongodbUrl: string | undefined;
  /** Undefined: the bus of this process. */
  readonly amqpUrl: string | undefined;
  readonly directory: string;
  readonly logger: Logger;
}

const trace = (): string | undefined => currentTrace()?.traceparent;

/** The store of the in-process bus, which belongs to no service. */
const MESSAGING = 'messaging';

/** Opens the engines that the settings choose: embedded ones, which serve one process, or MongoDB and RabbitMQ. */
export const openEngines = async ({ mongodbUrl, amqpUrl, directory, logger }: EnginesOptions): Promise<Engines> => {
  const opened: Store[] = [];
  const sqlite = mongodbUrl === undefined ? openSqliteStores({ directory, trace }) : undefined;
  const store: Engines['store'] = async (name, collections) => {
    const fresh = sqlite
      ? await sqlite.open(name, collections)
      : await openMongoStore({ url: String(mongodbUrl), name, collections, trace });
    opened.push(fresh);
    return fresh;
  };
  const closeStores = async (): Promise<void> => {
    for (const one of opened.splice(0)) await one.close();
    await sqlite?.close();
  };
  try {
    const bus =
      amqpUrl === undefined
        ? createInProcessBus({ deadLetters: deadLettersIn(await store(MESSAGING, [deadLetterCollection])), logger })
        : await connectRabbitmq({ url: amqpUrl, logger });
    return {
      storeEngine: sqlite ? 'SQLite' : 'MongoDB',
      busEngine: amqpUrl === undefined ? 'in-process bus' : 'RabbitMQ',
      store,
      bus,
      async close() {
        await bus.close();
        await closeStores();
      },
    };
  } catch (error) {
    await closeStores();
    throw error;
  }
};
