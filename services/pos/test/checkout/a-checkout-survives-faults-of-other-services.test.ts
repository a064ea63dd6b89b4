import { randomUUID } from 'node:crypto';
import { type Mishap, useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { TOTAL_MS } from '../../src/orders/checkout.ts';
import { openFixture } from '../fixture/fixture.ts';
import { asGuest, PAID, shopperOf } from '../fixture/shopper.ts';

const fixture = useFixture(() => openFixture());
const shopper = shopperOf(fixture);
const paid = () => asGuest(PAID);

describe('after a failed checkout', () => {
  /** A checkout without a key whose answer is 500, with its real outcome. */
  const broken = async (truth: 'bought' | 'cancelled' | 'untouched') => {
    const { token, cartId } = await shopper.fill();
    fixture.orders.mishaps.set('checkoutCart', truth === 'untouched' ? 'fails' : 'lost');
    if (truth !== 'cancelled') fixture.orders.mishaps.set('cancelAfterFault', 'fails');
    const { status, body } = await shopper.buy(token, paid());
    fixture.orders.mishaps.clear();
    expect([status, body.orderCancelled]).toEqual([500, truth === 'cancelled']);
    return { token, cartId };
  };

  test.each([
    ['without a key', undefined],
    ['with a new one', randomUUID()],
  ])('%s: a repeat returns the confirmed order, bought once', async (_how, key) => {
    const { token, cartId } = await broken('bought');
    const known = fixture.contacts.known.size;
    const again = await shopper.buy(token, paid(), key);
    expect([again.status, again.data.id, again.data.state]).toEqual([201, cartId, 'confirmed']);
    expect(fixture.contacts.known.size).toBe(known);
    const confirmed = [...fixture.orders.orders.values()].filter(({ id }) => id === cartId);
    expect(confirmed).toHaveLength(1);
    expect((await shopper.cart(token)).data.id).toBeNull();
  });

  test('a repeat buys a cart whose checkout never started', async () => {
    const { token, cartId } = await broken('untouched');
    const again = await shopper.buy(token, paid());
    expect([again.status, again.data.id, again.data.state]).toEqual([201, cartId, 'confirmed']);
  });

  test('a repeat of a cancelled checkout is 400 cart_empty and explains the cancellation', async () => {
    const { token } = await broken('cancelled');
    const again = await shopper.buy(token, paid());
    expect([again.status, again.code]).toEqual([400, 'cart_empty']);
    expect(again.body.errorMessage).toMatch(/after an error or with one of its performances: nothing was bought/);
    expect((await shopper.cart(token)).data.id).toBeNull();
    const { cartId } = await shopper.fill(token);
    expect((await shopper.buy(token, paid())).data.id).toBe(cartId);
  });

  test('negative control: a purchase of another visitor is never returned', async () => {
    await broken('bought');
    const { token } = await shopper.fill();
    await fixture.call('DELETE', '/shopping-cart', { token });
    expect((await shopper.buy(token, paid())).code).toBe('cart_empty');
  });
});

const steps: [string, Readonly<Record<string, Mishap>>][] = [
  ['at the read of the cart', { getShopOrder: 'dies first' }],
  ['before the checkout', { checkoutCart: 'dies first' }],
  ['after the checkout, before its answer', { checkoutCart: 'dies after' }],
  ['before the cancellation that follows a fault', { checkoutCart: 'lost', cancelAfterFault: 'dies first' }],
  ['after that cancellation, before its answer', { checkoutCart: 'lost', cancelAfterFault: 'dies after' }],
];

test.each(steps)(
  'after orders crashed %s the answer is true, and a repeat buys at most once',
  async (_step, mishaps) => {
    const { token, cartId } = await shopper.fill();
    const [order, key] = [paid(), randomUUID()];
    const buy = () => shopper.buy(token, order, key);
    const stateNow = () => fixture.orders.orders.get(cartId)?.state;

    for (const [operation, mishap] of Object.entries(mishaps)) fixture.orders.mishaps.set(operation, mishap);
    const { status, body } = await buy();
    expect([status, body.userLoggedOut]).toEqual([500, false]);
    // The order may be cancelled although the answer does not say so; never the other way round.
    if (body.orderCancelled === true) expect(stateNow()).toBe('cancelled');
    else expect(body.orderCancelled).toBe(false);

    fixture.orders.mishaps.clear();
    fixture.orders.revive();
    const again = await buy();
    if (stateNow() === 'cancelled') expect(again.code).toBe('cart_empty');
    else expect([again.status, again.data.id, stateNow()]).toEqual([201, cartId, 'confirmed']);
    const { data } = await fixture.call<Record<string, { state: string }>>('GET', '/orders', { token });
    const confirmed = Object.values(data).filter(({ state }) => state === 'confirmed');
    expect(confirmed).toHaveLength(again.status === 201 ? 1 : 0);
  },
);

/** The gateway's timeout for an answer, in milliseconds. */
const GATEWAY_TIMEOUT_MS = 15_000;

// These two wait for deadlines, beside the other tests.
test.concurrent('if orders never answers, a 500 comes in time, and a later repeat returns the order', async () => {
  const fixture = await openFixture();
  const shopper = shopperOf(fixture);
  const { token, cartId } = await shopper.fill();
  const body = paid();
  fixture.orders.mishaps.set('checkoutCart', 'hangs first').set('cancelAfterFault', 'hangs first');
  const answer = await shopper.buy(token, body);
  expect(TOTAL_MS).toBeLessThan(GATEWAY_TIMEOUT_MS);
  expect([answer.status, answer.body.orderCancelled, answer.body.userLoggedOut]).toEqual([500, false, false]);
  fixture.orders.mishaps.clear();
  expect((await shopper.buy(token, body)).data).toMatchObject({ id: cartId, state: 'confirmed' });
  await fixture.close();
});

test.concurrent('tickets that hang delay one checkout, the next skip the call, and the barcodes follow', async () => {
  const fixture = await openFixture();
  const shopper = shopperOf(fixture);
  const carts = [await shopper.fill(), await shopper.fill(), await shopper.fill()];
  const buy = async (token = '') => {
    const { status, data } = await shopper.buy(token, paid());
    expect([status, data.state]).toEqual([201, 'confirmed']);
  };
  fixture.tickets.mishaps.set('*', 'hangs first');
  const [first, ...others] = carts;
  await buy(first?.token);
  const calls = fixture.tickets.calls.length;
  expect(calls).toBeGreaterThan(0);
  for (const { token } of others) await buy(token);
  // The next checkouts skip the call of tickets.
  expect(fixture.tickets.calls).toHaveLength(calls);
  fixture.tickets.mishaps.clear();
  for (const { token, cartId } of carts)
    for (const { barcode } of Object.values((await shopper.order(token, cartId)).data.items))
      expect(barcode).toMatch(/^barcode\./);
  await fixture.close();
});
