import { randomUUID } from 'node:crypto';
import { Unreadable } from '@boxoffice/messaging';
import type { Document, Documents, Store } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import type { Orders } from '../../src/clients/orders.ts';
import { onContactErased } from '../../src/reactions.ts';
import { setPassword } from '../../src/sessions/users.ts';
import { ofSession, sessions, users } from '../../src/store.ts';
import { openFixture } from '../fixture/fixture.ts';
import { asGuest, PAID, shopperOf } from '../fixture/shopper.ts';

test('an erasure deletes the logins of the contact, their sessions and idempotency records', async () => {
  const fixture = await openFixture();
  const [user, other] = [await fixture.user(), await fixture.user()];
  const [token, otherToken] = [await fixture.logIn(user), await fixture.logIn(other)];
  const { path } = await shopperOf(fixture).fill(token);
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
  const { fill, buy } = shopperOf(fixture);
  const { token, path } = await fill();
  const named = {
    token,
    body: { beneficiaryFirstName: randomUUID() },
    headers: { 'idempotency-key': randomUUID() },
  };
  await fixture.call('PATCH', path, named);
  expect((await fixture.call('PATCH', path, named)).headers.get('idempotency-replayed')).toBe('true');
  const { data: order } = await buy(token, asGuest(PAID));

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
    const answer = { status: 201, headers: {}, body: {}, subjects: [ofSession(String(session?.id))] };
    await fixture.store.idempotency.remember(request, answer);

    const store = failingOnce(fixture.store, failing);
    const orders = { list: async () => ({ items: [] }) } as unknown as Orders;
    const data = { contactNumber: user.contactNumber };
    const message = { id: '', type: 'contact.erased', key: '', version: 1, institution: 'opera', occurredAt: '', data };
    const run = (): Promise<unknown> =>
      action === 'erasure'
        ? onContactErased(store, orders, message)
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
  const erased = onContactErased({} as Store, {} as Orders, { ...message, data: {} });
  await expect(erased).rejects.toThrow(Unreadable);
});
