// rule 1: Adding a ticket to the shopping cart is one call | services/pos/src/cart/routes.ts

import { randomUUID } from 'node:crypto';
import { sendEightAtOnce, useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import type { Reason } from '../../src/clients/orders.ts';
import { openFixture } from '../fixture/fixture.ts';
import { createGuestCheckout, createShopper, type Shown } from '../fixture/shopper.ts';

interface Cart {
  readonly id: string | null;
  readonly items: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly total: number;
  readonly expiresAt: string | null;
}

const fixture = useFixture(() => openFixture());

const { itemOf, fill } = createShopper(fixture);

const add = (token?: string, body: object = itemOf(), headers = {}) =>
  fixture.call<Cart>('POST', '/shopping-cart/items', { token, body, headers });

const begin = async (body?: object) => {
  const { token, data } = await add(undefined, body);
  return { token: String(token), cart: data, first: String(Object.keys(data.items)[0]) };
};

test('the cart has one item per place; the answer is the whole cart with its Location', async () => {
  const { status, headers, data } = await add(undefined, itemOf({ quantity: 3 }));
  expect([status, headers.get('location')]).toEqual([201, '/tnwr/v1/shopping-cart']);
  expect(Object.keys(data.items)).toHaveLength(3);
  expect(data).toMatchObject({ total: 13_500, currency: 'CHF', expiresAt: expect.any(String) });
  for (const [id, line] of Object.entries(data.items))
    expect(line).toMatchObject({ id, tariff: 'Tarif full', amount: 4_500, beneficiaryFirstName: null });
});

test('of eight requests with one key one adds or changes places', async () => {
  const { token, first } = await begin();
  const body = itemOf({ quantity: 2 });
  const added = await sendEightAtOnce([token], (of, key) => add(of, body, { 'idempotency-key': key }));
  expect([added.status, Object.keys(added.data.items).length]).toEqual([201, 3]);
  const changed = await sendEightAtOnce([token], (of, key) =>
    fixture.call<Cart>('PATCH', `/shopping-cart/items/${first}`, {
      token: of,
      body: { beneficiaryFirstName: 'Clara' },
      headers: { 'idempotency-key': key },
    }),
  );
  expect([changed.status, changed.data.items[first]?.beneficiaryFirstName]).toEqual([200, 'Clara']);
});

test('a cart contains several performances and named seats', async () => {
  const { token } = await begin();
  const { data } = await add(token, itemOf({ placeIds: ['plc_a', 'plc_b'] }));
  const places = Object.values(data.items).map(({ place }) => (place as { id: string }).id);
  expect(places).toEqual(expect.arrayContaining(['plc_a', 'plc_b']));
  expect(new Set(Object.values(data.items).map(({ performanceId }) => performanceId)).size).toBe(2);
});

test.each<[Reason, number, string]>([
  ['places_unavailable', 400, 'cart_places_unavailable'],
  ['not_on_sale', 400, 'cart_not_on_sale'],
  ['too_many_places', 400, 'cart_too_many_places'],
  ['hold_limit', 400, 'cart_hold_limit'],
  ['tariff_not_sold_here', 400, 'invalid_reference'],
  ['invalid_reference', 400, 'invalid_reference'],
  ['invalid_items', 400, 'validation_error'],
  ['tariff_not_accessible', 403, 'tariff_not_accessible'],
  ['busy', 400, 'order_busy'],
])('the refusal %s of orders is %i %s, and no session is created', async (reason, status, code) => {
  fixture.orders.refuseNext(reason);
  const refused = await add();
  expect([refused.status, refused.code, refused.token]).toEqual([status, code, null]);
});

test('orders receives the address of the visitor, and the user who is logged in, for their limits', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.7' };
  await add(undefined, itemOf(), headers);
  expect(fixture.orders.calls.at(-1)?.body).toMatchObject({ address: '203.0.113.7' });
  expect(fixture.orders.calls.at(-1)?.body).not.toHaveProperty('login');
  const user = await fixture.user();
  const loginOf = async () => {
    await add(await fixture.logIn(user), itemOf(), headers);
    return (fixture.orders.calls.at(-1)?.body as { readonly login?: string } | undefined)?.login;
  };
  const first = await loginOf();
  expect([typeof first, await loginOf()]).toEqual(['string', first]);
});

