import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { sessions, users } from '../../src/store.ts';
import { openStand } from '../stand/stand.ts';

test('its logins, their sessions and the remembered answers that speak of it go', async () => {
  const stand = await openStand();
  const [user, other] = [await stand.user(), await stand.user()];
  const [token, kept] = [await stand.logIn(user), await stand.logIn(other)];
  const { performanceId, seatCategoryId } = stand.catalog.show();
  const item = { performanceId, seatCategoryId, tariffId: stand.catalog.full.id };
  const added = await stand.call('POST', '/shopping-cart/items', { token, body: item });
  const path = `/shopping-cart/items/${Object.keys(added.data.items as object)[0]}`;
  const name = randomUUID();
  const body = { beneficiaryFirstName: name };
  await stand.call('PATCH', path, { token, body, headers: { 'idempotency-key': randomUUID() } });

  await stand.tell('contact.erased', { contactNumber: user.contactNumber });
  await stand.tell('contact.erased', { contactNumber: user.contactNumber });
  expect((await stand.call('GET', '/users/me', { token })).code).toBe('session_invalid');
  const again = await stand.call('POST', '/sessions', { body: { login: user.login, password: user.password } });
  expect(again.code).toBe('login_failed');
  expect((await stand.call('GET', '/users/me', { token: kept })).status).toBe(200);
  for (const collection of [sessions, users]) {
    const found = await stand.store
      .collection<never>(collection as never)
      .of('opera')
      .find();
    expect(JSON.stringify(found)).not.toContain(user.contactNumber);
  }
  await stand.close();
});

test('remembered answers about the cart of a guest, whose contact came only with the checkout, go too', async () => {
  const stand = await openStand();
  const { performanceId, seatCategoryId } = stand.catalog.show();
  const item = { performanceId, seatCategoryId, tariffId: stand.catalog.full.id };
  const { token, data: cart } = await stand.call('POST', '/shopping-cart/items', { body: item });
  const named = {
    token: String(token),
    body: { beneficiaryFirstName: randomUUID() },
    headers: { 'idempotency-key': randomUUID() },
  };
  const path = `/shopping-cart/items/${Object.keys(cart.items as object)[0]}`;
  await stand.call('PATCH', path, named);
  expect((await stand.call('PATCH', path, named)).headers.get('idempotency-replayed')).toBe('true');
  const contact = { firstName: 'Ana', lastName: 'Martin', email: `${randomUUID()}@example.org` };
  const body = { contact, paymentMethod: 'simulated', paymentToken: 'ok' };
  const { data: order } = await stand.call<{ contactNumber: string }>('POST', '/orders', { token: named.token, body });

  await stand.tell('contact.erased', { contactNumber: order.contactNumber });
  const again = await stand.call('PATCH', path, named);
  expect(again.headers.get('idempotency-replayed')).toBeNull();
  expect(again.text).not.toContain(named.body.beneficiaryFirstName);
  await stand.close();
});
