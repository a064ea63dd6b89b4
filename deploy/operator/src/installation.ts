import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { authorizer } from '@boxoffice/authorizer';
import { catalog } from '@boxoffice/catalog';
import { contacts } from '@boxoffice/contacts';
import { type Progress, placeOf, progressCollections, progressIn, type Running, readRunning } from '@boxoffice/local';
import { type DeadLetters, type QueueDepth, topology } from '@boxoffice/messaging';
import { orders } from '@boxoffice/orders';
import { pos } from '@boxoffice/pos';
import {
  amqpUrl,
  createLogger,
  dataDirectory,
  ensureDirectory,
  installationSecret,
  mongodbUrl,
  readSettings,
  StartFault,
  tlsCaFile,
  trustAuthorities,
} from '@boxoffice/runtime';
import { type Engines, openEngines } from '@boxoffice/service';
import { openMongoStore, openSqliteStores, type SqliteStores, type Store } from '@boxoffice/store';
import { tickets } from '@boxoffice/tickets';
import { Refused } from './refused.ts';

/** What a command does where there is no installation: `made`: it begins one; `unneeded`: it looks at none; otherwise it is refused. */
export type DataUse = 'made' | 'unneeded';

/** The installation that an operator works on: the stores of its services, opened when a command first needs them. */
export interface Installation {
  readonly directory: string;
  /** In words: where its data are, and its messages. */
  readonly engines: { readonly store: 'SQLite' | 'MongoDB'; readonly bus: 'in-process bus' | 'RabbitMQ' };
  /** What runs on the data directory in one process; undefined: nothing does. */
  running(): Promise<Running | undefined>;
  authorizer(): Promise<Store>;
  catalog(): Promise<Store>;
  contacts(): Promise<Store>;
  orders(): Promise<Store>;
  tickets(): Promise<Store>;
  pos(): Promise<Store>;
  /** The services whose SQLite files are not there (yet): opening their store would make them, empty. */
  missing(): readonly string[];
  /** How many messages there are of each queue of the installation. Opens the bus, too. */
  queues(): Promise<QueueDepth[]>;
  /** Opens the bus, as nothing else does: what other commands cause lies in the outboxes, and the running services publish it. */
  deadLetters(): Promise<DeadLetters>;
  /** The note of how far the demo data is. */
  demoProgress(): Promise<Progress>;
  /** KEY_ENCRYPTION_KEY. @throws {SettingsFault} */
  keyEncryptionKey(): string;
  close(): Promise<void>;
}

const named =
  (setting: string) =>
  (error: Error): never => {
    throw new StartFault(`${setting}: ${error.message}`);
  };

const isThere = (directory: string, name: string): boolean => existsSync(join(directory, `${name}.sqlite`));

/** Whether an installation on SQLite files has begun in the directory. */
const begunIn = (directory: string): boolean => [authorizer, catalog].some(({ name }) => isThere(directory, name));

const services = [authorizer, catalog, contacts, orders, tickets, pos];

/** The version of each service that this program knows. */
export const versions: Readonly<Record<string, string>> = Object.fromEntries(
  services.map(({ name, version }) => [name, version]),
);

/**
 * Opens what the settings name; no store and no broker is touched before a command asks for it. `data`: see {@link DataUse}.
 * @throws {SettingsFault}
 * @throws {Refused} when there is no installation to work on
 */
export const openInstallation = (data?: DataUse): Installation => {
  const settings = readSettings({ directory: dataDirectory, mongodbUrl, amqpUrl, tlsCaFile });
  trustAuthorities(settings.tlsCaFile);
  const { directory, mongodbUrl: url, amqpUrl: broker } = settings;
  if (url === undefined && data !== 'unneeded' && !begunIn(directory)) {
    if (data !== 'made') {
      throw new Refused(
        `there is no installation in ${directory} (BOXOFFICE_DATA_DIR); institutions create begins one there, npm start too`,
      );
    }
    ensureDirectory(directory, 'BOXOFFICE_DATA_DIR');
  }
  const logger = createLogger({ service: 'operator', level: 'error' });
  let engines: Promise<Engines> | undefined;
  let sqlite: SqliteStores | undefined;
  const stores = new Map<string, Promise<Store>>();

  const open = ({ name, collections }: Pick<typeof catalog, 'name' | 'collections'>): Promise<Store> => {
    if (url !== undefined) return openMongoStore({ url, name, collections, logger }).catch(named('MONGODB_URL'));
    sqlite ??= openSqliteStores({ directory, logger });
    return sqlite.open(name, collections).catch(named('BOXOFFICE_DATA_DIR'));
  };
  const store = (of: Pick<typeof catalog, 'name' | 'collections'>): Promise<Store> => {
    const known = stores.get(of.name) ?? open(of);
    stores.set(of.name, known);
    return known;
  };

  const opened = (): Promise<Engines> => {
    engines ??= openEngines({ ...settings, logger });
    return engines;
  };

  return {
    directory,
    engines: {
      store: url === undefined ? 'SQLite' : 'MongoDB',
      bus: broker === undefined ? 'in-process bus' : 'RabbitMQ',
    },
    running: () => readRunning(directory, placeOf(url)),
    authorizer: () => store(authorizer),
    catalog: () => store(catalog),
    contacts: () => store(contacts),
    orders: () => store(orders),
    tickets: () => store(tickets),
    pos: () => store(pos),
    missing: () => (url === undefined ? services.flatMap(({ name }) => (isThere(directory, name) ? [] : [name])) : []),
    demoProgress: async () => progressIn(await store({ name: 'local', collections: progressCollections })),
    deadLetters: async () => (await opened()).deadLetters,
    queues: async () => (await opened()).bus.depths(Object.values(topology)),
    keyEncryptionKey: () => readSettings({ key: installationSecret('KEY_ENCRYPTION_KEY') }).key,
    async close() {
      // What could not be opened has been told, and needs no closing.
      for (const opening of [...stores.values(), engines]) await (await opening?.catch(() => undefined))?.close();
      await sqlite?.close();
    },
  };
};
