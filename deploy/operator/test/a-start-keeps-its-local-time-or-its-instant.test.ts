import { randomUUID } from 'node:crypto';
import { catalog, type PerformanceDocument, performances } from '@boxoffice/catalog';
import { createLogger } from '@boxoffice/runtime';
import { type New, openMongoStore, openSqliteStores, type Store } from '@boxoffice/store';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { services } from '../src/installation.ts';
import { createClub, createOperator, createTemporaryDirectory } from './program.ts';

const startDate = '2090-12-12T00:30:00.000Z';
const timeZone = 'America/Winnipeg';
/** As if it had been entered while Winnipeg set its clocks back in winter. */
const meantStart = { time: '2090-12-11T18:30:00', release: '2026c', startDate, timeZone };
const kept = '2090-12-11T23:30:00.000Z';

const at = '2026-10-01T10:00:00.000Z';
const performance = (id: string): New<PerformanceDocument> => ({
  ...{ id, institution: 'club', productId: 'prd', startDate, durationMinutes: 90, timeZone, meantStart },
  ...{ venue: { name: 'Hall', city: null }, salesFrom: null, salesTo: null, state: 'on_sale' },
  ...{ seatCategories: [], prices: [], soleOf: null },
  ...{ revision: 1, createdAt: at, updatedAt: at, modifiedAt: at },
});

const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
const { name, collections } = catalog;
const { TEST_MONGODB_URL } = process.env;
const url = `${TEST_MONGODB_URL}/operator_${randomUUID().slice(0, 8)}`;

interface Engine {
  readonly engine: string;
  /** Of an installation. */
  readonly settings: Readonly<Record<string, string>>;
  /** Opens its store of the catalog. */
  open(directory: string): Promise<Pick<Store, 'collection' | 'outbox' | 'close'>>;
}

const sqlite: Engine = {
  engine: 'SQLite',
  settings: {},
  async open(directory) {
    const stores = openSqliteStores({ directory, logger });
    // As in an installation that has run: the check wants the file of each service.
    for (const service of Object.values(services)) await stores.open(service.name, service.collections);
    const { collection, outbox } = await stores.open(name, collections);
    return { collection, outbox, close: () => stores.close() };
  },
};

const mongodb: Engine = {
  engine: 'MongoDB',
  settings: { MONGODB_URL: url },
  open: () => openMongoStore({ url, name, collections, logger }),
};

/** The engines of this run. */
const engines = TEST_MONGODB_URL === undefined ? [sqlite] : [sqlite, mongodb];

describe.each(engines)('an operator decides what newer rules of a time zone mean, on $engine', ({ settings, open }) => {
  const directory = createTemporaryDirectory();
  const operator = createOperator(directory, settings);
  const json = async (...words: readonly string[]) => JSON.parse((await operator(...words, '--json')).out);
  /** What the check says of local times. */
  const checked = async () => {
    const { violations } = await json('check', '--settle', '0');
    return violations.filter((one: { readonly invariant: string }) => one.invariant === 'local_time');
  };
  /** The starts as stored, and the facts that tell of a move since the last call, which are then as published. */
  const stored = async () => {
    const store = await open(directory);
    const found = await store.collection(performances).of('club').find({ orderBy: 'id' });
    const facts = await store.outbox.pending(100);
    await store.outbox.done(facts.map(({ id }) => id));
    await store.close();
    const moves = facts.filter(({ type }) => type === 'performance.moved').map(({ key }) => key);
    return { starts: found.map((one) => one.startDate), meant: found.map((one) => one.meantStart?.time), moves };
  };
  beforeAll(async () => {
    await createClub(operator);
    const store = await open(directory);
    await store.collection(performances).of('club').insertMany(['a', 'b', 'c'].map(performance));
    await store.close();
  });

  test('the check lists the starts at which clocks show another time than was meant', async () => {
    const text = 'a starts at 2090-12-11T19:30:00 and was meant to at 2090-12-11T18:30:00 (time zones of 2026c)';
    const found = await checked();
    expect(found).toHaveLength(3);
    expect(found).toContainEqual({ invariant: 'local_time', institution: 'club', ids: ['a'], text });
    const shown = { meant: '2090-12-11T18:30:00', meantBy: '2026c', shown: '2090-12-11T19:30:00' };
    expect((await json('performances', 'moved', 'club'))[0]).toEqual({
      ...{ institution: 'club', performance: 'a', startDate, timeZone },
      ...shown,
    });
  });

  test('keep-local-time moves the one that is named, with one fact', async () => {
    const words = ['performances', 'keep-local-time', 'club', '--performance', 'a'];
    expect(await json(...words)).toEqual([
      { institution: 'club', performance: 'a', from: startDate, to: kept, shows: '2090-12-11T18:30:00' },
    ]);
    expect(await json(...words)).toEqual([]);
    expect(await stored()).toMatchObject({ starts: [kept, startDate, startDate], moves: ['a'] });
    expect(await checked()).toHaveLength(2);
  });

  test('keep-instant leaves it where it is, and what clocks show then is meant from now on', async () => {
    expect(await json('performances', 'keep-instant', 'club', '--performance', 'b')).toEqual([
      { institution: 'club', performance: 'b', startDate, shows: '2090-12-11T19:30:00' },
    ]);
    const [a, b, c] = ['2090-12-11T18:30:00', '2090-12-11T19:30:00', '2090-12-11T18:30:00'];
    expect(await stored()).toEqual({ starts: [kept, startDate, startDate], meant: [a, b, c], moves: [] });
    expect(await checked()).toHaveLength(1);
  });

  test('without a name it is all of them, of every institution; then the check finds none', async () => {
    expect(await json('performances', 'keep-local-time')).toMatchObject([{ performance: 'c', to: kept }]);
    expect((await stored()).moves).toEqual(['c']);
    expect(await checked()).toEqual([]);
  });

  test('an unknown institution and an empty name are refused', async () => {
    expect((await operator('performances', 'keep-local-time', 'nobody')).status).not.toBe(0);
    expect((await operator('performances', 'keep-instant', '--performance', '')).err).toContain('--performance');
  });
});
