import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { type Fixture, openFixture } from '../fixture/fixture.ts';
import { asGuest, PAID, shopperOf } from '../fixture/shopper.ts';

const fixtures = [useFixture(() => openFixture()), useFixture(() => openFixture())] as const;

const body = asGuest(PAID);

/** Resolves once the fake of orders has received the operation. */
const received = async ({ orders }: Fixture, operation: string): Promise<void> => {
  while (!orders.calls.some((call) => call.operation === operation))
    await new Promise((resolve) => setImmediate(resolve));
};

test.concurrent('once one attempt has reported the purchase, a fault of the other does not cancel it', async () => {
  const [fixture] = fixtures;
  const { fill, buy, order } = shopperOf(fixture);
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
  const { fill, buy, order } = shopperOf(fixture);
  const { token, cartId } = await fill();
  fixture.orders.mishaps.set('checkoutCart', 'lost').set('cancelAfterFault', 'hangs first');
  const ends: string[] = [];
  const faulty = buy(token, body).finally(() => ends.push('the failed attempt'));
  await received(fixture, 'cancelAfterFault');
  fixture.orders.mishaps.delete('checkoutCart');
  const other = buy(token, body).finally(() => ends.push('the other attempt'));
  // The cancellation hangs for seconds; until its outcome is known neither attempt is answered.
  for (let look = 0; look < 20; look += 1) await order(token, cartId);
  expect(ends).toEqual([]);
  const [first, second] = await Promise.all([faulty, other]);
  expect([first.status, first.body.orderCancelled]).toEqual([500, false]);
  expect(second.data).toMatchObject({ id: cartId, state: 'confirmed' });
  expect((await order(token, cartId)).data.state).toBe('confirmed');
});
