import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { GATEWAY_CACHE_MS, SECOND } from '../../src/products/offers.ts';
import { openFixture } from '../fixture/fixture.ts';

const fixture = useFixture(() => openFixture());

test('an answer cached by the gateway is at most a second old, including its age here', () => {
  expect(SECOND.maxAgeMs + GATEWAY_CACHE_MS).toBeLessThanOrEqual(1_000);
});

test('answers about no contact may be cached, also those in a session; errors and others may not', async () => {
  const { product } = fixture.catalog.show();
  const token = await fixture.logIn(await fixture.user(['member']));
  const cacheTime = async (path: string, call = {}) =>
    (await fixture.call('GET', path, call)).headers.get('x-internal-keep');
  for (const path of ['/products', `/products/${product.id}`, `/products/${product.id}/availabilities`]) {
    expect(await cacheTime(path)).toBe(String(GATEWAY_CACHE_MS));
    expect(await cacheTime(path, { token })).toBe(String(GATEWAY_CACHE_MS));
    expect((await fixture.call('GET', path, { token })).headers.get('x-auth-token')).toBeNull();
  }
  expect(await cacheTime('/products?contactNumber=C1')).toBeNull();
  expect(await cacheTime('/products/none')).toBeNull();
  expect(await cacheTime('/shopping-cart')).toBeNull();
});
