import { randomUUID } from 'node:crypto';
import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, expect, test } from '@jest/globals';
import { openFixture } from '../fixture/fixture.ts';
import { asGuest, shopperOf } from './shopper.ts';

const fixture = useFixture(() => openFixture());
let shopper: ReturnType<typeof shopperOf>;
beforeAll(async () => {
  shopper = shopperOf(fixture);
});

const ok = () => asGuest({ paymentMethod: 'simulated', paymentToken: 'ok' });

/** A checkout without a key whose answer is 500, with its real outcome. */
const broken = async (truth: 'bought' | 'cancelled' | 'untouched') => {
  const { token, cartId } = await shopper.fill();
  fixture.orders.mishaps.set('checkoutCart', truth === 'untouched' ? 'fails' : 'lost');
  if (truth !== 'cancelled') fixture.orders.mishaps.set('cancelAfterFault', 'fails');
  const { status, body } = await shopper.buy(token, ok());
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
  const again = await shopper.buy(token, ok(), key);
  expect([again.status, again.data.id, again.data.state]).toEqual([201, cartId, 'confirmed']);
  expect(fixture.contacts.known.size).toBe(known);
  const confirmed = [...fixture.orders.orders.values()].filter(({ id }) => id === cartId);
  expect(confirmed).toHaveLength(1);
  expect((await shopper.cart(token)).data.id).toBeNull();
});

test('a repeat buys a cart whose checkout never started', async () => {
  const { token, cartId } = await broken('untouched');
  const again = await shopper.buy(token, ok());
  expect([again.status, again.data.id, again.data.state]).toEqual([201, cartId, 'confirmed']);
});

test('a repeat of a cancelled checkout is 400 cart_empty and explains the cancellation', async () => {
  const { token } = await broken('cancelled');
  const again = await shopper.buy(token, ok());
  expect([again.status, again.code]).toEqual([400, 'cart_empty']);
  expect(again.body.errorMessage).toMatch(/after an error or with one of its performances: nothing was bought/);
  expect((await shopper.cart(token)).data.id).toBeNull();
  const { cartId } = await shopper.fill(token);
  expect((await shopper.buy(token, ok())).data.id).toBe(cartId);
});

test('negative control: a purchase of another visitor is never returned', async () => {
  await broken('bought');
  const { token } = await shopper.fill();
  await fixture.call('DELETE', '/shopping-cart', { token });
  expect((await shopper.buy(token, ok())).code).toBe('cart_empty');
});
