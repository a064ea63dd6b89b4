import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { KEPT_MS, SECOND } from '../../src/products/offers.ts';
import { openStand, type Stand } from '../stand/stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

test('what it keeps is a second old at most, with the time here', () => {
  expect(SECOND.maxAgeMs + KEPT_MS).toBeLessThanOrEqual(1_000);
});

test('answers to visitors without a session may be kept, answers within a session and errors never', async () => {
  const { product } = stand.catalog.show();
  const token = await stand.logIn(await stand.user(['member']));
  const kept = async (path: string, call = {}) => (await stand.call('GET', path, call)).headers.get('x-internal-keep');
  for (const path of ['/products', `/products/${product.id}`, `/products/${product.id}/availabilities`]) {
    expect(await kept(path)).toBe(String(KEPT_MS));
    expect(await kept(path, { token })).toBeNull();
  }
  expect(await kept('/products?contactNumber=C1')).toBeNull();
  expect(await kept('/products/none')).toBeNull();
  expect(await kept('/shopping-cart')).toBeNull();
});
