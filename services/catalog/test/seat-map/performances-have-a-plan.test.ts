import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type DrawnMap, findSeatMapProblems, type SeatMap } from '../../src/domain/seat-map.ts';
import { computeBoundingPoints, isPath } from '../../src/domain/svg-path.ts';
import {
  buildPerformanceBody,
  createProduct,
  createStalls,
  createTariff,
  listPlaces,
  type Page,
  type Performance,
  readAvailability,
  startCatalog,
  type Tariff,
} from '../fixture/service.ts';

const plan = {
  stage: { x: 0, y: 0, width: 100 },
  areas: [
    {
      id: 'stalls',
      name: { fr: 'Parterre', en: 'Stalls' },
      seatCategory: 'STALLS',
      outline: 'M0 0H100V50Q50 70 0 50Z',
      rows: [
        { row: 'A', from: { x: 10, y: 10 }, to: { x: 90, y: 10 }, curve: 2.5 },
        { row: 'B', from: { x: 10, y: 20 }, to: { x: 90, y: 20 } },
      ],
    },
    { id: 'pit', name: { fr: 'Debout' }, seatCategory: 'PIT', outline: 'M0 60h100v20h-100z', rows: [] },
  ],
};

/** The plan with another first area. */
const withArea = (more: object) => ({ ...plan, areas: [{ ...plan.areas[0], ...more }, plan.areas[1]] });

const pit = { code: 'PIT', name: { en: 'Pit' }, numbered: false, capacity: 5 };

