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
    const at = performance.now();
    const { status, data } = await shopper.buy(token, asGuest({ paymentMethod: 'simulated', paymentToken: 'ok' }));
    expect([status, data.state]).toEqual([201, 'confirmed']);
    return performance.now() - at;
  };
  stand.tickets.mishaps.set('*', 'hangs');
  const [first, ...others] = carts;
  const waited = await buy(first?.token);
  expect([waited > 900, waited < 2_900]).toEqual([true, true]);
  for (const { token } of others) expect(await buy(token)).toBeLessThan(900);
  stand.tickets.mishaps.clear();
  for (const { token, cartId } of carts)
    for (const { barcode } of Object.values((await shopper.order(token, cartId)).data.items))
      expect(barcode).toMatch(/^barcode\./);
});