test('tariff and beneficiary of an item change; names are trimmed, null or an empty one removes, a blank one is refused', async () => {
  const { token, first } = await begin();
  const change = (body: object) => fixture.call<Cart>('PATCH', `/shopping-cart/items/${first}`, { token, body });
  const named = await change({ beneficiaryFirstName: 'Ana', beneficiaryLastName: 'Martin' });
  expect(named.data.items[first]).toMatchObject({ beneficiaryFirstName: 'Ana', beneficiaryLastName: 'Martin' });
  const changed = await change({ tariffId: fixture.catalog.member.id, beneficiaryFirstName: null });
  expect(changed.data.items[first]).toMatchObject({
    tariff: 'Tarif member',
    beneficiaryFirstName: null,
    beneficiaryLastName: 'Martin',
  });
  const trimmed = await change({ beneficiaryFirstName: '  Zoë  ', beneficiaryLastName: '' });
  expect(trimmed.data.items[first]).toMatchObject({ beneficiaryFirstName: 'Zoë', beneficiaryLastName: null });
  for (const blank of [' ', ' \t ', '\u200b', '\u3164'])
    expect(await change({ beneficiaryFirstName: blank })).toMatchObject({ status: 400, code: 'validation_error' });
  expect((await change({ beneficiaryFirstName: 'A'.repeat(101) })).code).toBe('validation_error');
  expect((await change({ amount: 0 })).code).toBe('validation_error');
});

test('an item can be removed; an unknown one is 404, also without a cart', async () => {
  const { token, first } = await begin(itemOf({ quantity: 2 }));
  const left = await fixture.call<Cart>('DELETE', `/shopping-cart/items/${first}`, { token });
  expect([left.status, Object.keys(left.data.items).length, left.data.total]).toEqual([200, 1, 4_500]);
  expect((await fixture.call('DELETE', `/shopping-cart/items/${first}`, { token })).code).toBe('not_found');
  const without = await fixture.logIn(await fixture.user());
  expect((await fixture.call('DELETE', `/shopping-cart/items/${first}`, { token: without })).code).toBe('not_found');
});

test('the item of another visitor is 404', async () => {
  const { first } = await begin();
  const { token } = await begin();
  expect((await fixture.call('DELETE', `/shopping-cart/items/${first}`, { token })).status).toBe(404);
});

test('DELETE abandons the cart and returns an empty one', async () => {
  const { token, cart } = await begin();
  const emptied = await fixture.call<Cart>('DELETE', '/shopping-cart', { token });
  expect(emptied.data).toEqual({ id: null, items: {}, total: 0, currency: 'CHF', expiresAt: null });
  expect(fixture.orders.orders.get(String(cart.id))?.state).toBe('cancelled');
  expect((await add(token)).status).toBe(201);
});

describe('an expired cart', () => {
  test('is reported until the next cart write of the session', async () => {
    const { token, cart, first } = await begin();
    fixture.orders.expire(String(cart.id));
    for (const [method, path] of [
      ['GET', '/shopping-cart'],
      ['DELETE', `/shopping-cart/items/${first}`],
      ['GET', '/shopping-cart'],
    ] as const)
      expect((await fixture.call(method, path, { token })).code).toBe('cart_expired');
    expect((await fixture.call('POST', '/orders', { token, body: createGuestCheckout() })).code).toBe('cart_expired');
    const next = await add(token);
    expect([next.status, Object.keys(next.data.items).length]).toEqual([201, 1]);
    expect(next.data.id).not.toBe(cart.id);
    expect((await fixture.call<Cart>('GET', '/shopping-cart', { token })).data.id).toBe(next.data.id);
  });

  test('is no longer reported after DELETE', async () => {
    const { token, cart } = await begin();
    fixture.orders.expire(String(cart.id));
    expect((await fixture.call('DELETE', '/shopping-cart', { token })).status).toBe(200);
    expect((await fixture.call<Cart>('GET', '/shopping-cart', { token })).data.items).toEqual({});
  });
});

test('a repeat after a lost answer of orders adds nothing', async () => {
  const { token } = await begin();
  const [key, body] = [randomUUID(), itemOf()];
  fixture.orders.mishaps.set('addCartItems', 'lost');
  expect((await add(token, body, { 'idempotency-key': key })).status).toBe(500);
  fixture.orders.mishaps.clear();
  const again = await add(token, body, { 'idempotency-key': key });
  expect(Object.keys(again.data.items)).toHaveLength(2);
});

