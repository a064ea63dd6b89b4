import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { authorizer } from '@boxoffice/authorizer';
import { catalog } from '@boxoffice/catalog';
import { contacts } from '@boxoffice/contacts';
import { events } from '@boxoffice/events';
import { describeStorage, openProgress, progressCollections, readRunning } from '@boxoffice/local';
import { collectDeclarations } from '@boxoffice/messaging';
import { orders } from '@boxoffice/orders';
import { payments } from '@boxoffice/payments';
import { pos } from '@boxoffice/pos';
import {
  amqpUrl,
  createLogger,
  dataDirectory,
  declareInstallationSecret,
  declareOptionalSecret,
  ensureDirectory,
  mongodbUrl,
  readSettings,
  SettingsFault,
  StartFault,
  tlsCaFile,
  trustAuthorities,
} from '@boxoffice/runtime';
import { builtInRows, readPresentRows, type ServiceRow } from '@boxoffice/runtime/services';
import { type Engines, openEngines } from '@boxoffice/service';
import { openMongoStore, openSqliteStores, type SqliteStores, type Store } from '@boxoffice/store';
import { tickets } from '@boxoffice/tickets';

/** The command is valid but cannot be carried out, for the reason in the message. Exit status 1. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** `made`: creates one; `unneeded`: needs none; otherwise it is refused. */
export type DataUse = 'made' | 'unneeded';

/** Where the services file cannot be used, those of the product, and what is wrong with the file. */
export function readUsableRows(): { readonly rows: readonly ServiceRow[]; readonly fault: string | null } {
  try {
    return { rows: readPresentRows(), fault: null };
  } catch (error) {
    if (error instanceof SettingsFault) return { rows: builtInRows, fault: error.faults.join('; ') };
    throw error;
  }
}

export const services = { authorizer, catalog, contacts, orders, tickets, events, payments, pos } as const;

export type ServiceName = keyof typeof services;

export const serviceNames = Object.keys(services) as readonly ServiceName[];

/** The installation that a command works on: the stores of its services, opened at first use. */
export type Installation = ReturnType<typeof openInstallation>;

export const versions: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(services).map(({ name, version }) => [name, version]),
);

/**
 * Contacts no store and no broker before a command needs it.
 * @throws {SettingsFault} when a setting is wrong; {Refused} when there is no installation
 */
export function openInstallation(data?: DataUse) {
  const settings = readSettings({ directory: dataDirectory, mongodbUrl, amqpUrl, tlsCaFile });
  trustAuthorities(settings.tlsCaFile);
  const { directory, mongodbUrl: url, amqpUrl: broker } = settings;
  if (url === undefined && data !== 'unneeded' && !existsIn(directory)) {
    if (data !== 'made') {
      throw new Refused(
        `there is no installation in ${directory} (BOXOFFICE_DATA_DIR); institutions create or npm start creates one`,
      );
    }
    ensureDirectory(directory, 'BOXOFFICE_DATA_DIR');
  }
  const logger = createLogger({ service: 'operator', level: 'error' });
  let engines: Promise<Engines> | undefined;
  let sqlite: SqliteStores | undefined;
  const stores = new Map<string, Promise<Store>>();

  const open = ({ name, collections }: Pick<typeof catalog, 'name' | 'collections'>): Promise<Store> => {
    if (url !== undefined) return openMongoStore({ url, name, collections, logger }).catch(throwNaming('MONGODB_URL'));
    sqlite ??= openSqliteStores({ directory, logger });
    return sqlite.open(name, collections).catch(throwNaming('BOXOFFICE_DATA_DIR'));
  };
  const store = (of: Pick<typeof catalog, 'name' | 'collections'>): Promise<Store> => {
    const known = stores.get(of.name) ?? open(of);
    stores.set(of.name, known);
    return known;
  };

  /** With the facts of these services, those of teams included. */
  const openOnce = (rows: readonly ServiceRow[]): Promise<Engines> => {
    engines ??= openEngines({ ...settings, logger, declared: collectDeclarations(rows) });
    return engines;
  };

  return {
    directory,
    /** The locations of its data and its messages, in words. */
    engines: {
      store: url === undefined ? 'SQLite' : 'MongoDB',
      bus: broker === undefined ? 'in-process bus' : 'RabbitMQ',
    },
    /** The single-process product that runs on the data directory; undefined: none runs. */
    running: () => readRunning(directory, describeStorage(url)),
    store: (service: ServiceName) => store(services[service]),
    /** The services without a SQLite file (yet): opening their store would create an empty one. */
    missing: (): readonly string[] =>
      url === undefined ? Object.values(services).flatMap(({ name }) => (isThere(directory, name) ? [] : [name])) : [],
    demoProgress: async () => openProgress(await store({ name: 'local', collections: progressCollections })),
    /** Opens the bus; events of other commands stay in the outboxes until the running services publish them. */
    deadLetters: async () => (await openOnce(readPresentRows())).deadLetters,
    /** The depth of each queue of the services with {@link readUsableRows}. Opens the bus, too. */
    async queues() {
      const { rows } = readUsableRows();
      return (await openOnce(rows)).bus.depths(collectDeclarations(rows).queues);
    },
    /** KEY_ENCRYPTION_KEY. @throws {SettingsFault} */
    keyEncryptionKey: () => readSettings({ key: declareInstallationSecret('KEY_ENCRYPTION_KEY') }).key,
    /** That of payments: PAYMENTS_KEY_ENCRYPTION_KEY, else KEY_ENCRYPTION_KEY. @throws {SettingsFault} */
    paymentsKeyEncryptionKey(): string {
      const { own } = readSettings({ own: declareOptionalSecret('PAYMENTS_KEY_ENCRYPTION_KEY') });
      return own ?? this.keyEncryptionKey();
    },
    async close() {
      // A failed opening has been reported and needs no closing.
      for (const opening of [...stores.values(), engines]) await (await opening?.catch(() => undefined))?.close();
      await sqlite?.close();
    },
  };
}

const existsIn = (directory: string): boolean => [authorizer, catalog].some(({ name }) => isThere(directory, name));

const isThere = (directory: string, name: string): boolean => existsSync(join(directory, `${name}.sqlite`));

const throwNaming =
  (setting: string) =>
  (error: Error): never => {
    throw new StartFault(`${setting}: ${error.message}`);
  };
