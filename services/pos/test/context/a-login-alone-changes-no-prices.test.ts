// rule 1: They have the prices that are accessible to the user | services/pos/src/domain/offer.ts
// rule 2: Objects are as flat as possible | services/pos/src/description/schemas.ts
// rule 2: The contact number is passed as a parameter for contact-specific values | services/pos/src/request/visit.ts
// rule 4: Rule 11: no implicit use of the user's contact | services/pos/src/domain/offer.ts
// rule 4: Rule 11: contact-specific values need the contact number, checked against the user | services/pos/src/request/visit.ts
// rule 5: 3: 401 without authentication, 403 when the contact lacks privileges | services/pos/src/request/visit.ts
// rule 7: 2: 403 where the contact may not act | services/pos/src/request/visit.ts

import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Show } from '../fixture/catalog.ts';
import { type Login, openFixture } from '../fixture/fixture.ts';

const fixture = useFixture(() => openFixture());
let show: Show;
let member: Login;
let token: string;
beforeAll(async () => {
  show = fixture.catalog.show();
  member = await fixture.user(['member']);
  token = await fixture.logIn(member);
});

const paths = () => [
  '/products',
  `/products/${show.product.id}`,
  `/products/${show.product.id}/availabilities`,
  `/products/${show.product.id}/performances/${show.performanceId}/places`,
];

test('a logged-in member without contactNumber gets the same answers as a visitor', async () => {
  for (const path of paths()) {
    const stranger = await fixture.call('GET', path);
    const loggedIn = await fixture.call('GET', path, { token });
    expect(loggedIn.text).toBe(stranger.text);
    expect(stranger.status).toBe(200);
  }
});

test('with contactNumber the tariff of members and its price appear', async () => {
  const query = `?contactNumber=${member.contactNumber}&lang=en`;
  const list = await fixture.call<Record<string, { priceFrom: number }>>('GET', `/products${query}`, { token });
  expect(list.data[show.product.id]?.priceFrom).toBe(3_000);
  const { text } = await fixture.call('GET', `/products/${show.product.id}${query}`, { token });
  expect(text).toContain('Tariff member');
  expect((await fixture.call('GET', `/products/${show.product.id}?lang=en`)).text).not.toContain('Tariff member');
});

test('a contact that is no member gets no tariff of members', async () => {
  const user = await fixture.user(['student']);
  const own = await fixture.logIn(user);
  const query = `?contactNumber=${user.contactNumber}&lang=en`;
  const { status, text } = await fixture.call('GET', `/products/${show.product.id}${query}`, { token: own });
  expect([status, text.includes('Tariff member')]).toEqual([200, false]);
});

describe('contactNumber is checked against the login', () => {
  const item = () => ({
    performanceId: show.performanceId,
    seatCategoryId: show.seatCategoryId,
    tariffId: fixture.catalog.member.id,
  });

  test('without a login it is 401 in every operation', async () => {
    const { contactNumber } = member;
    for (const path of [`/products?contactNumber=${contactNumber}`, `/products/x?contactNumber=${contactNumber}`])
      expect((await fixture.call('GET', path)).code).toBe('login_required');
    const added = await fixture.call('POST', '/shopping-cart/items', { body: { ...item(), contactNumber } });
    expect([added.status, added.code]).toEqual([401, 'login_required']);
  });

  test('that of another contact is 403, known or not', async () => {
    const other = await fixture.user(['member']);
    for (const contactNumber of [other.contactNumber, 'CUNKNOWN']) {
      const list = await fixture.call('GET', `/products?contactNumber=${contactNumber}`, { token });
      expect([list.status, list.code]).toEqual([403, 'contact_not_accessible']);
      const added = await fixture.call('POST', '/shopping-cart/items', { token, body: { ...item(), contactNumber } });
      expect(added.code).toBe('contact_not_accessible');
      const bought = await fixture.call('POST', '/orders', {
        token,
        body: { contactNumber, paymentMethod: 'external' },
      });
      expect(bought.code).toBe('contact_not_accessible');
      expect((await fixture.call('GET', `/contacts/${contactNumber}`, { token })).code).toBe('contact_not_accessible');
    }
  });

  test('in the cart it is passed to orders, which checks the tariff', async () => {
    const { contactNumber } = member;
    const added = await fixture.call('POST', '/shopping-cart/items', { token, body: { ...item(), contactNumber } });
    expect(added.status).toBe(201);
    const call = fixture.orders.calls.findLast(({ operation }) => operation === 'addCartItems');
    expect(call?.body).toMatchObject({ items: [{ contactNumber }], pointOfSale: fixture.pointOfSale.serviceHost });
    fixture.orders.refuseNext('tariff_not_accessible');
    const refused = await fixture.call('POST', '/shopping-cart/items', { token, body: item() });
    expect([refused.status, refused.code]).toEqual([403, 'tariff_not_accessible']);
  });
});

test('the own contact is returned flat', async () => {
  const { status, data } = await fixture.call('GET', `/contacts/${member.contactNumber}`, { token });
  expect([status, data]).toMatchObject([200, { contactNumber: member.contactNumber, city: 'Genève' }]);
  for (const value of Object.values(data))
    expect(typeof value === 'object' && !Array.isArray(value) && value).toBeFalsy();
});

test('answers that depend on a session are no-store', async () => {
  const query = `?contactNumber=${member.contactNumber}`;
  for (const path of [`/products${query}`, '/users/me', '/shopping-cart', '/sessions/current', '/orders', '/tickets'])
    expect((await fixture.call('GET', path, { token })).headers.get('cache-control')).toBe('no-store');
});