test.each<[object | typeof itemOf, string, object?]>([
  [{}, 'bad_request'],
  [{ performanceId: 1 }, 'bad_request'],
  [itemOf, 'validation_error', { quantity: 0 }],
  [itemOf, 'validation_error', { quantity: 51 }],
  [itemOf, 'bad_request', { quantity: 1.5 }],
  [itemOf, 'validation_error', { placeIds: [] }],
  [itemOf, 'validation_error', { price: 1 }],
])('an invalid body is 400: %#', async (body, code, more = {}) => {
  const whole = typeof body === 'function' ? (body as typeof itemOf)(more) : body;
  const { status, code: given } = await add(undefined, whole);
  expect([status, given]).toEqual([400, code]);
});

describe('several items at once', () => {
  const add = (body: unknown, token?: string, more: object = {}) =>
    fixture.call<Shown>('POST', '/shopping-cart/items', { version: 'vexp', token, body, ...more });

  test('are added by one request to orders, of several performances and tariffs', async () => {
    const [first, second] = [itemOf({ quantity: 2 }), itemOf({ tariffId: fixture.catalog.member.id })];
    const before = fixture.orders.calls.length;
    const { status, data, token } = await add({ items: [first, second] });
    expect([status, Object.keys(data.items).length, typeof token]).toEqual([201, 3, 'string']);
    const [call, ...others] = fixture.orders.calls.slice(before);
    expect([call?.operation, others]).toEqual(['addCartItems', []]);
    expect(call?.body).toMatchObject({ items: [first, second] });
  });

  test('of which one is refused add nothing; the error names it', async () => {
    const { token } = await fill();
    fixture.orders.refuseNext('places_unavailable', 1);
    const refused = await add({ items: [itemOf(), itemOf()] }, token);
    expect([refused.status, refused.code]).toEqual([400, 'cart_places_unavailable']);
    expect(refused.body.errorMessage).toMatch(/^\$\.items\[1\]: Not enough/);
    expect(String(refused.body.errorMessage)).not.toContain('planted');
    const { data } = await fixture.call<Shown>('GET', '/shopping-cart', { token });
    expect(Object.keys(data.items)).toHaveLength(1);
    fixture.orders.refuseNext('places_unavailable');
    expect((await add({ items: [itemOf()] }, token)).body.errorMessage).toMatch(/^Not enough/);
  });

  test('of which one is over, or malformed, are refused before anything is held, and the error names it', async () => {
    const over = fixture.catalog.show({ startDate: '2020-01-01T00:00:00.000Z' });
    const { performanceId, seatCategoryId } = over;
    const before = fixture.orders.calls.length;
    const ended = await add({ items: [itemOf(), itemOf({ performanceId, seatCategoryId })] });
    expect([ended.code, ended.body.errorMessage]).toEqual(['cart_not_on_sale', '$.items[1]: The performance is over.']);
    const malformed = await add({ items: [itemOf(), itemOf({ quantity: 0 })] });
    expect([malformed.status, malformed.code]).toEqual([400, 'validation_error']);
    expect(malformed.body.errorMessage).toContain('$.items[1].quantity');
    for (const body of [{ items: [] }, { items: Array.from({ length: 51 }, () => itemOf()) }])
      expect((await add(body)).status).toBe(400);
    expect(fixture.orders.calls.length).toBe(before);
  });

  test('with a contact need the login of it for each', async () => {
    const user = await fixture.user(['member']);
    const token = await fixture.logIn(user);
    const [own, foreign] = [itemOf({ contactNumber: user.contactNumber }), itemOf({ contactNumber: 'COTHER' })];
    expect((await add({ items: [own, foreign] }, token)).code).toBe('contact_not_accessible');
    expect((await add({ items: [own, itemOf()] }, token)).status).toBe(201);
  });

  test('are added once by requests with one key', async () => {
    const { token } = await fill();
    const headers = { 'idempotency-key': randomUUID() };
    const body = { items: [itemOf(), itemOf()] };
    const first = await add(body, token, { headers });
    const again = await add(body, token, { headers });
    expect([again.text, Object.keys(first.data.items).length]).toEqual([first.text, 3]);
  });

  test('are no body of v1, and one item alone is one of both versions', async () => {
    const body = { items: [itemOf()] };
    expect((await fixture.call('POST', '/shopping-cart/items', { body })).status).toBe(400);
    expect((await add(itemOf())).status).toBe(201);
    expect((await add({})).status).toBe(400);
    expect((await add({ ...itemOf(), items: [itemOf()] })).status).toBe(400);
  });
});
