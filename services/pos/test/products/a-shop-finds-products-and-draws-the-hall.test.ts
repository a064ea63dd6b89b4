import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { findIn as findBy, type Wanted } from '../../src/domain/offer.ts';
import { GATEWAY_CACHE_MS } from '../../src/products/offers.ts';
import { formatVenueDay } from '../../src/products/showcase.ts';
import type { Show } from '../fixture/catalog.ts';
import { type Call, openFixture, waitUntil } from '../fixture/fixture.ts';

const fixture = useFixture(() => openFixture());

const at = (startDate: string, venue: string, timeZone = 'Europe/Zurich') => ({
  startDate,
  timeZone,
  venue: { name: venue },
});

const hall = 'Grande salle';
const studio = 'Studio';
const items = [
  {
    titles: ['La Bohème', 'Das Künstlerleben'],
    performances: [at('2027-03-12T19:00:00Z', hall), at('2027-03-14T19:00:00Z', studio)],
  },
  { titles: ['Boris'], performances: [at('2027-03-12T23:30:00Z', hall)] },
  { titles: ['Livre'], performances: [] },
];

const findIn = (all: typeof items, wanted: Wanted) =>
  findBy<ReturnType<typeof at>, (typeof items)[number]>(all, wanted, formatVenueDay);
const titles = (wanted: Wanted) => findIn(items, wanted).found.map(({ item }) => item.titles[0]);

describe('findIn', () => {
  test('a day is that of the place, whatever the hour', () => {
    expect(formatVenueDay({ startDate: '2027-03-12T23:30:00Z', timeZone: 'Europe/Zurich' })).toBe('2027-03-13');
    expect(formatVenueDay({ startDate: '2027-03-12T23:30:00Z', timeZone: 'America/New_York' })).toBe('2027-03-12');
    expect(titles({ from: '2027-03-13', to: '2027-03-13' })).toEqual(['Boris']);
    expect(titles({ from: '2027-03-13' })).toEqual(['La Bohème', 'Boris']);
    expect(titles({ to: '2027-03-12' })).toEqual(['La Bohème']);
  });

  test('words are found without case and accents, all of them, and nothing is wanted by nothing', () => {
    expect(titles({ q: ' BOHEME la' })).toEqual(['La Bohème']);
    expect(titles({ q: 'bo x' })).toEqual([]);
    expect(titles({ q: 'kunstler' })).toEqual(['La Bohème']);
    expect(titles({ q: 'boheme kunstler' })).toEqual([]);
    expect(titles({})).toEqual(['La Bohème', 'Boris', 'Livre']);
  });

  test('days are those at the venue, venues those on the days, and each match has its performances', () => {
    const { found, days, venues } = findIn(items, { venue: studio, from: '2027-03-14' });
    expect(found.map(({ performances }) => performances.length)).toEqual([1]);
    expect(days).toEqual({ '2027-03-14': 1 });
    expect(venues).toEqual([studio]);
    expect(findIn(items, { to: '2027-03-12' }).venues).toEqual([hall]);
    expect(findIn(items, { venue: hall }).days).toEqual({ '2027-03-12': 1, '2027-03-13': 1 });
  });
});

test('the programme of a point of sale: titles are found in every language of a product', async () => {
  const institution = 'programme';
  const { serviceHost: host } = fixture.catalog.pointOfSale({ institution });
  const name = { fr: 'Contes', de: 'Märchen' };
  const tale = fixture.catalog.show({ institution, name, startDate: '2031-05-02T18:00:00.000Z' });
  fixture.catalog.show({ institution, name: { fr: 'Nuit' }, startDate: '2031-05-01T18:00:00.000Z' });
  const goods = fixture.catalog.show({ institution, name, type: 'goods', entries: 'daily' });
  const find = (query: string) => fixture.call('GET', `/programme?${query}`, { host, version: 'vexp' });

  const all = await find('');
  expect([all.status, all.headers.get('x-total-amount')]).toEqual([200, '3']);
  const { text, data } = await find('type=show&q=marchen&from=2031-05-02&to=2031-05-02&lang=de');
  expect(data).toMatchObject({
    products: {
      [tale.product.id]: { name: 'Märchen', performances: 1, entries: null, performance: { id: tale.performanceId } },
    },
    days: { '2031-05-02': 1 },
  });
  expect(text).not.toContain(goods.product.id);
  // A title is found in every language of the product, and answered in that of the visitor.
  expect((await find('type=show&q=contes&lang=de')).data).toMatchObject({
    products: { [tale.product.id]: { name: 'Märchen' } },
  });
  expect((await find('type=goods')).data).toMatchObject({
    products: { [goods.product.id]: { performance: null, performances: 0, entries: 'daily' } },
    days: {},
    venues: [],
    types: ['show', 'goods'],
  });
  expect((await find('type=pass&q=nothing&venue=nowhere')).data).toMatchObject({
    products: {},
    types: ['show', 'goods'],
  });
  expect((await find('from=tomorrow')).code).toBe('invalid_parameter');
  expect((await fixture.call('GET', '/programme', { host })).status).toBe(404);
});

