import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openStand, type Stand } from '../stand/stand.ts';
import { asGuest, shopperOf } from './shopper.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

test('tickets that never answer delay one checkout by a second, the next ones not at all; the barcodes follow', async () => {
  const shopper = shopperOf(stand);
  const carts = [await shopper.fill(), await shopper.fill(), await shopper.fill()];
  const buy = async (token = '') => {
    const { status, data } = await shopper.buy(token, asGuest({ paymentMethod: 'simulated', paymentToken: 'ok' }));
    expect([status, data.state]).toEqual([201, 'confirmed']);
  };
  stand.tickets.mishaps.set('*', 'hangs first');
  const [first, ...others] = carts;
  await buy(first?.token);
  const asked = stand.tickets.calls.length;
  expect(asked).toBeGreaterThan(0);
  for (const { token } of others) await buy(token);
  // Who does not ask does not wait.
  expect(stand.tickets.calls).toHaveLength(asked);
  stand.tickets.mishaps.clear();
  for (const { token, cartId } of carts)
    for (const { barcode } of Object.values((await shopper.order(token, cartId)).data.items))
      expect(barcode).toMatch(/^barcode\./);
});
