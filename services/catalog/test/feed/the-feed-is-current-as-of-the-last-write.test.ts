// rule 4: `GET /svc/v3/catalog` answers the envelope | services/catalog/src/feed/routes.ts
// rule 9: 4: family A has a version segment in the path | services/catalog/src/feed/routes.ts

import type { Store } from '@boxoffice/store';
import { beforeAll, expect, test } from '@jest/globals';
import { createCatalogCache } from '../../src/feed/cache.ts';
import { openCollections } from '../../src/store.ts';
import {
  addInstitution,
  buildPerformanceBody,
  createProduct,
  createShow,
  createStalls,
  createTariff,
  describeOnEachEngine,
  hold,
  type Instance,
  type Product,
  startInstance,
  type Tariff,
} from '../fixture/service.ts';

interface Catalog {
  readonly institution: object;
  readonly products: Product[];
  readonly tariffs: Tariff[];
  readonly removed: string[];
  readonly generatedAt: string;
  readonly asOf: string;
}

/** A store that counts how often each collection is read. */
const counting = (store: Store) => {
  const reads = new Map<string, number>();
  const counted: Store = {
    ...store,
    collection: (asked) => {
      const handle = store.collection(asked);
      const noted = <Result>(result: Result): Result => {
        reads.set(asked.name, (reads.get(asked.name) ?? 0) + 1);
        return result;
      };
      return {
        ...handle,
        of: (institution) => {
          const documents = handle.of(institution);
          return {
            ...documents,
            get: (id) => noted(documents.get(id)),
            find: (query) => noted(documents.find(query)),
          };
        },
      };
    },
  };
  return { counted, reads };
};

const tick = async () => {
  const until = Date.now() + 2;
  while (Date.now() < until) await new Promise((resolve) => setImmediate(resolve));
};