interface Plan {
  readonly areas: readonly { readonly name: string }[];
  readonly seats: Readonly<Record<string, { readonly free: boolean }>>;
}

describe('the plan of a hall', () => {
  let show: Show;
  beforeAll(() => {
    show = fixture.catalog.show({ capacity: 3, free: 2, numbered: true });
  });

  const pathOf = ({ product, performanceId }: Show) => `/products/${product.id}/performances/${performanceId}/seat-map`;
  const read = (of: Show, call: Call = {}, query = '') =>
    fixture.call<Plan & Readonly<Record<string, unknown>>>('GET', pathOf(of) + query, { version: 'vexp', ...call });
  const planCalls = () => fixture.catalog.calls.filter(({ operation }) => operation === 'getShopSeatMap').length;

  test('has areas in the language of the answer, and each seat by the id of its place, with whether it is free', async () => {
    const { status, data, headers } = await read(show);
    const { performanceId: id, seatCategoryId } = show;
    expect([status, data]).toEqual([
      200,
      {
        stage: { x: 0, y: 0, width: 100 },
        areas: [{ id: 'hall', name: 'Salle', seatCategoryId, outline: 'M0 10H100V30H0Z' }],
        seats: {
          [`plc_${id}_0`]: { areaId: 'hall', row: 'A', label: 'A-1', x: 0, y: 20, free: true },
          [`plc_${id}_1`]: { areaId: 'hall', row: 'A', label: 'A-2', x: 10, y: 20, free: true },
          [`plc_${id}_2`]: { areaId: 'hall', row: 'A', label: 'A-3', x: 20, y: 20, free: false },
        },
      },
    ]);
    expect(headers.get('x-internal-keep')).toBe(String(GATEWAY_CACHE_MS));
    expect((await read(show, {}, '?lang=en')).data.areas[0]?.name).toBe('Hall');
  });

  test('has no seats of an unnumbered category, and none that is withdrawn or not on the plan yet', async () => {
    expect((await read(fixture.catalog.show({ capacity: 3 }))).data).toMatchObject({
      areas: [{ id: 'hall' }],
      seats: {},
    });
    const other = fixture.catalog.show({ capacity: 2, numbered: true });
    const id = (index: number) => `plc_${other.performanceId}_${index}`;
    const seat = { areaId: 'hall', row: 'B', label: 'B-1', x: 0, y: 0 };
    other.plan = { ...other.plan, seats: { [id(0)]: seat, [id(7)]: seat } };
    expect(Object.keys((await read(other)).data.seats)).toEqual([id(0)]);
  });

  test('shows a sale within about a second, and a new plan once the performance has changed', async () => {
    const other = fixture.catalog.show({ capacity: 2, numbered: true });
    const freeNow = async () => Object.values((await read(other)).data.seats).filter(({ free }) => free).length;
    const before = planCalls();
    expect(await freeNow()).toBe(2);
    other.free = 1;
    await waitUntil(async () => (await freeNow()) === 1);
    expect(planCalls()).toBe(before + 1);
    other.plan = { ...other.plan, stage: { x: 1, y: 1, width: 1 } };
    fixture.catalog.touch(other);
    await waitUntil(async () => JSON.stringify((await read(other)).data.stage) === JSON.stringify(other.plan.stage));
  });

  test.each(['preparing', 'suspended', 'closed', 'cancelled'] as const)(
    'of a product that is %s is 404, as of an unknown one, and its places',
    async (state) => {
      const hidden = await read(fixture.catalog.show({ state }));
      const unknown = await fixture.call('GET', '/products/prd_x/performances/prf_x/seat-map', { version: 'vexp' });
      expect([hidden.status, hidden.code, hidden.text]).toEqual([404, 'not_found', unknown.text]);
    },
  );

  test('of a performance of another product, of another institution, and under v1 is 404', async () => {
    const other = fixture.catalog.show();
    const { serviceHost } = fixture.catalog.pointOfSale({ institution: 'museum' });
    const crossed = await read({ ...show, product: other.product });
    const statuses = [crossed, await read(show, { host: serviceHost }), await read(show, { version: 'v1' })];
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});
