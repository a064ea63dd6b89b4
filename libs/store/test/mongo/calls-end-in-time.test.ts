import { expect, test } from '@jest/globals';
import { MongoBulkWriteError, MongoServerError } from 'mongodb';
import { createId, createThing, getThings, suiteCollections, waitUntil } from '../../src/conformance/subject.ts';
import { openMongoStore, StoreUnavailable } from '../../src/index.ts';
import { toPortError } from '../../src/mongo/connection.ts';
import { describeMongo } from './describe.ts';
import { createDatabase, openBehindProxy, retryWhileUnavailable } from './engine.ts';
import { type Command, createScramServer, isWrite, startProxy, type Verdict } from './proxy.ts';

const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (value) => value,
    (error: unknown) => error,
  );

describeMongo('a database that', (url) => {
  const through = async (work: (its: Awaited<ReturnType<typeof openBehindProxy>>) => Promise<void>) => {
    const its = await openBehindProxy(url, 500);
    await work(its).finally(its.close);
  };

  test('does not respond on open connections makes each call fail with StoreUnavailable, until it responds', async () => {
    await through(async ({ store, judge }) => {
      const mine = getThings(store).of(createId('inst'));
      const { id } = await retryWhileUnavailable(() => mine.insert(createThing()));
      judge(() => 'unanswered');
      const calls = [
        mine.get(id),
        mine.find(),
        mine.count(),
        mine.insert(createThing()),
        mine.delete(id),
        store.ping(),
      ];
      const keys = [store.idempotency.find(createId('key'))];
      for (const failure of await Promise.all([...calls, ...keys, store.outbox.pending(1)].map(failureOf)))
        expect(failure).toBeInstanceOf(StoreUnavailable);
      judge(() => 'pass');
      await retryWhileUnavailable(() => mine.insert(createThing()));
      expect(await retryWhileUnavailable(() => mine.get(id))).toBeDefined();
    });
  });

  test('does not respond while connections authenticate is usable soon after it responds', async () => {
    const { settings, remove } = createDatabase(url);
    let silent = false;
    const judge = (command: Command): Verdict => (silent && 'saslStart' in command ? 'unanswered' : 'pass');
    const proxy = await startProxy(url, judge, undefined, createScramServer('secret'));
    const address = new URL(proxy.url);
    Object.assign(address, { username: 'boxoffice', password: 'secret' });
    address.searchParams.set('authMechanism', 'SCRAM-SHA-256');
    const limits = { url: address.href, answerMs: 6_000 };
    const store = await openMongoStore({ ...settings, ...limits, collections: suiteCollections });
    try {
      const mine = getThings(store).of(createId('inst'));
      const { id } = await retryWhileUnavailable(() => mine.insert(createThing()));
      // More calls than there are connections: the driver opens new ones, which stop in the middle.
      const several = () => Promise.all(Array.from({ length: 8 }, () => failureOf(mine.get(id))));
      silent = true;
      const calls = several();
      await waitUntil(async () => proxy.withheld() >= 2);
      silent = false;
      await waitUntil(async () => (await several()).every((found) => !(found instanceof Error)), 40_000);
      for (const failure of (await calls).filter((found) => found instanceof Error))
        expect(failure).toBeInstanceOf(StoreUnavailable);
    } finally {
      await store.close();
      await proxy.close();
      await remove();
    }
  });

  test('does not respond does not delay the close of a store', async () => {
    // Close waits for no answer: if it waited for one, this would never end.
    await through(async ({ judge }) => judge(() => 'unanswered'));
  });

  test('becomes unreachable makes each call fail with StoreUnavailable', async () => {
    await through(async ({ store, proxy }) => {
      await proxy.close();
      const failure = await failureOf(getThings(store).of('inst').find());
      expect(failure).toBeInstanceOf(StoreUnavailable);
    });
  });
});

test('a server that stops or steps down is unavailable, one that refuses a write is not', () => {
  for (const code of [91, 189, 10_107, 11_600]) {
    const error = new MongoServerError({ message: 'not now', code });
    expect(toPortError(error)).toEqual(new StoreUnavailable('MongoDB: not now', { cause: error }));
  }
  for (const code of [11_000, 121, 13]) {
    const error = new MongoServerError({ message: 'never', code });
    expect(toPortError(error)).toBe(error);
  }
  const bulk = new MongoBulkWriteError({ message: 'a duplicate', code: 11_000, writeErrors: [] }, Object.create(null));
  expect(toPortError(bulk)).toBe(bulk);
});

describeMongo('a write on MongoDB', (url) => {
  type Its = Awaited<ReturnType<typeof openBehindProxy>>;
  const through = async (answerMs: number, work: (its: Its) => Promise<void>) => {
    const its = await openBehindProxy(url, answerMs);
    await work(its).finally(its.close);
  };

  test('does not start after its call has timed out', async () => {
    await through(1_000, async ({ store, proxy, seen, judge }) => {
      const mine = getThings(store).of(createId('inst'));
      const first = await retryWhileUnavailable(() => mine.insert(createThing()));
      seen.length = 0;
      judge((command) => (command.find === 'things' ? 'held' : 'pass'));
      let decided = false;
      const write = mine.update(first.id, (current) => {
        decided = true;
        return { next: { ...current, name: 'late' } };
      });
      await expect(write).rejects.toThrow(StoreUnavailable);
      judge(() => 'pass');
      proxy.release();
      await waitUntil(async () => decided, 60_000);
      // A command that it sent would have been sent before this one.
      expect(await retryWhileUnavailable(() => mine.get(first.id))).toEqual(first);
      expect(seen.filter(isWrite)).toEqual([]);
    });
  });

  test('is aborted by the server after 4 s', async () => {
    await through(60_000, async ({ store, seen }) => {
      const mine = getThings(store).of(createId('inst'));
      const { id } = await mine.insert(createThing());
      await mine.update(id, (current) => ({ next: { ...current, name: 'changed' } }));
      const writes = seen.filter((one) => one.insert === 'things' || one.update === 'things');
      expect(writes.map((one) => one.maxTimeMS)).toEqual([4_000, 4_000]);
    });
  });
});
