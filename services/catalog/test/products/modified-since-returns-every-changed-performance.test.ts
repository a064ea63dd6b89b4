import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Context, contextOf } from '../../src/context.ts';
import { inputOf } from '../../src/performances/body.ts';
import { changePerformance } from '../../src/performances/change.ts';
import { addPerformance } from '../../src/performances/performances.ts';
import { newShow, type Page, type Product, performanceBody, type Show, stalls } from '../fixture/data.ts';
import { engines, notExercised } from '../fixture/engines.ts';
import { type Started, startCatalog } from '../fixture/service.ts';

const dies = (): Promise<never> => Promise.reject(new Error('the process dies here'));

/** A context whose nth write, and every later one, fails before it reaches the store, as if the process had died. */
const dyingBefore = (context: Context, nth: number): Context => {
  let writes = 0;
  const guarded = <Shelved extends object>(documents: Shelved): Shelved =>
    new Proxy(documents, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (
          typeof method !== 'function' ||
          !['insert', 'insertMany', 'update', 'claim', 'remove'].includes(String(name))
        )
          return method;
        return (...given: unknown[]) => {
          writes += 1;
          return writes >= nth ? dies() : Reflect.apply(method, target, given);
        };
      },
    });
  const collections = Object.fromEntries(
    Object.entries(context.collections).map(([name, one]) => [name, typeof one === 'object' ? guarded(one) : one]),
  );
  return { ...context, collections: collections as unknown as Context['collections'] };
};

describe.each(engines)(`a change of a performance on $name${notExercised}`, (engine) => {
  let catalog: Started;
  beforeAll(async () => {
    catalog = await startCatalog(engine);
  });
  afterAll(() => catalog.close());

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
        addPerformance(context, product.id, inputOf(performanceBody(tariff.id, [stalls(1)]))),
    ],
  ];

  test.each(acts)('(%s) is returned by modifiedSince with its product, wherever the process dies', async (_, act) => {
    let died = true;
    for (let nth = 1; died && nth < 30; nth += 1) {
      const show = await newShow(catalog, stalls(4));
      const before = await read(show);
      const since = await passed(new Date().toISOString());
      const context = contextOf(catalog.store, catalog.institution);
      died = await act(dyingBefore(context, nth), show).then(
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
    const context = contextOf(catalog.store, catalog.institution, () => now);
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
    const show = await newShow(catalog, stalls(4));
    const before = await read(show);
    const { context, writes } = slowContext('products', () => 5_000);
    await expect(act(context, show)).rejects.toMatchObject({ http: 503, headers: { 'Retry-After': '1' } });
    expect(writes()).toBe(3);
    expect(await read(show)).toBe(before);
  });

  test.each(acts)('(%s) succeeds if only some of its records take too long', async (_, act) => {
    const show = await newShow(catalog, stalls(4));
    const before = await read(show);
    await act(slowContext('products', (nth) => (nth < 3 ? 5_000 : 10)).context, show);
    expect(await read(show)).not.toBe(before);
  });

  test('is refused while the performance cannot be written in time after its record', async () => {
    const show = await newShow(catalog, stalls(4));
    const { context, writes } = slowContext('performances', () => 5_000);
    const closing = changePerformance(context, show.performance.id, { patch: { state: 'closed' }, ...anything });
    await expect(closing).rejects.toMatchObject({ http: 503, headers: { 'Retry-After': '1' } });
    expect(writes()).toBe(3);
  });

  test('without effect is not returned by modifiedSince', async () => {
    const { product, performance } = await newShow(catalog, stalls(4));
    const since = await passed(new Date().toISOString());
    const context = contextOf(catalog.store, catalog.institution);
    await changePerformance(context, performance.id, { patch: { state: 'on_sale' }, ...anything });
    expect(await list(since)).not.toContain(product.id);
  });
});
