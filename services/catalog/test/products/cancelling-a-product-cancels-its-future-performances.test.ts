import { rewrite } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import { type Context, createContext } from '../../src/context.ts';
import { changePerformance } from '../../src/performances/change.ts';
import { addPerformance } from '../../src/performances/performances.ts';
import { toPerformanceInput } from '../../src/performances/schemas.ts';
import { changeProduct } from '../../src/products/products.ts';
import { CANCELLED_BY_0_3, openCollections, products as productsCollection } from '../../src/store.ts';
import { createDyingContext, doDueWork } from '../fixture/crashes.ts';
import {
  addMinutesToNow,
  buildPerformanceBody,
  createProduct,
  createShow,
  createStalls,
  createTariff,
  describeOnEachEngine,
  hold,
  type Page,
  type Performance,
  type Product,
  type Show,
} from '../fixture/service.ts';

describeOnEachEngine('products', (catalog) => {
  describe('cancelling a product', () => {
    /** A running show: one performance has begun, two have not, a fourth is cancelled already. */
    const newRun = async (): Promise<{ product: Product; shows: Show[] }> => {
      const tariff = await createTariff(catalog);
      const performances = [-60, 60, 120, 180].map((minutes) =>
        buildPerformanceBody(tariff.id, [createStalls(2)], { startDate: addMinutesToNow(minutes) }),
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

    /** The document of a cancelled product whose performances are not cancelled yet. */
    const cancelOnly = async ({ id }: Product, cancelledAt: string) => {
      await openCollections(catalog.store, catalog.institution).products.update(id, (current) => ({
        next: { ...current, state: 'cancelled', cancelledAt },
        due: { cancelPerformances: Date.now() },
      }));
    };
    const dueOf = async ({ id }: Product) =>
      (await openCollections(catalog.store, catalog.institution).products.get(id))?.due;

    test('it goes on wherever the process dies, by the work that is due of the product', async () => {
      let died = true;
      for (let nth = 1; died && nth < 30; nth += 1) {
        const { product } = await newRun();
        const context = createDyingContext(createContext(catalog.store, catalog.institution), nth);
        const to = ({ product: current }: { readonly product: object }) =>
          ({ ...current, state: 'cancelled' }) as ReturnType<Parameters<typeof changeProduct>[2]>;
        died = await changeProduct(context, product.id, to).then(
          () => false,
          () => true,
        );
        const { data: before } = await catalog.call<Product>('GET', path(product));
        await doDueWork(catalog.store);
        const { data } = await catalog.call<Product>('GET', path(product));
        expect([nth, data.state]).toEqual([nth, before.state]);
        if (data.state !== 'cancelled') continue;
        expect([nth, statesOf(data), await dueOf(product)]).toEqual([nth, followed, undefined]);
        expect([nth, (await publishedOf(product)).length]).toEqual([nth, 3]);
      }
      expect(died).toBe(false);
    });

    test('a repeat of the request does the work that is due', async () => {
      const { product } = await newRun();
      await cancelOnly(product, addMinutesToNow(0));
      expect(statesOf((await cancel(product)).data)).toEqual(followed);
      expect(statesOf((await catalog.call<Product>('GET', path(product))).data)).toEqual(followed);
      expect(await dueOf(product)).toBeUndefined();
      expect(await publishedOf(product)).toHaveLength(3);
    });

    test('what release 0.3.0 has begun to cancel is cancelled', async () => {
      const { product } = await newRun();
      const { upgrade: _, ...plain } = productsCollection;
      const stored = catalog.store.collection(plain).of(catalog.institution);
      const cancelling = { state: 'cancelled', cancelling: addMinutesToNow(0) } as const;
      await stored.update(product.id, (current) => ({ next: { ...current, ...cancelling } }));
      expect(await dueOf(product)).toMatchObject({ cancelPerformances: { at: Date.parse(cancelling.cancelling) } });
      await rewrite(catalog.store, productsCollection, CANCELLED_BY_0_3);
      expect(await stored.count(CANCELLED_BY_0_3.where)).toBe(0);
      await doDueWork(catalog.store);
      expect(statesOf((await catalog.call<Product>('GET', path(product))).data)).toEqual(followed);
      expect(await publishedOf(product)).toHaveLength(3);
    });

    test('modifiedSince also returns performances that were cancelled late, by the time of their own writes', async () => {
      const { product } = await newRun();
      await cancelOnly(product, addMinutesToNow(-2));
      const list = (query = '') => catalog.call<Page<Performance>>('GET', `${path(product)}/performances${query}`);
      expect((await list()).data.asOf).toBeDefined();
      // All were created and changed earlier.
      const made = new Date().toISOString();
      while (new Date().toISOString() === made) await new Promise((resolve) => setImmediate(resolve));
      const since = new Date().toISOString();
      await doDueWork(catalog.store);
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

  describe('a change of a performance', () => {
    const list = async (since: string) => {
      const path = `/svc/v3/catalog/products?limit=500&modifiedSince=${since}`;
      return (await catalog.call<Page<Product>>('GET', path)).data.items.map(({ id }) => id);
    };
    const passed = async (instant: string): Promise<string> => {
      while (new Date().toISOString() <= instant) await new Promise((resolve) => setImmediate(resolve));
      return new Date().toISOString();
    };
    const read = async ({ product }: Show) =>
      JSON.stringify((await catalog.call<Product>('GET', `/svc/v3/catalog/products/${product.id}`)).data);

    const anything = { allow: () => {} };
    const acts: readonly [string, (context: Context, show: Show) => Promise<unknown>][] = [
      [
        'its state',
        (context, { performance }) =>
          changePerformance(context, performance.id, { patch: { state: 'closed' }, ...anything }),
      ],
      [
        'its capacity',
        (context, { performance, categoryId }) => {
          const seatCategories = [{ id: categoryId, capacity: 7 }];
          return changePerformance(context, performance.id, { patch: { seatCategories }, ...anything });
        },
      ],
      [
        'its creation',
        (context, { product, tariff }) =>
          addPerformance(context, product.id, toPerformanceInput(buildPerformanceBody(tariff.id, [createStalls(1)]))),
      ],
    ];

    test.each(acts)('(%s) is returned by modifiedSince with its product, wherever the process dies', async (_, act) => {
      let died = true;
      for (let nth = 1; died && nth < 30; nth += 1) {
        const show = await createShow(catalog, createStalls(4));
        const before = await read(show);
        const since = await passed(new Date().toISOString());
        const context = createContext(catalog.store, catalog.institution);
        died = await act(createDyingContext(context, nth), show).then(
          () => false,
          () => true,
        );
        const changed = (await read(show)) !== before;
        if (changed) expect([nth, await list(since)]).toEqual([nth, expect.arrayContaining([show.product.id])]);
        if (!died) expect(changed).toBe(true);
      }
      expect(died).toBe(false);
    });

    /**
     * A context with its own clock, by which each write to this collection takes the given milliseconds.
     */
    const slowContext = (name: 'products' | 'performances', tookMs: (nth: number) => number) => {
      let now = Date.now();
      let writes = 0;
      const context = createContext(catalog.store, catalog.institution, () => now);
      const documents = context.collections[name];
      const update = (...given: Parameters<typeof documents.update>) => {
        writes += 1;
        now += tookMs(writes);
        return Reflect.apply(documents.update, documents, given);
      };
      const collections = { ...context.collections, [name]: { ...documents, update } } as Context['collections'];
      return { context: { ...context, collections }, writes: () => writes };
    };

    test.each(acts)('(%s) is refused after three attempts if each record of it takes too long', async (_, act) => {
      const show = await createShow(catalog, createStalls(4));
      const before = await read(show);
      const { context, writes } = slowContext('products', () => 5_000);
      await expect(act(context, show)).rejects.toMatchObject({ http: 503, headers: { 'Retry-After': '1' } });
      expect(writes()).toBe(3);
      expect(await read(show)).toBe(before);
    });

    test.each(acts)('(%s) succeeds if only some of its records take too long', async (_, act) => {
      const show = await createShow(catalog, createStalls(4));
      const before = await read(show);
      await act(slowContext('products', (nth) => (nth < 3 ? 5_000 : 10)).context, show);
      expect(await read(show)).not.toBe(before);
    });

    test('is refused while the performance cannot be written in time after its record', async () => {
      const show = await createShow(catalog, createStalls(4));
      const { context, writes } = slowContext('performances', () => 5_000);
      const closing = changePerformance(context, show.performance.id, { patch: { state: 'closed' }, ...anything });
      await expect(closing).rejects.toMatchObject({ http: 503, headers: { 'Retry-After': '1' } });
      expect(writes()).toBe(3);
    });

    test('without effect is not returned by modifiedSince', async () => {
      const { product, performance } = await createShow(catalog, createStalls(4));
      const since = await passed(new Date().toISOString());
      const context = createContext(catalog.store, catalog.institution);
      await changePerformance(context, performance.id, { patch: { state: 'on_sale' }, ...anything });
      expect(await list(since)).not.toContain(product.id);
    });
  });
});
