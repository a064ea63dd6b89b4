import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, text } from '@boxoffice/runtime';
import { openMongoStore, openSqliteStores, type Store } from '@boxoffice/store';
import { collections } from '../../src/store.ts';

/** Opens an empty store. */
export interface Engine {
  readonly name: string;
  open(): Promise<{ readonly store: Store; discard(): Promise<void> }>;
}

const sqlite: Engine = {
  name: 'SQLite',
  async open() {
    const directory = await mkdtemp(join(tmpdir(), 'boxoffice-pos-'));
    const stores = openSqliteStores({ directory });
    const store = await stores.open('pos', collections);
    const discard = async () => {
      await stores.close();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    };
    return { store, discard };
  },
};

const mongodb = (url: string): Engine => ({
  name: 'MongoDB',
  async open() {
    const name = `pos_${randomBytes(4).toString('hex')}`;
    const store = await openMongoStore({ url, name, collections });
    return { store, discard: () => store.close() };
  },
});

const { mongodbUrl } = readSettings({ mongodbUrl: text('TEST_MONGODB_URL', { optional: true }) });

/** The engines that this run has; `npm test` says which it did not. */
export const engines: readonly Engine[] = mongodbUrl === undefined ? [sqlite] : [sqlite, mongodb(mongodbUrl)];