describeOnEachEngine('GET /catalog', (on) => {
  let elsewhere: Instance;
  beforeAll(async () => {
    elsewhere = await on.another(await on.engine.open());
  });

  const ask = (instance: Instance, query = '', headers = {}) =>
    instance.call<Catalog>('GET', `/svc/v3/catalog${query}`, { headers });

  test('it returns the institution, published products with performances, tariffs, and no removed ids', async () => {
    const { product, tariff } = await createShow(on, createStalls(3));
    const { data: hidden } = await createProduct(on, { state: 'validated' });
    const { status, data, headers } = await ask(on);
    expect(status).toBe(200);
    expect(data.institution).toMatchObject({ name: 'Test institution', currency: 'CHF', languages: ['fr', 'en'] });
    expect(data.products).toContainEqual(product);
    expect(data.products.map(({ id }) => id)).not.toContain(hidden.id);
    expect(data.tariffs).toContainEqual(tariff);
    expect(data.removed).toEqual([]);
    expect(Date.parse(data.generatedAt)).not.toBeNaN();
    expect(headers.get('content-encoding')).toMatch(/^(br|gzip)$/);
    expect(headers.get('vary')).toContain('Accept-Encoding');
  });

  test('running and suspended products are published, closed ones are not', async () => {
    const { data } = await createProduct(on, { state: 'running' });
    const shown = async () => (await ask(on)).data.products.find(({ id }) => id === data.id)?.state;
    const become = (state: string) => on.call('PATCH', `/svc/v3/catalog/products/${data.id}`, { body: { state } });
    expect(await shown()).toBe('running');
    await become('suspended');
    expect(await shown()).toBe('suspended');
    await become('running');
    await become('closed');
    expect(await shown()).toBeUndefined();
  });

  test('every write is visible at once, on any instance', async () => {
    const names = async (instance: Instance) => (await ask(instance)).data.products.map(({ name }) => name.en);
    for (const [writer, number] of [on, elsewhere, on].map((each, index) => [each, index] as const)) {
      const { data } = await createProduct(writer, { name: { en: `First ${number}` } });
      for (const reader of [on, elsewhere]) expect(await names(reader)).toContain(`First ${number}`);
      const body = { name: { en: `Second ${number}` } };
      await writer.call('PATCH', `/svc/v3/catalog/products/${data.id}`, { body });
      for (const reader of [on, elsewhere]) expect(await names(reader)).toContain(`Second ${number}`);
      const tariff = await createTariff(writer);
      const performance = buildPerformanceBody(tariff.id, [createStalls(1)]);
      await writer.call('POST', `/svc/v3/catalog/products/${data.id}/performances`, { body: performance });
      for (const reader of [on, elsewhere]) {
        const { products, tariffs } = (await ask(reader)).data;
        expect(products.find(({ id }) => id === data.id)?.performances).toHaveLength(1);
        expect(tariffs).toContainEqual(tariff);
      }
    }
  });

  test('the ETag is the same on every instance and at any time, and gives 304', async () => {
    const [here, there] = [await ask(on), await ask(elsewhere)];
    const etag = here.headers.get('etag') ?? '';
    expect(there.headers.get('etag')).toBe(etag);
    expect((await ask(elsewhere, '', { 'If-None-Match': etag })).status).toBe(304);
    await createProduct(on);
    expect((await ask(elsewhere, '', { 'If-None-Match': etag })).status).toBe(200);
  });

  test('the filter type returns only products of that type, with its own ETag', async () => {
    const { data: pass } = await createProduct(on, { type: 'pass' });
    const { data, headers } = await ask(on, '?type=pass');
    expect(data.products).toEqual([pass]);
    await createProduct(on, { type: 'show' });
    const etag = headers.get('etag') ?? '';
    expect((await ask(on, '?type=pass', { 'If-None-Match': etag })).status).toBe(304);
    expect((await ask(on, '?type=circus')).body.status).toBe('invalid_parameter');
  });

  test('asOf as the next modifiedSince misses no write of a slow clock that becomes visible 10 s later', async () => {
    const { store } = on;
    const institution = await addInstitution(store);
    const own = await startInstance(store, institution);
    const [changed, closed] = [
      (await createShow(own, createStalls(1))).product,
      (await createShow(own, createStalls(1))).product,
    ];
    await own.close();
    const collections = openCollections(store, institution);
    const taken = Date.now() + 60_000;
    // The reader's clock is 5 s ahead of the writer's.
    const { data: before } = await createCatalogCache(store, () => taken + 9_999 + 5_000).of(institution, {});
    const modifiedAt = new Date(taken).toISOString();
    await collections.products.update(changed?.id ?? '', (current) => ({ next: { ...current, modifiedAt } }));
    await collections.products.update(closed?.id ?? '', (current) => ({
      next: { ...current, modifiedAt, state: 'closed' },
    }));
    await collections.institutions.claim({ where: { id: institution }, set: { catalogMark: `mark-${taken}` } });
    const since = async (modifiedSince: string) => {
      const answers = createCatalogCache(store, () => taken + 60_000);
      const { data } = await answers.of(institution, { modifiedSince });
      return { products: data.products.map(({ id }) => id), removed: data.removed };
    };
    expect(await since(before.asOf)).toEqual({ products: [changed?.id], removed: [closed?.id] });
    // What misses both: the time of the reading.
    expect(await since(before.generatedAt)).toEqual({ products: [], removed: [] });
  });

  test('the ETag ignores asOf, and an answer about changes has the asOf of the last reading', async () => {
    const { store, institution } = on;
    let now = Date.now();
    const answers = createCatalogCache(store, () => now);
    const first = await answers.of(institution, {});
    now += 3_600_000;
    const second = await createCatalogCache(store, () => now).of(institution, {});
    expect(second.etag).toBe(first.etag);
    expect(Date.parse(second.data.asOf) - Date.parse(first.data.asOf)).toBe(3_600_000);
    expect(Date.parse(first.data.generatedAt) - Date.parse(first.data.asOf)).toBe(15_000);
  });

  test('modifiedSince returns changes since then, and the ids of products no longer published', async () => {
    const [unchanged, changed, closed] = [
      (await createShow(on, createStalls(1))).product,
      (await createShow(on, createStalls(1))).product,
      (await createShow(on, createStalls(1))).product,
    ];
    const { data: never } = await createProduct(on, { state: 'preparing' });
    await tick();
    const { generatedAt } = (await ask(on)).data;
    const state = (id: string, to: string) =>
      on.call('PATCH', `/svc/v3/catalog/products/${id}`, { body: { state: to } });
    const [performance] = changed?.performances ?? [];
    await on.call('PATCH', `/svc/v3/catalog/performances/${performance?.id}`, { body: { durationMinutes: 5 } });
    await state(closed?.id ?? '', 'closed');
    await state(never.id, 'cancelled');
    const { data } = await ask(elsewhere, `?modifiedSince=${generatedAt}`);
    expect(data.products.map(({ id }) => id)).toEqual([changed?.id]);
    expect(data.removed).toEqual([closed?.id]);
    expect(data.products.map(({ id }) => id)).not.toContain(unchanged?.id);
    expect((await ask(on, '?modifiedSince=yesterday')).body.status).toBe('invalid_parameter');
  });

  test('a repeated request reads only the institution: no query for products', async () => {
    const { store } = on;
    const { counted, reads } = counting(store);
    const institution = await addInstitution(store);
    const fresh = await startInstance(counted, institution);
    for (let count = 0; count < 12; count += 1) await createShow(fresh, createStalls(1));
    await ask(fresh);
    reads.clear();
    const { headers } = await ask(fresh);
    await ask(fresh, '?type=show');
    const again = await ask(fresh, '', { 'If-None-Match': headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
    expect([...reads]).toEqual([['institutions', 3]]);
    reads.clear();
    await createProduct(fresh);
    reads.clear();
    await ask(fresh);
    expect([...reads].sort()).toEqual([
      ['institutions', 1],
      ['performances', 1],
      ['points_of_sale', 1],
      ['products', 1],
      ['tariffs', 1],
    ]);
    await fresh.close();
  });

  test('a write whose process died before it invalidated the cache appears within five seconds', async () => {
    const { store } = on;
    const institution = await addInstitution(store);
    const fresh = await startInstance(store, institution);
    const { data: product } = await createProduct(fresh);
    let now = Date.now();
    const answers = createCatalogCache(store, () => now);
    const names = async () => (await answers.of(institution, {})).data.products.map(({ name }) => name.en);
    expect(await names()).toEqual(['A show']);
    const { products } = openCollections(store, institution);
    await products.update(product.id, (current) => ({ next: { ...current, name: { en: 'Silent' } } }));
    expect(await names()).toEqual(['A show']);
    now += 60_000;
    for (let asked = 0; (await names())[0] !== 'Silent'; asked += 1) {
      if (asked > 1_000) throw new Error('it never appeared');
      await new Promise((resolve) => setImmediate(resolve));
    }
    await fresh.close();
  });

  test('an unknown institution is 404', async () => {
    const { status, body } = await on.call('GET', '/svc/v3/catalog', { institution: 'nobody' });
    expect([status, body.status]).toEqual([404, 'not_found']);
  });
});

interface Published {
  readonly mark: string;
  readonly published: (Pick<Catalog, 'products' | 'tariffs'> & { readonly languages: readonly string[] }) | null;
}

describeOnEachEngine('the catalog for a point of sale', (its) => {
  const pos = { service: 'pos' };

  test('returns the published catalog in one answer, and null for an unchanged mark', async () => {
    const { product, tariff } = await createShow(its, createStalls(2));
    const { data } = await its.call<Published>('GET', '/internal/shop/products', pos);
    expect(data.published?.products.map(({ id }) => id)).toContain(product.id);
    expect(data.published?.tariffs.map(({ id }) => id)).toContain(tariff.id);
    expect(data.published?.languages).toEqual(['fr', 'en']);
    const again = await its.call<Published>('GET', `/internal/shop/products?mark=${data.mark}`, pos);
    expect(again.data).toEqual({ mark: data.mark, published: null, pricing: null });
    await createShow(its, createStalls(2));
    const changed = await its.call<Published>('GET', `/internal/shop/products?mark=${data.mark}`, pos);
    expect(changed.data.published?.products.length).toBeGreaterThan(1);
  });

  test('returns free places by performance and seat category, without unknown performances', async () => {
    const show = await createShow(its, createStalls(5));
    await hold(its, show, { quantity: 2 });
    const ids = `${show.performance.id},prf_unknown`;
    const { data } = await its.call('GET', `/internal/shop/availability?performanceIds=${ids}`, pos);
    expect(data).toEqual({
      performances: [
        {
          performanceId: show.performance.id,
          seatCategories: [{ id: show.performance.seatCategories[0]?.id, capacity: 5, free: 3 }],
        },
      ],
    });
  });

  test('returns places in order, held ones not as free', async () => {
    const show = await createShow(its, createStalls(3, [3]));
    await hold(its, show, { quantity: 1 });
    const path = `/internal/shop/performances/${show.performance.id}/places`;
    const { data } = await its.call<{ places: { label: string; free: boolean }[] }>('GET', path, pos);
    expect(data.places.map(({ label }) => label)).toEqual(['A-1', 'A-2', 'A-3']);
    expect(data.places.filter(({ free }) => free)).toHaveLength(2);
    const none = await its.call<{ places: [] }>('GET', `${path}?seatCategoryId=cat_unknown`, pos);
    expect(none.data.places).toEqual([]);
    const foreign = await its.call('GET', path, { ...pos, institution: 'nobody' });
    expect(foreign.status).toBe(404);
  });
});
