// rule 3: An order can be cancelled as a side effect of a 500 | services/pos/src/orders/checkout.ts

import { randomUUID } from 'node:crypto';
import { type Mishap, useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { TOTAL_MS } from '../../src/orders/checkout.ts';
import { type Fixture, openFixture, runWithFixture } from '../fixture/fixture.ts';
import { createGuestCheckout, createShopper, PAID } from '../fixture/shopper.ts';

const paid = () => createGuestCheckout(PAID);

// Every test waits for deadlines, beside the others.
/** The gateway's timeout for an answer, in milliseconds. */
const GATEWAY_TIMEOUT_MS = 15_000;

test.concurrent('if orders never answers, a 500 comes in time, and a later repeat returns the order', () =>
  runWithFixture(async (fixture) => {
    const { fill, buy } = createShopper(fixture);
    const { token, cartId } = await fill();
    const body = paid();
    fixture.orders.mishaps.set('checkoutCart', 'hangs first').set('cancelAfterFault', 'hangs first');
    const answer = await buy(token, body);
    expect(TOTAL_MS).toBeLessThan(GATEWAY_TIMEOUT_MS);
    expect([answer.status, answer.body.orderCancelled, answer.body.userLoggedOut]).toEqual([500, false, false]);
    fixture.orders.mishaps.clear();
    expect((await buy(token, body)).data).toMatchObject({ id: cartId, state: 'confirmed' });
  }));

test.concurrent('tickets that hang delay one checkout, the next skip the call, and the barcodes follow', () =>
  runWithFixture(async (fixture) => {
    const shopper = createShopper(fixture);
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
  }));

test.concurrent('after a catalog that hung, a rule goes by what it answers now, not by what was known', () =>
  runWithFixture(async (fixture) => {
    const shopper = createShopper(fixture);
    const before = await shopper.fill();
    const show = fixture.catalog.show();
    const { performanceId, seatCategoryId } = show;
    const { token } = await shopper.fill(undefined, { performanceId, seatCategoryId });
    fixture.catalog.mishaps.set('listShopProducts', 'hangs first');
    expect((await shopper.buy(before.token, paid())).status).toBe(201);
    fixture.catalog.mishaps.clear();
    Object.assign(show.product.performances[0] ?? {}, { startDate: '2024-05-01T18:30:00.000Z', durationMinutes: null });
    fixture.catalog.touch(show);
    expect((await shopper.buy(token, paid())).code).toBe('cart_not_on_sale');
  }));

/** Plays with a visitor whose checkout without a key was answered with 500, with its real outcome. */
const broken = (
  truth: 'bought' | 'cancelled' | 'untouched',
  play: (given: ReturnType<typeof createShopper> & { token: string; cartId: string }) => Promise<void>,
) =>
  runWithFixture(async (fixture) => {
    const shopper = createShopper(fixture);
    const { token, cartId } = await shopper.fill();
    fixture.orders.mishaps.set('checkoutCart', truth === 'untouched' ? 'fails' : 'lost');
    if (truth !== 'cancelled') fixture.orders.mishaps.set('cancelAfterFault', 'fails');
    const { status, body } = await shopper.buy(token, paid());
    fixture.orders.mishaps.clear();
    const state = { bought: 'confirmed', cancelled: 'cancelled', untouched: 'open' }[truth];
    expect([status, body.orderCancelled]).toEqual([500, truth === 'cancelled']);
    expect(fixture.orders.orders.get(cartId)?.state).toBe(state);
    await play({ ...shopper, token, cartId });
  });

test.concurrent.each([
  ['without a key', undefined],
  ['with a new one', randomUUID()],
])('after a failed checkout, %s, a repeat returns the confirmed order, bought once', (_how, key) =>
  broken('bought', async ({ token, cartId, buy, cart }) => {
    const again = await buy(token, paid(), key);
    expect([again.status, again.data.id, again.data.state]).toEqual([201, cartId, 'confirmed']);
    expect((await cart(token)).data.id).toBeNull();
  }),
);

test.concurrent('a repeat of a failed checkout buys a cart whose checkout never started', () =>
  broken('untouched', async ({ token, cartId, buy }) => {
    const again = await buy(token, paid());
    expect([again.status, again.data.id, again.data.state]).toEqual([201, cartId, 'confirmed']);
  }));

test.concurrent('a repeat of a cancelled checkout is 400 cart_empty and explains the cancellation', () =>
  broken('cancelled', async ({ token, buy, cart, fill }) => {
    const again = await buy(token, paid());
    expect([again.status, again.code]).toEqual([400, 'cart_empty']);
    expect(again.body.errorMessage).toMatch(/after an error or with one of its performances: nothing was bought/);
    expect((await cart(token)).data.id).toBeNull();
    const { cartId } = await fill(token);
    expect((await buy(token, paid())).data.id).toBe(cartId);
  }));

test.concurrent('negative control: a purchase of another visitor is never returned', () =>
  broken('bought', async ({ fill, abandon, buy }) => {
    const { token } = await fill();
    await abandon(token);
    expect((await buy(token, paid())).code).toBe('cart_empty');
  }));

const steps: [string, Readonly<Record<string, Mishap>>][] = [
  ['at the read of the cart', { getShopOrder: 'dies first' }],
  ['before the checkout', { checkoutCart: 'dies first' }],
  ['after the checkout, before its answer', { checkoutCart: 'dies after' }],
  ['before the cancellation that follows a fault', { checkoutCart: 'lost', cancelAfterFault: 'dies first' }],
  ['after that cancellation, before its answer', { checkoutCart: 'lost', cancelAfterFault: 'dies after' }],
];

test.concurrent.each(steps)(
  'after orders crashed %s the answer is true, and a repeat buys at most once',
  (_step, mishaps) =>
    runWithFixture(async (fixture) => {
      const shopper = createShopper(fixture);
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
    }),
);

const fixtures = [useFixture(() => openFixture()), useFixture(() => openFixture())] as const;

const body = createGuestCheckout(PAID);

/** Resolves once the fake of orders has received the operation. */
const received = async ({ orders }: Fixture, operation: string): Promise<void> => {
  while (!orders.calls.some((call) => call.operation === operation))
    await new Promise((resolve) => setImmediate(resolve));
};

test.concurrent('once one attempt has reported the purchase, a fault of the other does not cancel it', async () => {
  const [fixture] = fixtures;
  const { fill, buy, order } = createShopper(fixture);
  const { token, cartId } = await fill();
  fixture.orders.mishaps.set('checkoutCart', 'hangs first');
  const faulty = buy(token, body);
  await received(fixture, 'checkoutCart');
  fixture.orders.mishaps.clear();
  expect((await buy(token, body)).data).toMatchObject({ id: cartId, state: 'confirmed' });
  const { status, body: answer } = await faulty;
  // The repeat may find the purchase, but must not cancel it.
  expect([201, 500]).toContain(status);
  if (status === 500) expect(answer.orderCancelled).toBe(false);
  expect(fixture.orders.calls.map(({ operation }) => operation)).not.toContain('cancelAfterFault');
  expect((await order(token, cartId)).data.state).toBe('confirmed');
});

test.concurrent('while one attempt may be cancelling the purchase, it is not reported', async () => {
  const [, fixture] = fixtures;
  const { fill, buy, order } = createShopper(fixture);
  const { token, cartId } = await fill();
  fixture.orders.mishaps.set('checkoutCart', 'lost').set('cancelAfterFault', 'hangs first');
  const ends: string[] = [];
  // The cancellation, which hangs, is given up after five seconds, or later than this.
  const hangsUntil = Date.now() + 4_900;
  const faulty = buy(token, body).finally(() => ends.push('the failed attempt'));
  await received(fixture, 'cancelAfterFault');
  fixture.orders.mishaps.delete('checkoutCart');
  const other = buy(token, body).finally(() => ends.push('the other attempt'));
  // Until its outcome is known neither attempt is answered.
  for (let look = 0; look < 20; look += 1) {
    await order(token, cartId);
    if (Date.now() < hangsUntil) expect(ends).toEqual([]);
  }
  const [first, second] = await Promise.all([faulty, other]);
  expect([first.status, first.body.orderCancelled]).toEqual([500, false]);
  expect(second.data).toMatchObject({ id: cartId, state: 'confirmed' });
  expect((await order(token, cartId)).data.state).toBe('confirmed');
});
