import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { resumeCancellations } from '../../src/products/cancellation.ts';
import { collectionsOf } from '../../src/store.ts';
import {
  createProduct,
  hold,
  inMinutes,
  newTariff,
  type Page,
  type Performance,
  type Product,
  performanceBody,
  type Show,
  stalls,
} from '../fixture/data.ts';
import { engines, notExercised } from '../fixture/engines.ts';
import { type Started, startCatalog } from '../fixture/service.ts';

describe.each(engines)(`cancelling a product on $name${notExercised}`, (engine) => {
  let catalog: Started;
  beforeAll(async () => {
    catalog = await startCatalog(engine);
  });
  afterAll(() => catalog.close());

  /** A running show: one performance has begun, two have not, a fourth is cancelled already. */
  const newRun = async (): Promise<{ product: Product; shows: Show[] }> => {
    const tariff = await newTariff(catalog);
    const performances = [-60, 60, 120, 180].map((minutes) =>
      performanceBody(tariff.id, [stalls(2)], { startDate: inMinutes(minutes) }),
    );
    const { data: product } = await createProduct(catalog, { performances });
    const shows = product.performances.map((performance) => {
      const categoryId = performance.seatCategories[0]?.id ?? '';
      return { product, performance, tariff, categoryId };
    });
    const last = shows.at(-1)?.performance.id;
    await catalog.call('PATCH', `/svc/v3/catalog/performances/${last}`, { body: { state: 'cancelled' } });
    return { product, shows };
  };

  const path = ({ id }: Product) => `/svc/v3/catalog/products/${id}`;
  const cancel = (product: Product, headers: Record<string, string> = {}) =>
    catalog.call<Product>('PATCH', path(product), { body: { state: 'cancelled' }, headers });
  const statesOf = ({ performances }: Product) => performances.map(({ state }) => state);
  const publishedOf = async (product: Product) => {
    const pending = await catalog.store.outbox.pending(10_000);
    const data = pending.map((event) => event.data as { readonly performanceId: string; readonly productId: string });
    return data.filter(({ productId }) => productId === product.id).map(({ performanceId }) => performanceId);
  };

  const followed = ['on_sale', 'cancelled', 'cancelled', 'cancelled'];

  test('performances that have not begun are cancelled, each published once, also when the request is repeated', async () => {
    const { product, shows } = await newRun();
    const ids = shows.map(({ performance }) => performance.id);
    const key = { 'Idempotency-Key': product.id };
    const first = await cancel(product, key);
    expect(statesOf(first.data)).toEqual(followed);
    const again = await catalog.call<Product>('GET', path(product));
    expect(again.data).toEqual(first.data);
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
    expect((await cancel(product, key)).data).toEqual(first.data);
    expect((await cancel(product)).data).toEqual(first.data);
    expect((await publishedOf(product)).sort()).toEqual(ids.slice(1).sort());
  });

  test('no place of it can be held', async () => {
    const { product, shows } = await newRun();
    const [, upcoming] = shows;
    if (!upcoming) throw new Error('there is no performance');
    expect((await hold(catalog, upcoming)).outcome).toBe('held');
    const { data } = await catalog.call<Product>('GET', path(product));
    const one = await catalog.call('PATCH', `/svc/v3/catalog/performances/${data.performances[1]?.id}`, {
      body: { state: 'cancelled' },
    });
    expect(one.status).toBe(200);
    expect(await hold(catalog, upcoming)).toMatchObject({ outcome: 'refused', refusal: { reason: 'not_on_sale' } });
    await cancel(product);
    for (const show of shows) {
      expect(await hold(catalog, show)).toMatchObject({ outcome: 'refused', refusal: { reason: 'not_on_sale' } });
    }
  });

  test('a cancellation that a dead process left is completed by the recovery or by a repeat', async () => {
    const { products } = collectionsOf(catalog.store, catalog.institution);
    const finish = [() => resumeCancellations(catalog.store), (product: Product) => cancel(product)];
    for (const how of finish) {
      const { product } = await newRun();
      await products.update(product.id, (current) => ({
        next: { ...current, state: 'cancelled', cancelling: inMinutes(0) },
      }));
      await how(product);
      expect(statesOf((await catalog.call<Product>('GET', path(product))).data)).toEqual(followed);
      expect((await products.get(product.id))?.cancelling).toBeNull();
      expect(await publishedOf(product)).toHaveLength(3);
    }
  });

  test('modifiedSince also returns performances that were cancelled late, by the time of their own writes', async () => {
    const { product } = await newRun();
    const { products } = collectionsOf(catalog.store, catalog.institution);
    await products.update(product.id, (current) => ({
      next: { ...current, state: 'cancelled', cancelling: inMinutes(-2) },
    }));
    const list = (query = '') => catalog.call<Page<Performance>>('GET', `${path(product)}/performances${query}`);
    expect((await list()).data.asOf).toBeDefined();
    // All were created and changed earlier.
    const made = new Date().toISOString();
    while (new Date().toISOString() === made) await new Promise((resolve) => setImmediate(resolve));
    const since = new Date().toISOString();
    await resumeCancellations(catalog.store);
    const { items } = (await list(`?modifiedSince=${since}`)).data;
    expect(items.map(({ state }) => state)).toEqual(['cancelled', 'cancelled']);
  });

  test('a refused cancellation touches no performance', async () => {
    const { product } = await newRun();
    expect((await cancel(product, { 'If-Match': '"0.0"' })).status).toBe(412);
    const { data } = await catalog.call<Product>('GET', path(product));
    expect(statesOf(data)).toEqual(['on_sale', 'on_sale', 'on_sale', 'cancelled']);
  });
});
