import { randomUUID } from 'node:crypto';
import { attemptsCollection, createLoginAttempts } from '@boxoffice/logins';
import { Unreadable } from '@boxoffice/messaging';
import { startSweeper } from '@boxoffice/service';
import type { Document, Documents, Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Orders } from '../../src/clients/orders.ts';
import { eraseContact } from '../../src/reactions.ts';
import { createSessions } from '../../src/sessions/sessions.ts';
import { setPassword } from '../../src/sessions/users.ts';
import { collections, deriveSessionOwner, describeRetention, sessions, users } from '../../src/store.ts';
import { engines, openFixture } from '../fixture/fixture.ts';
import { createGuestCheckout, createShopper, PAID } from '../fixture/shopper.ts';

const logger = { warn: (message: string) => expect(message).toBeUndefined() };

describe.each(engines)('the retention of sessions and login attempts, on $name', (engine) => {
  let store: Store;
  let discard: () => Promise<void>;
  beforeAll(async () => {
    ({ store, discard } = await engine.open());
  });
  afterAll(() => discard());

  const where = { institution: 'opera', serviceHost: 'shop.example' };
  let now = 1_000_000;
  const open = (absoluteMs: number, idleMs = 10_000) => createSessions(store, { idleMs, absoluteMs }, () => now);

  /** The number of documents that are deleted now. */
  const sweep = async (): Promise<number> => {
    const before = { renewLink: async () => {}, deleteFiles: async () => {} };
    const retention = describeRetention({ sessionIdleSeconds: 10 }, before);
    const sweeper = startSweeper({ store, collections, retention, logger, now: () => now });
    return sweeper.sweep().finally(() => sweeper.close());
  };

  /** Stores an answer of the session, and returns its key. */
  const remembered = async (sessionId: string): Promise<string> => {
    const request = { key: randomUUID(), fingerprint: 'print', expiresAt: Date.now() + 60_000 };
    const answer = { status: 201, headers: {}, body: {}, subjects: [deriveSessionOwner(sessionId)] };
    expect(await store.idempotency.remember(request, answer)).toBeUndefined();
    return request.key;
  };

  test('ended sessions are deleted, live ones are not', async () => {
    const all = open(60_000);
    await all.begin(where);
    now += 50_000;
    const live = await all.begin(where);
    now += 10_000;
    expect([await sweep(), await sweep()]).toEqual([1, 0]);
    expect(await store.collection(sessions).of('opera').count()).toBe(1);
    // Its idle time has passed.
    expect(await all.find(where, live.token)).toBeUndefined();
    now += 50_000;
    expect(await sweep()).toBe(1);
  });

  test('an idle session is deleted a minute after its end, when no use of it can still be written', async () => {
    await open(600_000).begin(where);
    now += 69_999;
    expect(await sweep()).toBe(0);
    now += 1;
    expect(await sweep()).toBe(1);
  });

  test('idempotency records of a session are deleted with it', async () => {
    const { session } = await open(60_000).begin(where);
    const key = await remembered(session.id);
    now += 60_000;
    expect(await sweep()).toBe(1);
    expect(await store.idempotency.find(key)).toBeUndefined();
  });

  test('idempotency records of a session are deleted at once when it is ended', async () => {
    const all = open(60_000);
    const [one, other] = [await all.begin(where), await all.begin(where)];
    const keys = [await remembered(one.session.id), await remembered(other.session.id)];
    expect(await all.end(one.session)).toBe(true);
    const left = await Promise.all(keys.map((key) => store.idempotency.find(key)));
    expect(left.map((found) => found?.answer.status)).toEqual([undefined, 201]);
    await all.end(other.session);
  });

  test('a use is recorded at most once a minute, and renews the session', async () => {
    const all = open(600_000, 100_000);
    const there = { ...where, institution: 'museum' };
    const { session, token } = await all.begin(there);
    now += 5_000;
    expect((await all.find(there, token))?.lastSeenAt).toBe(session.lastSeenAt);
    now += 85_000;
    expect((await all.find(there, token))?.lastSeenAt).toBe(now);
    const lastSeen = async () => (await store.collection(sessions).of('museum').get(session.id))?.lastSeenAt;
    while ((await lastSeen()) !== now) await new Promise((resolve) => setImmediate(resolve));
    now += 99_000;
    expect(await all.find(there, token)).toBeDefined();
  });

  test('wrong passwords count for fifteen minutes', async () => {
    const attempts = createLoginAttempts(store.collection(attemptsCollection), 300, () => now);
    const attempt = { institution: 'opera', realm: 'shop.example', login: 'ann', ip: '10.0.0.1' };
    for (let count = 0; count < 10; count += 1) expect(await attempts.count(attempt)).toHaveProperty('forgive');
    now += 60_000;
    expect(await attempts.count(attempt)).toBe(14 * 60_000);
    now += 14 * 60_000;
    expect(await attempts.count(attempt)).toHaveProperty('forgive');
    now += 15 * 60_000;
    const documents = () => store.collection(attemptsCollection).of('opera').count();
    // One for the address, one for the login from there, one for the login.
    expect(await documents()).toBe(3);
    await sweep();
    expect(await documents()).toBe(0);
  });

  test('a hundred wrong passwords of a login count from all addresses', async () => {
    const attempts = createLoginAttempts(store.collection(attemptsCollection), 300, () => now);
    const from = (count: number) => ({
      institution: 'opera',
      realm: 'shop.example',
      login: 'bob',
      ip: `10.1.0.${count}`,
    });
    for (let count = 0; count < 100; count += 1) {
      now += 10;
      expect(await attempts.count(from(count))).toHaveProperty('forgive');
    }
    expect(typeof (await attempts.count(from(200)))).toBe('number');
    expect(await attempts.count({ ...from(200), realm: 'other.example' })).toHaveProperty('forgive');
  });
});

