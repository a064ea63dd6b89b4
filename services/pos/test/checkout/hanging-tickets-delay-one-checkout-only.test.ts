import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { openFixture } from '../fixture/fixture.ts';
import { asGuest, shopperOf } from './shopper.ts';

const fixture = useFixture(() => openFixture());

test('tickets that hang delay one checkout, the next ones skip the call, and the barcodes follow', async () => {
  const shopper = shopperOf(fixture);
  const carts = [await shopper.fill(), await shopper.fill(), await shopper.fill()];
  const buy = async (token = '') => {
    const { status, data } = await shopper.buy(token, asGuest({ paymentMethod: 'simulated', paymentToken: 'ok' }));
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
});
