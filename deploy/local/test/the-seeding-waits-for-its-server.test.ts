import { catalog, createInstitution } from '@boxoffice/catalog';
import { openSqliteStores, type Store, StoreUnavailable } from '@boxoffice/store';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ensureDemo, type Progress } from '../src/index.ts';
import { createTemporaryDirectory } from './program.ts';

const directory = createTemporaryDirectory();
const stores = openSqliteStores({ directory });
let store: Store;

beforeAll(async () => {
  store = await stores.open('catalog', catalog.collections);
  await createInstitution(store, { id: 'museum', name: 'Museum', currency: 'EUR', languages: ['en'] });
});

afterAll(() => stores.close());

/** Seeds an installation that somebody set up without demo data, whose record fails so often before it can be read. */
const seed = async (failures: number, reason: Error, waitsFor?: string) => {
  const told: string[] = [];
  let left = failures;
  const progress: Progress = {
    async state() {
      if (left > 0) {
        left -= 1;
        throw reason;
      }
      return { state: 'never' };
    },
    begin: async () => {},
    finish: async () => {},
  };
  const seeded = ensureDemo({
    stores: { authorizer: store, catalog: store, pos: store },
    progress,
    directory,
    urls: { authorizer: '', catalog: '', contacts: '', orders: '' },
    serviceRootSecret: '',
    addresses: { baseUrl: '', posUrl: '', caFile: '' },
    now: new Date(),
    tell: (what) => told.push(what),
    waitsFor,
  });
  return seeded.then(
    (demo) => ({ ended: demo, told }),
    (error: Error) => ({ ended: error.message, told }),
  );
};

const slow = () => new StoreUnavailable('MongoDB did not answer within 6000 ms');

test('while the server of the data does not answer, the seeding waits, and says for what', async () => {
  const { ended, told } = await seed(4, slow(), 'MongoDB at db.example:27017/shop');
  expect(ended).toBeUndefined();
  expect(told).toEqual(
    Array.from(
      { length: 4 },
      () => 'waiting for MongoDB at db.example:27017/shop: MongoDB did not answer within 6000 ms',
    ),
  );
});

test('what does not pass by itself, and trouble with files of this machine, ends the start after three attempts', async () => {
  const refused = await seed(3, new Error('the demo data lacks a client'), 'MongoDB at db.example:27017/shop');
  expect(refused.ended).toBe('the demo data cannot be created: the demo data lacks a client');
  const full = await seed(3, new StoreUnavailable('database file catalog.sqlite: the disk is full'));
  expect(full.ended).toBe('the demo data cannot be created: database file catalog.sqlite: the disk is full');
  expect((await seed(2, slow())).ended).toBeUndefined();
});