describe('the plan of a hall', () => {
  const catalog = useFixture(() => startCatalog());
  let tariff: Tariff;
  let productId = '';
  beforeAll(async () => {
    tariff = await createTariff(catalog);
    productId = (await createProduct(catalog)).data.id;
  });

  const body = (seatMap?: unknown) => ({
    ...buildPerformanceBody(tariff.id, [createStalls(5, [3, 2]), pit]),
    ...(seatMap === undefined ? {} : { seatMap }),
  });
  const performances = () => `/svc/v3/catalog/products/${productId}/performances`;
  const create = (seatMap?: unknown) => catalog.call<Performance>('POST', performances(), { body: body(seatMap) });
  const at = ({ id }: Pick<Performance, 'id'>) => `/svc/v3/catalog/performances/${id}`;
  const read = (performance: Performance) => catalog.call<Performance>('GET', at(performance));
  const patch = (performance: Performance, change: object, headers = {}) =>
    catalog.call<Performance>('PATCH', at(performance), { body: change, headers });
  const drawn = async (performance: Performance) =>
    (await catalog.call<DrawnMap>('GET', `/internal/shop/performances/${performance.id}/seat-map`, { service: 'pos' }))
      .data;

  test('is given at the creation, read, written back without effect, replaced, and removed', async () => {
    const created = await create(plan);
    expect([created.status, created.data.seatMap]).toEqual([201, plan]);
    const first = await read(created.data);
    expect(first.data).toEqual(created.data);
    const back = await patch(created.data, first.data, { 'If-Match': first.headers.get('etag') ?? '' });
    expect([back.status, back.data]).toEqual([200, first.data]);
    // The order of members does not matter.
    const { stage, areas } = plan;
    const again = await patch(created.data, {
      seatMap: { areas, stage: { width: 100, y: 0, x: 0 } },
      state: 'on_sale',
    });
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
    const moved = { ...plan, stage: { ...stage, y: -5 } };
    const changed = await patch(created.data, { seatMap: moved });
    expect([changed.status, changed.data.seatMap]).toEqual([200, moved]);
    expect(changed.headers.get('etag')).not.toBe(first.headers.get('etag'));
    const stale = await patch(created.data, { seatMap: plan }, { 'If-Match': first.headers.get('etag') ?? '' });
    expect(stale.status).toBe(412);
    expect((await patch(created.data, { seatMap: null })).data.seatMap).toBeNull();
    expect((await read(created.data)).data.seatMap).toBeNull();
    expect((await create()).data.seatMap).toBeNull();
  });

  test('is left out of lists, products, the feed and public access', async () => {
    const { data: created } = await create(plan);
    const answers = await Promise.all([
      catalog.call<Page<Performance>>('GET', performances()),
      catalog.call('GET', `/svc/v3/catalog/performances?productId=${productId}`),
      catalog.call('GET', `/svc/v3/catalog/products/${productId}`),
      catalog.call('GET', '/svc/v3/catalog'),
      catalog.call('GET', at(created), { isPublic: true }),
    ]);
    for (const { status, data } of answers) {
      expect([status, JSON.stringify(data).includes(created.id)]).toEqual([200, true]);
      expect(JSON.stringify(data)).not.toContain('outline');
    }
    const [item] = answers[0].data.items.filter(({ id }) => id === created.id);
    expect(item).not.toHaveProperty('seatMap');
    // So what a list shows can be written back.
    expect((await patch(created, { ...item })).data.seatMap).toEqual(plan);
    const { data: plain } = await create();
    expect((await catalog.call<Page<Performance>>('GET', performances())).data.items).toContainEqual(plain);
    expect((await catalog.call('GET', at(plain), { isPublic: true })).data).not.toHaveProperty('seatMap');
  });

  test.each([
    [400, withArea({ outline: '' }), '$.seatMap.areas[0].outline'],
    [400, withArea({ outline: `M0 0${'h1'.repeat(2_047)}` }), '$.seatMap.areas[0].outline'],
    [400, withArea({ id: 'cat_1' }), '$.seatMap.areas[0].id'],
    [400, withArea({ name: {} }), '$.seatMap.areas[0].name'],
    [
      400,
      withArea({ rows: [{ row: 'A', from: { x: 1e6, y: 0 }, to: { x: 0, y: 0 } }] }),
      '$.seatMap.areas[0].rows[0].from.x',
    ],
    [
      400,
      withArea({ rows: [{ row: 'A', from: { x: 1, y: '0' }, to: { x: 0, y: 0 } }] }),
      '$.seatMap.areas[0].rows[0].from.y',
    ],
    [400, { areas: plan.areas }, '$.seatMap.stage'],
    [400, { ...plan, areas: [] }, '$.seatMap.areas'],
    [422, withArea({ rows: [{ row: 'A', from: { x: 1, y: 2 }, to: { x: 1, y: 2 } }] }), '$.seatMap.areas[0].rows[0] '],
    [400, { ...plan, stage: { x: 0, y: 0, width: -1 } }, '$.seatMap.stage.width'],
    [422, withArea({ outline: 'M0 0L1' }), '$.seatMap.areas[0].outline'],
    [422, withArea({ id: 'pit' }), '$.seatMap.areas[1].id'],
    [422, withArea({ seatCategory: 'NONE' }), '$.seatMap.areas[0].seatCategory'],
    [422, withArea({ seatCategory: 'PIT' }), '$.seatMap.areas[0].rows'],
    [
      422,
      withArea({ rows: [{ row: 'C', from: { x: 1, y: 0 }, to: { x: 0, y: 0 } }] }),
      '$.seatMap.areas[0].rows[0].row',
    ],
    [422, { ...plan, areas: [plan.areas[0], { ...plan.areas[0], id: 'again' }] }, '$.seatMap.areas[1].rows[0].row'],
  ])('%d for a plan with a fault, at creation and change: %#', async (status, seatMap, path) => {
    const created = await create(seatMap);
    expect([created.status, created.body.details]).toEqual([status, expect.stringContaining(path)]);
    const { data } = await create(plan);
    const changed = await patch(data, { seatMap });
    expect([changed.status, changed.body.details]).toEqual([status, expect.stringContaining(path)]);
    const product = await createProduct(catalog, { performances: [body(seatMap)] as never });
    const below = path.replace('$', '$.performances[0]');
    expect([product.status, product.body.details]).toEqual([status, expect.stringContaining(below)]);
  });

  test('follows its seat categories: a removed row has no seats and can be written back, a new one is drawn below', async () => {
    const { data: created } = await create(plan);
    const [category] = created.seatCategories;
    const resize = (rows: readonly { row: string; seats: number }[], more: object = {}) =>
      patch(created, { seatCategories: [{ id: category?.id, rows }], ...more });
    const labels = async () =>
      Object.values((await drawn(created)).seats).map(({ areaId, label }) => `${areaId} ${label}`);
    const removed = await resize([
      { row: 'A', seats: 0 },
      { row: 'C', seats: 1 },
    ]);
    expect([removed.status, removed.data.seatMap]).toEqual([200, plan]);
    expect(await labels()).toEqual(['stalls B-1', 'stalls B-2', `${category?.id} C-1`]);
    expect((await patch(created, { seatMap: removed.data.seatMap })).status).toBe(200);
    // A row that the same request adds may have its line; a single seat is a point.
    const rows = [
      { row: 'C', from: { x: 0, y: 30 }, to: { x: 0, y: 30 } },
      { row: 'D', from: { x: 0, y: 40 }, to: { x: 10, y: 40 } },
    ];
    const added = await resize([{ row: 'D', seats: 2 }], { seatMap: withArea({ rows }) });
    expect(added.status).toBe(200);
    expect(await labels()).toContain('stalls D-2');
  });

  test('a place has the position of its id, and stock is as without a plan', async () => {
    const { data: created } = await create(plan);
    const items = await listPlaces(catalog, { performance: created });
    const { stage, areas, seats } = await drawn(created);
    expect(stage).toEqual(plan.stage);
    expect(areas.map(({ id, seatCategoryId }) => [id, seatCategoryId])).toEqual([
      ['stalls', created.seatCategories[0]?.id],
      ['pit', created.seatCategories[1]?.id],
    ]);
    const ofRows = items.filter(({ id }) => seats[id]);
    expect(ofRows.map(({ id, label }) => [label, seats[id]?.label])).toEqual(
      ['A-1', 'A-2', 'A-3', 'B-1', 'B-2'].map((label) => [label, label]),
    );
    expect(seats[ofRows[1]?.id ?? '']).toEqual({ areaId: 'stalls', row: 'A', label: 'A-2', x: 50, y: 12.5 });
    expect(await readAvailability(catalog, { performance: created })).toMatchObject({ capacity: 5, free: 5 });
  });

  test('an unknown performance is 404; one without a plan has a plain one', async () => {
    const unknown = await catalog.call('GET', '/internal/shop/performances/prf_unknown/seat-map', { service: 'pos' });
    expect(unknown.status).toBe(404);
    const { data } = await create();
    const { areas, seats } = await drawn(data);
    expect(areas.map(({ id }) => id)).toEqual(data.seatCategories.map(({ id }) => id));
    expect(Object.keys(seats)).toHaveLength(5);
  });
});

