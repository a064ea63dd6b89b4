import { randomUUID } from 'node:crypto';
import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { openFixture } from '../fixture/fixture.ts';
import { createGuestCheckout, createShopper, createUserCheckout, PAID } from '../fixture/shopper.ts';

const fixture = useFixture(() => openFixture());
const shopper = createShopper(fixture);

/** The number of checkouts of the order that the orders service received. */
const checkouts = (cartId: string) => fixture.orders.orders.get(cartId)?.requests.size ?? 0;

/** A visitor whose external payment has failed. */
const failed = async (given?: string, buyer: object = createGuestCheckout()) => {
  const { token, cartId } = await shopper.fill(given);
  expect((await shopper.buy(token, buyer)).data.state).toBe('payment_pending');
  expect((await shopper.cart(token)).data.id).toBeNull();
  fixture.orders.fail(cartId);
  return { token, cartId };
};

describe('an order whose payment failed', () => {
  test('is the cart of its session again, with its expiry, and stays listed', async () => {
    const { token, cartId } = await failed();
    const { data } = await shopper.cart(token);
    expect(data).toMatchObject({ id: cartId, expiresAt: '2031-01-01T00:00:00.000Z' });
    expect(Object.keys(data.items)).toHaveLength(1);
    expect((await shopper.order(token, cartId)).data.state).toBe('open');
  });

  test('is bought again as the same order, with or without a key, also after a second failure', async () => {
    for (const keys of [
      [undefined, undefined],
      [randomUUID(), randomUUID()],
    ]) {
      const { token, cartId } = await failed();
      const before = checkouts(cartId);
      const second = await shopper.buy(token, createGuestCheckout(), keys[0]);
      expect([second.status, second.data.id, second.data.state]).toEqual([201, cartId, 'payment_pending']);
      fixture.orders.fail(cartId);
      const third = await shopper.buy(token, createGuestCheckout(PAID), keys[1]);
      expect([third.status, third.data.id, third.data.state]).toEqual([201, cartId, 'confirmed']);
      expect(checkouts(cartId)).toBe(before + 2);
      expect((await shopper.cart(token)).data.id).toBeNull();
      expect((await shopper.buy(token)).code).toBe('cart_empty');
    }
  });

  test('is paid once by concurrent requests, and not by a repeat of the key whose payment failed', async () => {
    const { token, cartId } = await shopper.fill();
    const [key, body] = [randomUUID(), createGuestCheckout()];
    const first = await shopper.buy(token, body, key);
    fixture.orders.fail(cartId);
    const before = checkouts(cartId);
    expect((await shopper.buy(token, body, key)).text).toBe(first.text);
    expect(checkouts(cartId)).toBe(before);
    const clicks = await Promise.all([shopper.buy(token), shopper.buy(token)]);
    expect(clicks.map(({ data }) => data?.state)).toEqual(['payment_pending', 'payment_pending']);
    expect(checkouts(cartId)).toBe(before + 1);
  });

  test('accepts more places and can be abandoned', async () => {
    const { token, cartId } = await failed();
    expect((await shopper.fill(token)).cartId).toBe(cartId);
    expect(Object.keys((await shopper.cart(token)).data.items)).toHaveLength(2);
    expect((await fixture.call('DELETE', '/shopping-cart', { token })).data.id).toBeNull();
    expect((await shopper.order(token, cartId)).data.state).toBe('cancelled');
    expect((await shopper.cart(token)).data.id).toBeNull();
  });

  test('becomes the cart of a logged-in user, too, and that of a guest passes to the login', async () => {
    const user = await fixture.user();
    const own = await failed(await fixture.logIn(user), createUserCheckout(user, { paymentMethod: 'external' }));
    expect((await shopper.cart(own.token)).data.id).toBe(own.cartId);
    const guest = await failed();
    const token = await fixture.logIn(user, { token: guest.token });
    expect((await shopper.cart(token)).data.id).toBe(guest.cartId);
  });

  test('never passes to another user who logs in to the same session, even if it is the cart already', async () => {
    for (const isSeen of [false, true]) {
      const user = await fixture.user();
      const mine = await failed(await fixture.logIn(user));
      if (isSeen) expect((await shopper.cart(mine.token)).data.id).toBe(mine.cartId);
      const stranger = await fixture.logIn(await fixture.user(), { token: mine.token });
      expect((await shopper.cart(stranger)).data.id).toBeNull();
      expect((await shopper.order(stranger, mine.cartId)).status).toBe(404);
      expect((await shopper.fill(stranger)).cartId).not.toBe(mine.cartId);
    }
    const filled = await shopper.fill(await fixture.logIn(await fixture.user()));
    const refused = createGuestCheckout({ ...PAID, paymentToken: 'declined' });
    expect((await shopper.buy(filled.token, refused)).code).toBe('payment_declined');
    const next = await fixture.logIn(await fixture.user(), { token: filled.token });
    expect((await shopper.cart(next)).data.id).toBe(filled.cartId);
  });
});

