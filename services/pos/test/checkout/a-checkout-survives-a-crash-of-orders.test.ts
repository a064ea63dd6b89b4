import { randomUUID } from 'node:crypto';
import type { Mishap } from '@boxoffice/service/testkit';
import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { openFixture } from '../fixture/fixture.ts';

const fixture = useFixture(() => openFixture());

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
    const { performanceId, seatCategoryId } = fixture.catalog.show();
    const item = { performanceId, seatCategoryId, tariffId: fixture.catalog.full.id };
    const added = await fixture.call('POST', '/shopping-cart/items', { body: item });
    const [token, cartId] = [String(added.token), String(added.data.id)];
    const contact = { firstName: 'Ana', lastName: 'Martin', email: 'ana@example.org' };
    const headers = { 'idempotency-key': randomUUID() };
    const buy = () =>
      fixture.call('POST', '/orders', {
        token,
        headers,
        body: { contact, paymentMethod: 'simulated', paymentToken: 'ok' },
      });
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
