import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { GATEWAY_CACHE_MS, SECOND } from '../../src/products/offers.ts';
import { type Fixture, openFixture } from '../fixture/fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

test('what it keeps is a second old at most, with the time here', () => {
  expect(SECOND.maxAgeMs + GATEWAY_CACHE_MS).toBeLessThanOrEqual(1_000);
});

test('answers to visitors without a session may be kept, answers within a session and errors never', async () => {
  const { product } = fixture.catalog.show();
  const token = await fixture.logIn(await fixture.user(['member']));
  const kept = async (path: string, call = {}) =>
    (await fixture.call('GET', path, call)).headers.get('x-internal-keep');
  for (const path of ['/products', `/products/${product.id}`, `/products/${product.id}/availabilities`]) {
    expect(await kept(path)).toBe(String(GATEWAY_CACHE_MS));
    expect(await kept(path, { token })).toBeNull();
  }
  expect(await kept('/products?contactNumber=C1')).toBeNull();
  expect(await kept('/products/none')).toBeNull();
  expect(await kept('/shopping-cart')).toBeNull();
});
