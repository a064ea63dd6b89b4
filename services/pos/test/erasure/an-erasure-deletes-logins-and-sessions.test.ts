import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { sessions, users } from '../../src/store.ts';
import { openFixture } from '../fixture/fixture.ts';

test('an erasure deletes the logins of the contact, their sessions and idempotency records', async () => {
  const fixture = await openFixture();
  const [user, other] = [await fixture.user(), await fixture.user()];
  const [token, otherToken] = [await fixture.logIn(user), await fixture.logIn(other)];
  const { performanceId, seatCategoryId } = fixture.catalog.show();
  const item = { performanceId, seatCategoryId, tariffId: fixture.catalog.full.id };
  const added = await fixture.call('POST', '/shopping-cart/items', { token, body: item });
  const path = `/shopping-cart/items/${Object.keys(added.data.items as object)[0]}`;
  const name = randomUUID();
  const body = { beneficiaryFirstName: name };
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
  const { performanceId, seatCategoryId } = fixture.catalog.show();
  const item = { performanceId, seatCategoryId, tariffId: fixture.catalog.full.id };
  const { token, data: cart } = await fixture.call('POST', '/shopping-cart/items', { body: item });
  const named = {
    token: String(token),
    body: { beneficiaryFirstName: randomUUID() },
    headers: { 'idempotency-key': randomUUID() },
  };
  const path = `/shopping-cart/items/${Object.keys(cart.items as object)[0]}`;
  await fixture.call('PATCH', path, named);
  expect((await fixture.call('PATCH', path, named)).headers.get('idempotency-replayed')).toBe('true');
  const contact = { firstName: 'Ana', lastName: 'Martin', email: `${randomUUID()}@example.org` };
  const body = { contact, paymentMethod: 'simulated', paymentToken: 'ok' };
  const { data: order } = await fixture.call<{ contactNumber: string }>('POST', '/orders', {
    token: named.token,
    body,
  });

  await fixture.deliver('contact.erased', { contactNumber: order.contactNumber });
  const again = await fixture.call('PATCH', path, named);
  expect(again.headers.get('idempotency-replayed')).toBeNull();
  expect(again.text).not.toContain(named.body.beneficiaryFirstName);
  await fixture.close();
});
