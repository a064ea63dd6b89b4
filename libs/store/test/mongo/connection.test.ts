import { expect, test } from '@jest/globals';
import { createId, createThing, getThings, suiteCollections, waitUntil } from '../../src/conformance/subject.ts';
import { collection, openMongoStore } from '../../src/index.ts';
import { describeMongo } from './describe.ts';
import { createDatabase, openBehindProxy } from './engine.ts';

describeMongo('the connection to MongoDB', (url) => {
  test('that cannot be opened fails within seconds, names the address and hides the password', async () => {
    const opening = openMongoStore({ url: 'mongodb://ada:secret@127.0.0.1:1', name: 'test', collections: [] });
    const error: unknown = await opening.catch((reason: unknown) => reason);
    expect(String(error)).toMatch(/MongoDB at mongodb:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/);
    expect(String(error)).not.toContain('secret');
  });

  test('uses the database that the URL names as the prefix of the services', async () => {
    const { settings, withClient } = createDatabase(url);
    const named = new URL(url);
    named.pathname = '/festival';
    const store = await openMongoStore({ ...settings, url: named.href, collections: suiteCollections });
    await getThings(store).of('a').insert(createThing());
    await store.close();
    await withClient(async (client) => {
      const own = client.db(`festival_${settings.name}`);
      expect(await own.collection('things').countDocuments()).toBe(1);
      await own.dropDatabase();
    });
  });

  test('that breaks fails the running calls, which may have been executed, and is reopened', async () => {
    const { store, proxy, judge, close } = await openBehindProxy(url, 60_000);
    const mine = getThings(store).of(createId('inst'));
    const input = createThing();
    const key = createId('key');
    const answer = () => ({ status: 201, headers: {}, body: null });
    const idempotencyRecord = { key, fingerprint: 'print', expiresAt: Date.now() + 60_000, answer };
    judge(({ insert }) => (insert === 'things' ? 'unanswered' : 'pass'), proxy.cut);
    const events = [{ type: 'thing.created', data: {} }];
    await expect(mine.insert(input, { idempotencyRecord, events })).rejects.toThrow();
    judge(() => 'pass');
    // The driver may use a cut connection once more before it notices.
    await waitUntil(
      () =>
        store.ping().then(
          () => true,
          () => false,
        ),
      200_000,
    );
    await expect(mine.insert(input, { idempotencyRecord, events })).rejects.toThrow('taken');
    expect(await store.idempotency.find(key)).toBeDefined();
    expect((await store.outbox.pending(10)).map((one) => one.key)).toEqual([input.id]);
    await close();
  });

  test('does not change indexes that an operator created', async () => {
    const { settings, database, withClient, remove } = createDatabase(url);
    const declared = collection('things', [{ name: 'by_name', fields: ['name'] }]);
    await (await openMongoStore({ ...settings, collections: [declared] })).close();
    const names = () =>
      withClient(async (client) => {
        const indexes = await client.db(database).collection('things').listIndexes().toArray();
        return indexes.map((one) => String(one.name));
      });
    const before = await names();
    await withClient((client) =>
      client.db(database).collection('things').createIndex({ 'body.x': 1 }, { name: 'by hand' }),
    );
    await (await openMongoStore({ ...settings, collections: [collection('things')] })).close();
    const after = await names();
    expect(after).toContain('by hand');
    expect(after.length).toBe(before.length);
    await remove();
  });
});