test.each([true, false])(
  'the cart that is emptied is the one that is shown, whether it was shown before: %s',
  async (isShown) => {
    const { token, cartId } = await failed();
    if (isShown) await shopper.cart(token);
    expect((await fixture.call('DELETE', '/shopping-cart', { token })).data).toMatchObject({ id: null, items: {} });
    expect((await shopper.cart(token)).data.id).toBeNull();
    expect(fixture.orders.orders.get(cartId)?.state).toBe('cancelled');
    expect((await shopper.fill(token)).cartId).not.toBe(cartId);
  },
);

describe('a session has one cart', () => {
  test('while the cart has items, the order stays open and can be cancelled', async () => {
    const { token, cartId } = await shopper.fill();
    await shopper.buy(token);
    const other = await shopper.fill(token);
    fixture.orders.fail(cartId);
    expect((await shopper.cart(token)).data.id).toBe(other.cartId);
    expect((await shopper.order(token, cartId)).data.state).toBe('open');
    await fixture.call('DELETE', '/shopping-cart', { token });
    expect((await shopper.cart(token)).data.id).toBe(cartId);
    expect((await fixture.call('POST', `/orders/${cartId}/cancellation`, { token })).data.state).toBe('cancelled');
  });

  test('for concurrent requests', async () => {
    const { token, cartId } = await failed();
    const looked = await Promise.all([
      shopper.cart(token),
      shopper.fill(token),
      shopper.cart(token),
      shopper.fill(token),
    ]);
    const ids = looked.map((one) => ('cartId' in one ? one.cartId : one.data.id));
    expect(new Set(ids)).toEqual(new Set([cartId]));
  });

  test('of two orders whose payments failed the newer becomes the cart first, then the older', async () => {
    const older = await shopper.fill();
    await shopper.buy(older.token);
    const newer = await shopper.fill(older.token);
    await shopper.buy(older.token);
    fixture.orders.fail(older.cartId);
    fixture.orders.fail(newer.cartId);
    expect((await shopper.cart(older.token)).data.id).toBe(newer.cartId);
    expect((await shopper.buy(older.token)).data.id).toBe(newer.cartId);
    expect((await shopper.cart(older.token)).data.id).toBe(older.cartId);
  });

  test('and the order is no cart after its hold has ended', async () => {
    const { token, cartId } = await failed();
    fixture.orders.expire(cartId);
    expect((await shopper.cart(token)).data.id).toBeNull();
    const seen = await failed();
    await shopper.cart(seen.token);
    fixture.orders.expire(seen.cartId);
    for (const refused of [await shopper.cart(seen.token), await shopper.buy(seen.token)])
      expect([refused.status, refused.code]).toEqual([400, 'cart_expired']);
    expect((await shopper.fill(seen.token)).cartId).not.toBe(seen.cartId);
  });
});