test('an erasure deletes the logins of the contact, their sessions and idempotency records', async () => {
  const fixture = await openFixture();
  const [user, other] = [await fixture.user(), await fixture.user()];
  const [token, otherToken] = [await fixture.logIn(user), await fixture.logIn(other)];
  const { path } = await createShopper(fixture).fill(token);
  const body = { beneficiaryFirstName: randomUUID() };
  await fixture.call('PATCH', path, { token, body, headers: { 'idempotency-key': randomUUID() } });

  await fixture.deliver('contact.erased', { contactNumber: user.contactNumber });
  await fixture.deliver('contact.erased', { contactNumber: user.contactNumber });
  expect((await fixture.call('GET', '/users/me', { token })).code).toBe('session_invalid');
  const again = await fixture.call('POST', '/sessions', { body: { login: user.login, password: user.password } });
  expect(again.code).toBe('login_failed');
  expect((await fixture.call('GET', '/users/me', { token: otherToken })).status).toBe(200);
  for (const collection of [sessions, users]) {
    const found = await fixture.store
      .collection<never>(collection as never)
      .of('opera')
      .find();
    expect(JSON.stringify(found)).not.toContain(user.contactNumber);
  }
  await fixture.close();
});

test('an erasure deletes idempotency records about the cart of a guest', async () => {
  const fixture = await openFixture();
  const { fill, buy } = createShopper(fixture);
  const { token, path } = await fill();
  const named = {
    token,
    body: { beneficiaryFirstName: randomUUID() },
    headers: { 'idempotency-key': randomUUID() },
  };
  await fixture.call('PATCH', path, named);
  expect((await fixture.call('PATCH', path, named)).headers.get('idempotency-replayed')).toBe('true');
  const { data: order } = await buy(token, createGuestCheckout(PAID));

  await fixture.deliver('contact.erased', { contactNumber: order.contactNumber });
  const again = await fixture.call('PATCH', path, named);
  expect(again.headers.get('idempotency-replayed')).toBeNull();
  expect(again.text).not.toContain(named.body.beneficiaryFirstName);
  await fixture.close();
});

/** A store whose first deletion of a session, or of idempotency records, fails as a crash before it does. */
const failingOnce = (store: Store, failing: 'session' | 'idempotency records'): Store => {
  let failed = false;
  const failOnce = (): void => {
    if (failed) return;
    failed = true;
    throw new Error(`no deletion of the ${failing}`);
  };
  return {
    ...store,
    idempotency: {
      ...store.idempotency,
      forget: async (subject: string) => {
        if (failing === 'idempotency records') failOnce();
        return store.idempotency.forget(subject);
      },
    },
    collection: <T extends Document>(collection: Parameters<typeof store.collection<T>>[0]) => {
      const real = store.collection<T>(collection);
      const of = (institution: string): Documents<T> => {
        const documents = real.of(institution);
        const remove: typeof documents.delete = async (id) => {
          if (failing === 'session' && collection.name === sessions.name) failOnce();
          return documents.delete(id);
        };
        return { ...documents, delete: remove };
      };
      return { ...real, of };
    },
  };
};

describe.each(['session', 'idempotency records'] as const)('a deletion that fails at the %s', (failing) => {
  test.each(['erasure', 'new password'] as const)('leaves nothing once the %s is repeated', async (action) => {
    const fixture = await openFixture();
    const user = await fixture.user();
    await fixture.logIn(user);
    const [session] = await fixture.store.collection(sessions).of('opera').find();
    const request = { key: randomUUID(), fingerprint: 'print', expiresAt: Date.now() + 60_000 };
    const answer = { status: 201, headers: {}, body: {}, subjects: [deriveSessionOwner(String(session?.id))] };
    await fixture.store.idempotency.remember(request, answer);

    const store = failingOnce(fixture.store, failing);
    const orders = { list: async () => ({ items: [] }) } as unknown as Orders;
    const data = { contactNumber: user.contactNumber };
    const message = { id: '', type: 'contact.erased', key: '', version: 1, institution: 'opera', occurredAt: '', data };
    const run = (): Promise<unknown> =>
      action === 'erasure'
        ? eraseContact(store, orders, message)
        : setPassword(store, 'opera', fixture.pointOfSale.serviceHost, user.login, randomUUID());
    await expect(run()).rejects.toThrow(`no deletion of the ${failing}`);
    await run();
    expect(await fixture.store.collection(sessions).of('opera').count()).toBe(0);
    expect(await fixture.store.idempotency.find(request.key)).toBeUndefined();
    await fixture.close();
  });
});

test('an event without a contact number is unreadable', async () => {
  const message = { id: '', type: 'contact.erased', key: '', version: 1, institution: 'opera', occurredAt: '' };
  const erased = eraseContact({} as Store, {} as Orders, { ...message, data: {} });
  await expect(erased).rejects.toThrow(Unreadable);
});
