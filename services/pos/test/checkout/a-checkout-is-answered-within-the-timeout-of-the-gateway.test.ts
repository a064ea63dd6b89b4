import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { TOTAL_MS } from '../../src/orders/checkout.ts';
import { openFixture } from '../fixture/fixture.ts';
import { asGuest, shopperOf } from './shopper.ts';

const fixture = useFixture(() => openFixture());

/** The gateway's timeout for an answer, in milliseconds. */
const GATEWAY_TIMEOUT_MS = 15_000;

test('if orders never answers, a 500 comes in time, and a later repeat returns the order', async () => {
  const shopper = shopperOf(fixture);
  const { token, cartId } = await shopper.fill();
  const body = asGuest({ paymentMethod: 'simulated', paymentToken: 'ok' });
  fixture.orders.mishaps.set('checkoutCart', 'hangs first').set('cancelAfterFault', 'hangs first');
  const answer = await shopper.buy(token, body);
  expect(TOTAL_MS).toBeLessThan(GATEWAY_TIMEOUT_MS);
  expect([answer.status, answer.body.orderCancelled, answer.body.userLoggedOut]).toEqual([500, false, false]);
  fixture.orders.mishaps.clear();
  expect((await shopper.buy(token, body)).data).toMatchObject({ id: cartId, state: 'confirmed' });
});
