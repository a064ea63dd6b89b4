import { authorizer } from '@boxoffice/authorizer';
import { catalog } from '@boxoffice/catalog';
import { type Progress, progressCollections, progressIn } from '@boxoffice/local';
import type { DeadLetters } from '@boxoffice/messaging';
import { amqpUrl, createLogger, dataDirectory, installationSecret, mongodbUrl, readSettings } from '@boxoffice/runtime';
import { type Engines, openEngines } from '@boxoffice/service';
import type { Store } from '@boxoffice/store';

/** The installation that an operator works on: the stores of its services, opened when a command first needs them. */
export interface Installation {
  readonly directory: string;
  /** In words: "SQLite files in …" or "MongoDB". */
  readonly where: string;
  authorizer(): Promise<Store>;
  catalog(): Promise<Store>;
  deadLetters(): Promise<DeadLetters>;
  /** The note of how far the demo data is. */
  demoProgress(): Promise<Progress>;
  /** KEY_ENCRYPTION_KEY. @throws {SettingsFault} */
  keyEncryptionKey(): string;
  close(): Promise<void>;
}

/** Opens what the settings name; nothing is touched before a command asks for it. @throws {SettingsFault} */
export const openInstallation = (): Installation => {
  const settings = readSettings({ directory: dataDirectory, mongodbUrl, amqpUrl });
  const logger = createLogger({ service: 'operator', level: 'error' });
  let opened: Promise<Engines> | undefined;
  const stores = new Map<string, Promise<Store>>();

  const engines = () => {
    opened ??= openEngines({ ...settings, logger });
    return opened;
  };
  const store = ({ name, collections }: Pick<typeof catalog, 'name' | 'collections'>): Promise<Store> => {
    const known = stores.get(name) ?? engines().then((chosen) => chosen.store(name, collections));
    stores.set(name, known);
    return known;
  };

  return {
    directory: settings.directory,
    where: settings.mongodbUrl === undefined ? `SQLite files in ${settings.directory}` : 'MongoDB',
    authorizer: () => store(authorizer),
    catalog: () => store(catalog),
    demoProgress: async () => progressIn(await store({ name: 'local', collections: progressCollections })),
    deadLetters: async () => (await engines()).deadLetters,
    keyEncryptionKey: () => readSettings({ key: installationSecret('KEY_ENCRYPTION_KEY') }).key,
    close: async () => (await opened)?.close(),
  };
};
