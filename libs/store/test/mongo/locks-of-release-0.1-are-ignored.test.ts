import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fresh, suiteCollections, thing, thingsOf } from '../../src/conformance/subject.ts';
import { openMongoStore, type Store } from '../../src/index.ts';
import { describeMongo } from './describe.ts';
import { newDatabase } from './engine.ts';

describeMongo('the lock that an instance of release 0.1 holds', (url) => {
  const database = newDatabase(url);
  let store: Store;
  beforeAll(async () => {
    store = await openMongoStore({ ...database.settings, collections: suiteCollections });
  });
  afterAll(async () => {
    await store.close();
    await database.remove();
  });

  /** Locks a key as release 0.1 does. */
  const locked = async () => {
    const [key, expiresAt] = [fresh('key'), Date.now() + 60_000];
    const lock = {
      fingerprint: 'print',
      expiresAt,
      purgeAt: new Date(expiresAt),
      attempt: fresh(),
      beatAt: new Date(),
    };
    await database.withClient((client) =>
      client
        .db(database.database)
        .collection<{ _id: string }>('store.keys')
        .insertOne({ _id: key, ...lock }),
    );
    return { key, fingerprint: 'print', expiresAt, attempt: lock.attempt };
  };
  const stored = (key: string) =>
    database.withClient((client) =>
      client.db(database.database).collection<{ _id: string }>('store.keys').findOne({ _id: key }),
    );
  const answer = { status: 409, headers: {}, body: null };

  test('is no answer, and does not keep a write from its effect', async () => {
    const { key, fingerprint, expiresAt } = await locked();
    expect(await store.idempotency.find(key)).toBeUndefined();
    const idempotencyRecord = { key, fingerprint, expiresAt, answer: () => ({ ...answer, status: 201 }) };
    await thingsOf(store).of(fresh('inst')).insert(thing(), { idempotencyRecord });
    expect((await store.idempotency.find(key))?.answer.status).toBe(201);
  });

  test('is replaced by an answer, which its holder then neither overwrites nor removes', async () => {
    const { key, attempt, ...request } = await locked();
    expect(await store.idempotency.remember({ key, ...request }, answer)).toBeUndefined();
    expect(await store.idempotency.find(key)).toEqual({ fingerprint: 'print', answer });
    // That release ends and answers by the id of its attempt.
    expect(await stored(key)).toMatchObject({ attempt: '' });
    expect(await stored(key)).not.toMatchObject({ attempt });
    expect(await stored(key)).not.toHaveProperty('beatAt');
  });
});
