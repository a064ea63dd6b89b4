import { beforeAll, expect, test } from '@jest/globals';
import {
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
  readAllPages,
  readAvailability,
} from '../fixture/service.ts';

const BASE = '/svc/v3/catalog';

interface Availabilities {
  readonly asOf: string;
  readonly items: readonly { readonly performanceId: string; readonly asOf: string }[];
}

describeOnEachEngine('performances of all products', (catalog) => {
  let tariffId: string;
  let one: Product;
  let other: Product;
  let preparing: Product;

  const showOn = async (days: readonly string[], more: object = {}): Promise<Product> => {
    const performances = days.map((day) =>
      buildPerformanceBody(tariffId, [createStalls(10)], { startDate: `2031-05-${day}T18:00:00Z` }),
    );
    return (await createProduct(catalog, { performances, ...more })).data;
  };
  const daysOf = (items: readonly Performance[]) => items.map(({ startDate }) => startDate.slice(8, 10));
  const list = async (query = '') =>
    daysOf((await catalog.call<Page<Performance>>('GET', `${BASE}/performances${query}`)).data.items);
  const codes = async (query: string) =>
    (await catalog.call<Page<Product>>('GET', `${BASE}/products?${query}`)).data.items.map(({ code }) => code);
  const availability = (query: string) => catalog.call<Availabilities>('GET', `${BASE}/availability${query}`);

  beforeAll(async () => {
    tariffId = (await createTariff(catalog)).id;
    one = await showOn(['09', '03']);
    other = await showOn(['05', '01', '07']);
    preparing = await showOn(['04'], { state: 'preparing' });
    const closed = other.performances.find(({ startDate }) => startDate.startsWith('2031-05-07'));
    await catalog.call('PATCH', `${BASE}/performances/${closed?.id}`, { body: { state: 'closed' } });
  });

  test('are listed by start, page by page, within a period that includes its ends', async () => {
    expect(await list()).toEqual(['01', '03', '04', '05', '07', '09']);
    const paged = await readAllPages<Performance>(catalog, `${BASE}/performances?limit=2`);
    expect(daysOf(paged)).toEqual(['01', '03', '04', '05', '07', '09']);
    expect(await list('?from=2031-05-03T20:00:00%2B02:00&to=2031-05-05T18:00:00Z')).toEqual(['03', '04', '05']);
    expect(await list('?from=2031-05-05T18:00:00.001Z')).toEqual(['07', '09']);
    expect(await list('?from=2031-06-01T00:00:00Z&to=2031-05-01T00:00:00Z')).toEqual([]);
  });

  test('are filtered by product and state', async () => {
    expect(await list(`?productId=${one.id}`)).toEqual(['03', '09']);
    expect(await list('?state=closed')).toEqual(['07']);
    expect(await list(`?productId=${other.id}&state=on_sale&to=2031-05-04T00:00:00Z`)).toEqual(['01']);
    expect(await list('?productId=prd_unknown')).toEqual([]);
    expect((await catalog.call('GET', `${BASE}/performances?state=sold`)).status).toBe(400);
  });

  test('leave out what an interrupted creation has left', async () => {
    const [performance] = await catalog.store
      .collection({ name: 'performances', indexes: [] })
      .acrossInstitutions.find({
        where: { productId: one.id },
      });
    if (!performance) throw new Error('there is no performance');
    const { version: _, institution, ...rest } = performance;
    const left = { ...rest, id: 'prf_left', productId: 'prd_never_written', startDate: '2031-05-02T18:00:00.000Z' };
    await catalog.store.collection({ name: 'performances', indexes: [] }).of(institution).insert(left);
    expect(await list('?limit=2')).toEqual(['01', '03']);
    expect((await availability('?performanceIds=prf_left')).data.items).toEqual([]);
  });

  test('find their products by period; products are found by code, too', async () => {
    expect(await codes('from=2031-05-08T00:00:00Z')).toEqual([one.code]);
    expect(await codes('from=2031-05-04T00:00:00Z&to=2031-05-05T18:00:00Z')).toEqual([other.code, preparing.code]);
    expect(await codes('from=2031-05-01T00:00:00Z&limit=2')).toEqual([one.code, other.code]);
    expect(await codes('to=2031-04-30T00:00:00Z')).toEqual([]);
    expect(await codes(`code=${other.code}`)).toEqual([other.code]);
    expect(await codes(`code=${other.code}&state=preparing`)).toEqual([]);
    expect(await codes('code=unknown')).toEqual([]);
  });

  test('answer their availability in one request, by ids or by product', async () => {
    const show = await createShow(catalog, createStalls(10));
    await hold(catalog, show, { quantity: 3 });
    const alone = await readAvailability(catalog, show);
    const ids = [show.performance.id, 'prf_unknown', String(one.performances[1]?.id), show.performance.id];
    const { data } = await availability(`?performanceIds=${ids.join(',')}`);
    expect(data.items.map(({ performanceId }) => performanceId).toSorted()).toEqual(
      [show.performance.id, one.performances[1]?.id].toSorted(),
    );
    const found = data.items.find(({ performanceId }) => performanceId === show.performance.id);
    expect(found).toMatchObject({ asOf: data.asOf, seatCategories: [alone] });
    expect(alone).toMatchObject({ held: 3, free: 7 });
    const ofProduct = (await availability(`?productId=${other.id}`)).data.items;
    expect(ofProduct.map(({ performanceId }) => performanceId)).toEqual(other.performances.map(({ id }) => id));
    const both = await availability(`?productId=${one.id}&performanceIds=${ids.join(',')}`);
    expect(both.data.items.map(({ performanceId }) => performanceId)).toEqual([one.performances[1]?.id]);
  });

  test('are at most 200 in a request, and at least one', async () => {
    const ids = (count: number) => Array.from({ length: count }, (_, index) => `prf_${index}`).join(',');
    expect((await availability(`?performanceIds=${ids(200)}`)).data.items).toEqual([]);
    for (const query of [`?performanceIds=${ids(201)}`, '?performanceIds=', '?performanceIds=a,,b', '?productId=']) {
      const { status, body } = await availability(query);
      expect([query.slice(0, 30), status, body.status]).toEqual([query.slice(0, 30), 400, 'invalid_parameter']);
    }
    const { status, body } = await availability('');
    expect([status, body.status]).toEqual([400, 'missing_parameter']);
  });
});
