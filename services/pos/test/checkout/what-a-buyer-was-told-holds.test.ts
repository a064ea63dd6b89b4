import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openStand, type Stand } from '../stand/stand.ts';
import { asGuest, shopperOf } from './shopper.ts';

let stands: Stand[];
beforeAll(async () => {
  stands = await Promise.all([openStand(), openStand()]);
});
afterAll(() => Promise.all(stands.map((stand) => stand.close())));

const body = asGuest({ paymentMethod: 'simulated', paymentToken: 'ok' });

/** Resolves when orders have been asked for the operation. */
const asked = async ({ orders }: Stand, operation: string): Promise<void> => {
  while (!orders.calls.some((call) => call.operation === operation))
    await new Promise((resolve) => setImmediate(resolve));
};

test.concurrent('a double click: once one try has told of the purchase, no fault of the other cancels it', async () => {
  const stand = stands[0] as Stand;
  const { fill, buy, order } = shopperOf(stand);
  const { token, cartId } = await fill();
  stand.orders.mishaps.set('checkoutCart', 'hangs first');
  const faulty = buy(token, body);
  await asked(stand, 'checkoutCart');
  stand.orders.mishaps.clear();
  expect((await buy(token, body)).data).toMatchObject({ id: cartId, state: 'confirmed' });
  const { status, body: told } = await faulty;
  // Its own repeat may have found the purchase; what it must not do is cancel it.
  expect([201, 500]).toContain(status);
  if (status === 500) expect(told.orderCancelled).toBe(false);
  expect(stand.orders.calls.map(({ operation }) => operation)).not.toContain('cancelAfterFault');
  expect((await order(token, cartId)).data.state).toBe('confirmed');
}, 30_000);

test.concurrent('while one try may be cancelling the purchase, nobody is told of it', async () => {
  const stand = stands[1] as Stand;
  const { fill, buy, order } = shopperOf(stand);
  const { token, cartId } = await fill();
  stand.orders.mishaps.set('checkoutCart', 'lost').set('cancelAfterFault', 'hangs first');
  const ends: string[] = [];
  const faulty = buy(token, body).finally(() => ends.push('the faulty try'));
  await asked(stand, 'cancelAfterFault');
  stand.orders.mishaps.delete('checkoutCart');
  const other = buy(token, body).finally(() => ends.push('the other'));
  // The cancellation hangs for seconds; until its outcome is known neither try is answered.
  for (let look = 0; look < 20; look += 1) await order(token, cartId);
  expect(ends).toEqual([]);
  const [first, second] = await Promise.all([faulty, other]);
  expect([first.status, first.body.orderCancelled]).toEqual([500, false]);
  expect(second.data).toMatchObject({ id: cartId, state: 'confirmed' });
  expect((await order(token, cartId)).data.state).toBe('confirmed');
}, 30_000);