test('all areas of a plan together have 900 rows at most', () => {
  const problemsOf = (count: number) => {
    const rows = Array.from({ length: count }, (_, index) => ({ row: `R${index}`, seats: 1 }));
    const lines = rows.map(({ row }) => ({ row, from: { x: 0, y: 0 }, to: { x: 9, y: 0 } }));
    const [area] = plan.areas;
    const areas = [lines.slice(0, 450), lines.slice(450)].map((some, index) => ({
      ...area,
      id: `${index}`,
      rows: some,
    }));
    return findSeatMapProblems({ ...plan, areas } as SeatMap, [{ code: 'STALLS', numbered: true, rows }]);
  };
  expect([problemsOf(900), problemsOf(901)]).toEqual([[], ['$.seatMap.areas have 901 rows; at most 900 are allowed']]);
});

describe('an SVG path', () => {
  test.each([
    'M0 0',
    'M0 0L10 0 10 10z',
    'm-1.5.5-.5-1e1,2 3 ,4,5Z',
    ' M 1,2 H3V4C1 2 3 4 5 6S1 2 3 4Q1 2 3 4T5 6\n',
    'M0 0A10 10 0 00 20 0a5 5 0 1 1.5.5',
    'M0 0ZM5 5Z',
  ])('is %j', (text) => expect(isPath(text)).toBe(true));

  test.each([
    '',
    ' ',
    'L1 1',
    'M',
    'M0',
    'M0 0 1',
    'M,0 0',
    'M0 0,',
    'M0 0,L1 1',
    'M0,,0',
    'M0 0L',
    'M0 0Z5',
    'M0 0X1',
    'M0 0H1e999',
    'M0 0H100001',
    'M0 0Hinfinity',
    'M0 0HNaN',
    'M0 0A1 1 0 2 0 1 1',
    'M0 0"/><script>',
    'M1. 0',
    'M0 0L1 1;',
  ])('is not %j', (text) => expect(isPath(text)).toBe(false));

  test('is recognised in linear time', () => {
    expect(isPath(`M${'1'.repeat(4_000)}!`)).toBe(false);
    expect(isPath(`M0 0${' '.repeat(4_000)}!`)).toBe(false);
  });

  test('is any sequence of commands, as long as the first is a move', () => {
    const number = fc.double({ min: -1e5, max: 1e5, noNaN: true }).map(String);
    const step = fc.oneof(
      fc.tuple(fc.constantFrom('L', 'l', 'M', 't'), number, number),
      fc.tuple(fc.constantFrom('H', 'v'), number),
      fc.tuple(fc.constantFrom('c'), number, number, number, number, number, number),
      fc.tuple(fc.constant('z')),
    );
    fc.assert(
      fc.property(fc.array(step), fc.constantFrom(' ', ',', ' , '), (steps, gap) => {
        const text = `M0 0${steps.map(([name, ...numbers]) => name + numbers.join(gap)).join('')}`;
        expect([text, isPath(text)]).toEqual([text, true]);
      }),
    );
  });

  test.each([
    ['M1 2L3 4', [1, 2, 3, 4]],
    ['m1 2h2v2z', [1, 2, 3, 4]],
    ['M1 2l2 0 0 2m-1 0l-9 0', [-7, 2, 3, 4]],
    ['M0 0q5-5 10 0', [0, -5, 10, 0]],
    ['M0 0A5 5 0 0 1 10 0', [-5, -5, 15, 5]],
    ['M0 0A5 5 0 1 1 10 0', [-10, -10, 20, 10]],
  ])('%s lies within %j', (text, [left, top, right, bottom]) => {
    const points = computeBoundingPoints(text);
    const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
    expect([Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]).toEqual([left, top, right, bottom]);
  });
});
