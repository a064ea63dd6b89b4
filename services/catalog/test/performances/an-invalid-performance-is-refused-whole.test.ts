// rule 7: 409 `conflict`: conflicts with the current state | services/catalog/src/performances/performances.ts

import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { currentFacts } from '../../src/store.ts';
import {
  buildPerformanceBody,
  createProduct,
  createShow,
  createStalls,
  createTariff,
  type Page,
  type Performance,
  readAvailability,
  startCatalog,
  type Tariff,
} from '../fixture/service.ts';

const catalog = useFixture(() => startCatalog());

describe('performances', () => {
  let tariff: Tariff;
  beforeAll(async () => {
    tariff = await createTariff(catalog);
  });

  const path = (id: string) => `/svc/v3/catalog/performances/${id}`;
  const add = (productId: string, body: object, headers = {}) =>
    catalog.call<Performance>('POST', `/svc/v3/catalog/products/${productId}/performances`, { body, headers });
  const patch = (id: string, body: object, headers = {}) =>
    catalog.call<Performance>('PATCH', path(id), { body, headers });

  test('a creation creates the places and returns the Location', async () => {
    const { data: product } = await createProduct(catalog);
    const created = await add(product.id, buildPerformanceBody(tariff.id, [createStalls(5, [2, 3])]));
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe(path(created.data.id));
    expect(created.data).toMatchObject({
      productId: product.id,
      startDate: '2031-05-01T18:30:00.000Z',
      durationMinutes: null,
      venue: { name: 'Main hall', city: null },
      salesFrom: null,
      state: 'on_sale',
    });
    const [category] = created.data.seatCategories;
    expect(category).toMatchObject({ code: 'STALLS', numbered: true, capacity: 5 });
    expect(created.data.prices).toEqual([
      { seatCategoryId: category?.id, tariffId: tariff.id, amount: 4_200, withFees: 4_200, currency: 'CHF' },
    ]);
    const { data: places } = await catalog.call<Page<object>>('GET', `${path(created.data.id)}/places?limit=3`);
    expect(places.items[2]).toMatchObject({ label: 'B-1', row: 'B', seat: 1, state: 'free' });
    expect(places.nextCursor).not.toBeNull();
    expect(await readAvailability(catalog, { performance: created.data })).toMatchObject({ capacity: 5, free: 5 });
    const got = await catalog.call<Performance>('GET', path(created.data.id));
    expect(got.data).toEqual(created.data);
    const listed = await catalog.call<Page<Performance>>('GET', `/svc/v3/catalog/products/${product.id}/performances`);
    expect(listed.data).toEqual({ items: [created.data], nextCursor: null, asOf: expect.any(String) });
  });

  test('row names are compared trimmed and in NFC: the same one twice is refused, also of a change', async () => {
    const { data: product } = await createProduct(catalog);
    const numbered = (...names: string[]) => ({
      ...createStalls(2 * names.length),
      numbered: true,
      rows: names.map((row) => ({ row, seats: 2 })),
    });
    for (const other of [' A', 'A ', '\u00a0A\t']) {
      const refused = await add(product.id, buildPerformanceBody(tariff.id, [numbered('A', other)]));
      expect([refused.status, refused.body.details]).toEqual([422, expect.stringContaining('names a row twice')]);
    }
    for (const blank of [' ', '\u200b', 'A\nB'])
      expect((await add(product.id, buildPerformanceBody(tariff.id, [numbered('A', blank)]))).status).toBe(400);
    const { data } = await add(product.id, buildPerformanceBody(tariff.id, [numbered(' E\u0301 ')]));
    const [category] = data.seatCategories;
    expect(category?.rows).toEqual([{ row: 'É', seats: 2 }]);
    const grown = (...rows: object[]) => patch(data.id, { seatCategories: [{ id: category?.id, rows }] });
    expect((await grown({ row: 'É', seats: 3 }, { row: 'E\u0301', seats: 3 })).status).toBe(422);
    const { data: changed } = await grown({ row: ' E\u0301', seats: 3 });
    expect(changed.seatCategories[0]?.rows).toEqual([{ row: 'É', seats: 3 }]);
  });

  test.each([
    ['rows that do not add up to the capacity', { seatCategories: [createStalls(6, [2, 3])] }],
    ['a numbered category without rows', { seatCategories: [{ ...createStalls(6), numbered: true }] }],
    ['rows of an unnumbered category', { seatCategories: [{ ...createStalls(5, [5]), numbered: false }] }],
    ['one code twice', { seatCategories: [createStalls(1), createStalls(2)] }],
    ['a price for an unknown category', { prices: [{ seatCategory: 'BOX', tariffId: 'TARIFF', amount: 1 }] }],
    ['a price for an unknown tariff', { prices: [{ seatCategory: 'STALLS', tariffId: 'trf_unknown', amount: 1 }] }],
    ['another currency', { prices: [{ seatCategory: 'STALLS', tariffId: 'TARIFF', amount: 1, currency: 'EUR' }] }],
    ['an unknown time zone', { timeZone: 'Europe/Atlantis' }],
    ['an offset instead of a time zone', { timeZone: '+02:00' }],
    ...['BST', 'IST', 'AST', 'CST', 'PST', 'SystemV/PST8'].map((timeZone): [string, object] => [
      `the abbreviation ${timeZone}, which is no IANA name`,
      { timeZone },
    ]),
    ['sales that end before they begin', { salesFrom: '2031-01-02T00:00:00Z', salesTo: '2031-01-01T00:00:00Z' }],
  ])('%s is 422', async (_what, more) => {
    const { data: product } = await createProduct(catalog);
    const body = JSON.parse(
      JSON.stringify({ ...buildPerformanceBody(tariff.id, [createStalls(5)]), ...more }).replaceAll(
        '"TARIFF"',
        `"${tariff.id}"`,
      ),
    );
    const refused = await add(product.id, body);
    expect([refused.status, refused.body.status]).toEqual([422, 'validation_error']);
    expect(refused.body.details).toMatch(/\$\./);
  });

  test.each([
    ['europe/zurich', 'Europe/Zurich'],
    ['utc', 'UTC'],
    ['Europe/Kiev', 'Europe/Kiev'],
    ['Europe/Kyiv', 'Europe/Kyiv'],
    ['america/argentina/buenos_aires', 'America/Argentina/Buenos_Aires'],
  ])('the time zone %s is stored as %s', async (timeZone, name) => {
    const { data: product } = await createProduct(catalog);
    const { data } = await add(product.id, buildPerformanceBody(tariff.id, [createStalls(5)], { timeZone }));
    expect(data.timeZone).toBe(name);
    const body = { timeZone: 'asia/tokyo' };
    const changed = await catalog.call<Performance>('PATCH', `/svc/v3/catalog/performances/${data.id}`, { body });
    expect([changed.status, changed.data.timeZone]).toEqual([200, 'Asia/Tokyo']);
  });

  test('a stored time zone that is no IANA name blocks no change of something else', async () => {
    const { performance } = await createShow(catalog, createStalls(4, [4]));
    const { id } = performance;
    const stored = catalog.store.collection({ name: 'performances', indexes: [] });
    await stored.of(catalog.institution).update(id, (current) => ({ next: { ...current, timeZone: 'BST' } }));
    expect((await catalog.call<Performance>('GET', path(id))).data.timeZone).toBe('BST');
    const [category] = performance.seatCategories;
    const rows = [{ row: 'A', seats: 5 }];
    const startDate = '2031-06-01T18:30:00.000Z';
    const changed = await patch(id, { state: 'closed', startDate });
    expect([changed.status, changed.data]).toMatchObject([200, { state: 'closed', startDate, timeZone: 'BST' }]);
    expect((await patch(id, { seatCategories: [{ id: category?.id, rows }] })).data.seatCategories[0]?.capacity).toBe(
      5,
    );
    const refused = await patch(id, { timeZone: 'BST' });
    expect([refused.status, refused.body.details]).toEqual([422, '$.timeZone is not an IANA time zone']);
    const mended = await patch(id, { timeZone: 'europe/london' });
    expect([mended.status, mended.data.timeZone]).toEqual([200, 'Europe/London']);
  });

  test('fractions, negative amounts and huge capacities are 400', async () => {
    const { data: product } = await createProduct(catalog);
    for (const amount of [1.5, -1, 1e12, '5']) {
      const body = buildPerformanceBody(tariff.id, [createStalls(1)], {
        prices: [{ seatCategory: 'STALLS', tariffId: tariff.id, amount: amount as number }],
      });
      expect((await add(product.id, body)).status).toBe(400);
    }
    expect((await add(product.id, buildPerformanceBody(tariff.id, [createStalls(10 ** 9)]))).status).toBe(400);
  });

  test('only a show has a second performance or seat category', async () => {
    const performances = [buildPerformanceBody(tariff.id, [createStalls(5)])];
    const { data: pass, status } = await createProduct(catalog, { type: 'pass', performances });
    expect(status).toBe(201);
    const second = await add(pass.id, performances[0] ?? {});
    expect([second.status, second.body.status]).toEqual([409, 'conflict']);
    const two = await createProduct(catalog, { type: 'goods', performances: [...performances, ...performances] });
    expect([two.status, two.body.status]).toEqual([409, 'conflict']);
    const categories = [createStalls(1), { ...createStalls(1), code: 'BOX' }];
    const wide = await createProduct(catalog, {
      type: 'goods',
      performances: [buildPerformanceBody(tariff.id, categories)],
    });
    expect(wide.status).toBe(422);
    expect((await createProduct(catalog, { performances: [buildPerformanceBody(tariff.id, categories)] })).status).toBe(
      201,
    );
  });

  test('of concurrent first performances of a pass one is created', async () => {
    const { data: pass } = await createProduct(catalog, { type: 'pass' });
    const body = buildPerformanceBody(tariff.id, [createStalls(1)]);
    const answers = await Promise.all(Array.from({ length: 8 }, () => add(pass.id, body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  });

  test('PATCH merges, prices replace, and what a GET returned changes nothing', async () => {
    const { performance } = await createShow(catalog, createStalls(4, [4]));
    const same = await patch(performance.id, performance);
    expect([same.status, same.data]).toEqual([200, performance]);
    const changed = await patch(performance.id, {
      venue: { city: 'Genève' },
      durationMinutes: 90,
      prices: [{ seatCategory: 'STALLS', tariffId: tariff.id, amount: 0 }],
    });
    expect(changed.data.venue).toEqual({ name: 'Main hall', city: 'Genève' });
    expect(changed.data.prices).toHaveLength(1);
    expect(changed.data.prices[0]).toMatchObject({ tariffId: tariff.id, amount: 0 });
    expect((await patch(performance.id, { durationMinutes: null })).data.durationMinutes).toBeNull();
    expect((await patch(performance.id, { startDate: null })).status).toBe(400);
  });

  test('cancelled is final and published once; on_sale and closed alternate', async () => {
    const { performance } = await createShow(catalog, createStalls(1));
    for (const state of ['closed', 'on_sale', 'cancelled', 'cancelled']) {
      expect((await patch(performance.id, { state })).data.state).toBe(state);
    }
    const back = await patch(performance.id, { state: 'on_sale' });
    expect([back.status, back.body.status]).toEqual([409, 'conflict']);
    const published = (await catalog.store.outbox.pending(100)).filter(
      ({ key, type }) => key === performance.id && type !== 'performance.recorded',
    );
    expect(published.map(({ type }) => type)).toEqual(['performance.cancelled']);
    expect(published[0]?.data).toEqual({
      performanceId: performance.id,
      productId: performance.productId,
      cancelledAt: expect.any(String),
    });
  });

  test('If-Match guards a change', async () => {
    const { performance } = await createShow(catalog, createStalls(1));
    const etag = (await catalog.call('GET', path(performance.id))).headers.get('etag') ?? '';
    const first = await patch(performance.id, { durationMinutes: 10 }, { 'If-Match': etag });
    expect(first.status).toBe(200);
    expect((await patch(performance.id, { durationMinutes: 11 }, { 'If-Match': etag })).status).toBe(412);
    const next = first.headers.get('etag') ?? '';
    expect((await patch(performance.id, { durationMinutes: 11 }, { 'If-Match': next })).status).toBe(200);
  });
});

describe('a performance that moves', () => {
  const patch = async (id: string, body: object) => {
    const { status } = await catalog.call('PATCH', `/svc/v3/catalog/performances/${id}`, { body });
    expect(status).toBe(200);
  };
  const movesOf = async (id: string) =>
    (await catalog.store.outbox.pending(1_000)).filter(({ key, type }) => key === id && type === 'performance.moved');

  test('to another time, time zone or venue is published, in the order of its versions; nothing else is', async () => {
    const { performance } = await createShow(catalog, createStalls(4));
    const { id, startDate, timeZone } = performance;
    const steps = [
      { startDate: '2031-06-01T18:30:00.000Z' },
      { durationMinutes: 90, salesTo: '2031-05-31T18:30:00.000Z' },
      { state: 'closed' },
      { timeZone: 'Europe/Athens', seatCategories: [{ id: performance.seatCategories[0]?.id, capacity: 6 }] },
      { venue: { city: 'Genève' } },
      { venue: { city: 'Genève' } },
      { startDate, timeZone, venue: { city: null } },
    ];
    for (const step of steps) await patch(id, step);
    const moves = await movesOf(id);
    const hall = { name: 'Main hall', city: null };
    const movedAt = expect.any(String);
    expect(moves.map(({ data }) => data)).toEqual([
      { performanceId: id, movedAt, startDate: '2031-06-01T18:30:00.000Z', timeZone, venue: hall },
      { performanceId: id, movedAt, startDate: '2031-06-01T18:30:00.000Z', timeZone: 'Europe/Athens', venue: hall },
      {
        performanceId: id,
        movedAt,
        startDate: '2031-06-01T18:30:00.000Z',
        timeZone: 'Europe/Athens',
        venue: { ...hall, city: 'Genève' },
      },
      { performanceId: id, movedAt, startDate, timeZone, venue: hall },
    ]);
    const versions = moves.map(({ version }) => version);
    expect(versions).toEqual([...new Set(versions)].sort((one, other) => one - other));
  });

  test('is published again after a restore, and one that never moved is not', async () => {
    const [moved, other] = [await createShow(catalog, createStalls(1)), await createShow(catalog, createStalls(1))];
    await patch(moved.performance.id, { venue: { name: 'Odeon' } });
    await patch(other.performance.id, { durationMinutes: 60 });
    const again = new Map<string, object>();
    for await (const { type, key, data } of currentFacts.read(catalog.store))
      if (type === 'performance.moved') again.set(key, data);
    expect(again.get(moved.performance.id)).toMatchObject({ venue: { name: 'Odeon', city: null } });
    expect(again.has(other.performance.id)).toBe(false);
  });
});
