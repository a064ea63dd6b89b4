// rule 1: They have correct availabilities | services/pos/src/products/showcase.ts

import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { createCache, createLatest } from '../../src/clients/cache.ts';
import type { Catalog, Stock } from '../../src/clients/catalog.ts';
import { createOffers, GATEWAY_CACHE_MS, SECOND } from '../../src/products/offers.ts';
import { openFixture, waitUntil } from '../fixture/fixture.ts';

const fixture = useFixture(() => openFixture());

const stockCalls = (performanceId: string): number =>
  fixture.catalog.calls.filter(({ query }) => query.performanceIds?.split(',').includes(performanceId)).length;

test('a sale changes the availability within about a second', async () => {
  const show = fixture.catalog.show({ capacity: 10, free: 10 });
  const freeNow = async () => {
    const { data } = await fixture.call<Record<string, { seatCategories: { free: number }[] }>>(
      'GET',
      `/products/${show.product.id}/availabilities`,
    );
    return data[show.performanceId]?.seatCategories[0]?.free;
  };
  expect(await freeNow()).toBe(10);
  show.free = 0;
  await waitUntil(async () => (await freeNow()) === 0);
});

test('the availability of a performance is read at most twice a second for all visitors and languages', async () => {
  const show = fixture.catalog.show();
  await fixture.call('GET', `/products/${show.product.id}`);
  const [before, startedAt] = [stockCalls(show.performanceId), Date.now()];
  let count = 0;
  while (Date.now() < startedAt + 700 || count <= 20) {
    await Promise.all(
      ['en', 'fr', 'de'].flatMap((lang) => [
        fixture.call('GET', `/products/${show.product.id}?lang=${lang}`),
        fixture.call('GET', `/products/${show.product.id}/availabilities?lang=${lang}`),
        fixture.call('GET', `/products?lang=${lang}&limit=500`),
      ]),
    );
    count += 9;
  }
  // biome-ignore lint/plugin: compares loads with the time that passed
  const halfSeconds = (Date.now() - startedAt) / 500;
  expect(stockCalls(show.performanceId) - before).toBeLessThanOrEqual(Math.ceil(halfSeconds) + 1);
});

test('the cache returns no value above its maximum age, and concurrent callers share one load', async () => {
  let now = 0;
  let loads = 0;
  const cache = createCache<number>({ maxAgeMs: 1_000, refreshMs: 500, max: 10, now: () => now });
  const load = async () => {
    loads += 1;
    return { value: loads, asOf: now };
  };
  const both = await Promise.all([cache.get('a', load), cache.get('a', load)]);
  expect([both.map(({ value }) => value), loads]).toEqual([[1, 1], 1]);
  now = 400;
  expect(await cache.get('a', load)).toEqual({ value: 1, asOf: 0 });
  now = 700;
  expect(await cache.get('a', load)).toEqual({ value: 1, asOf: 0 });
  await new Promise((resolve) => setImmediate(resolve));
  expect(await cache.get('a', load)).toEqual({ value: 2, asOf: 700 });
  now = 2_000;
  expect(await cache.get('a', load)).toEqual({ value: 3, asOf: 2_000 });
  const failing = () => Promise.reject(new Error('planted'));
  now = 2_800;
  expect((await cache.get('a', failing)).value).toBe(3);
  now = 4_000;
  await expect(cache.get('a', failing)).rejects.toThrow('planted');
});

test('one call reads the stock of several performances, and cached ones are not read', async () => {
  let now = 0;
  const calls: string[][] = [];
  const stock = async (_institution: string, ids: readonly string[]): Promise<Stock[]> => {
    calls.push([...ids]);
    return ids.map((performanceId) => ({ performanceId, seatCategories: [] }));
  };
  const offers = createOffers({ stock } as Partial<Catalog> as Catalog, () => now);
  await Promise.all([offers.stock('opera', ['a', 'b']), offers.stock('opera', ['b', 'c'])]);
  expect(calls).toEqual([['a', 'b'], ['c']]);
  now = 300;
  expect((await offers.stock('opera', ['a', 'd'])).asOf).toBe(0);
  expect(calls.at(-1)).toEqual(['d']);
  now = 1_200;
  expect((await offers.stock('opera', ['a'])).asOf).toBe(1_200);
  await offers.stock('museum', ['a']);
  expect(calls).toHaveLength(5);
});

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

describe('loads of the same', () => {
  test('calls during a load share the next load', async () => {
    const latest = createLatest<number>();
    const answers: ((value: number) => void)[] = [];
    const load = () => new Promise<number>((resolve) => answers.push(resolve));
    const first = latest('a', load);
    const [second, third] = [latest('a', load), latest('a', load)];
    const other = latest('b', load);
    expect(answers).toHaveLength(2);
    answers[0]?.(1);
    expect(await first).toBe(1);
    answers[2]?.(2);
    expect(await Promise.all([second, third])).toEqual([2, 2]);
    answers[1]?.(9);
    expect(await other).toBe(9);
    const again = latest('a', load);
    answers[3]?.(3);
    expect(await again).toBe(3);
  });

  test('a failure rejects the callers that waited for it, but not the next load', async () => {
    const latest = createLatest<number>();
    const failing = latest('a', () => Promise.reject(new Error('planted')));
    const next = latest('a', async () => 1);
    await expect(failing).rejects.toThrow('planted');
    expect(await next).toBe(1);
  });
});
