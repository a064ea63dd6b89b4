// rule 1: Catalog entry points return pre-processed products | services/pos/src/products/views.ts
// rule 2: A product has `code`, `startDate` and the filter `type` | services/pos/src/description/products.ts

import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { computeAvailability, isOnSale, isOver, isShown } from '../../src/domain/offer.ts';
import { computePeriod } from '../../src/products/views.ts';
import { type Call, openFixture } from '../fixture/fixture.ts';
import { createGuestCheckout, createShopper, PAID } from '../fixture/shopper.ts';

type Product = Readonly<Record<string, unknown>> & { readonly id: string };

const fixture = useFixture(() => openFixture());

/** A point of sale of a new institution. */
const ownInstitution = () => {
  const institution = `i${Math.random().toString(36).slice(2)}`;
  const { serviceHost } = fixture.catalog.pointOfSale({ institution });
  const list = async (query = '', more: Call = {}) =>
    (await fixture.call<Record<string, Product>>('GET', `/products${query}`, { host: serviceHost, ...more })).data;
  return { institution, host: serviceHost, list };
};

describe('the list', () => {
  test('is a map by id of running products', async () => {
    const { institution, list } = ownInstitution();
    const show = fixture.catalog.show({ institution });
    for (const state of ['preparing', 'suspended', 'closed', 'cancelled'] as const)
      fixture.catalog.show({ institution, state });
    expect(await list()).toEqual({
      [show.product.id]: {
        id: show.product.id,
        code: show.product.code,
        type: 'show',
        name: 'Pièce',
        description: 'En trois actes',
        startDate: '2031-05-01T18:30:00.000Z',
        endDate: '2031-05-01T18:30:00.000Z',
        priceFrom: 4_500,
        currency: 'CHF',
        availability: 'available',
        onSale: true,
      },
    });
  });

  test('is ordered by startDate, then id', async () => {
    const { institution, list } = ownInstitution();
    const dates = ['2031-03-01T18:00:00.000Z', '2031-01-01T18:00:00.000Z', '2031-02-01T18:00:00.000Z'];
    for (const startDate of [...dates, ...dates]) fixture.catalog.show({ institution, startDate });
    const records = Object.values(await list());
    const keys = records.map(({ startDate, id }) => `${startDate} ${id}`);
    expect(keys).toEqual(keys.toSorted());
    expect(keys).toHaveLength(6);
  });

  test('is filtered by type; an unknown type is 400, an unknown parameter is ignored', async () => {
    const { institution, host, list } = ownInstitution();
    fixture.catalog.show({ institution });
    const pass = fixture.catalog.show({ institution, type: 'pass' });
    expect(Object.keys(await list('?type=pass&colour=red'))).toEqual([pass.product.id]);
    const { status, code } = await fixture.call('GET', '/products?type=concert', { host });
    expect([status, code]).toEqual([400, 'invalid_parameter']);
  });
});

describe('a product', () => {
  test('has its performances, seat categories and prices', async () => {
    const show = fixture.catalog.show({ free: 4, numbered: true });
    const { data } = await fixture.call('GET', `/products/${show.product.id}?lang=en`);
    expect(data).toMatchObject({ name: 'Play', availability: 'few' });
    expect(data.performances).toEqual([
      {
        id: show.performanceId,
        startDate: '2031-05-01T18:30:00.000Z',
        durationMinutes: 120,
        venue: { name: 'Main hall', city: null },
        timeZone: 'Europe/Zurich',
        salesFrom: null,
        salesTo: null,
        availability: 'few',
        onSale: true,
        seatCategories: [
          {
            id: show.seatCategoryId,
            name: 'Stalls',
            numbered: true,
            free: 4,
            prices: [{ tariffId: fixture.catalog.full.id, tariff: 'Tariff full', amount: 4_500 }],
          },
        ],
      },
    ]);
  });

  test('says under vexp, alone and in the list, how often its tickets admit, and v1 as before', async () => {
    const { institution, host } = ownInstitution();
    const [show, pass, once] = [
      fixture.catalog.show({ institution }),
      fixture.catalog.show({ institution, type: 'pass', entries: 'daily' }),
      fixture.catalog.show({ institution, type: 'membership', entries: 'once' }),
    ].map(({ product }) => product.id) as [string, string, string];
    const said = { [show]: null, [pass]: 'daily', [once]: 'once' };
    type Said = { readonly entries?: string | null };
    const list = async (version: 'v1' | 'vexp') =>
      Object.entries((await fixture.call<Record<string, Said>>('GET', '/products', { host, version })).data);
    const single = async (id: string, version: 'v1' | 'vexp') =>
      (await fixture.call<Said>('GET', `/products/${id}`, { host, version })).data;
    expect(Object.fromEntries((await list('vexp')).map(([id, { entries }]) => [id, entries]))).toEqual(said);
    for (const [id, entries] of Object.entries(said)) {
      expect(await single(id, 'vexp')).toMatchObject({ entries });
      expect(await single(id, 'v1')).not.toHaveProperty('entries');
    }
    for (const [, product] of await list('v1')) expect(product).not.toHaveProperty('entries');
  });

  test.each(['preparing', 'suspended', 'closed', 'cancelled'] as const)(
    'that is %s is 404, like an unknown one',
    async (state) => {
      const { institution, host } = ownInstitution();
      const { product } = fixture.catalog.show({ institution, state });
      const hidden = await fixture.call('GET', `/products/${product.id}`, { host });
      const unknown = await fixture.call('GET', '/products/prd_unknown', { host });
      expect([hidden.status, hidden.text]).toEqual([404, unknown.text]);
      for (const below of ['availabilities', 'performances/prf_1/places'])
        expect((await fixture.call('GET', `/products/${product.id}/${below}`, { host })).status).toBe(404);
    },
  );

  test('shows only tariffs of the point of sale, and priceFrom is their lowest price', async () => {
    const { institution, list } = ownInstitution();
    const show = fixture.catalog.show({
      institution,
      prices: { trf_elsewhere: 100, [fixture.catalog.full.id]: 4_500 },
    });
    expect((await list())[show.product.id]?.priceFrom).toBe(4_500);
  });

  test('whose sale has not started is not on sale, regardless of stock', async () => {
    const { institution, host } = ownInstitution();
    const show = fixture.catalog.show({ institution, salesFrom: '2031-01-01T00:00:00.000Z' });
    const { data } = await fixture.call('GET', `/products/${show.product.id}`, { host });
    expect(data).toMatchObject({ onSale: false, availability: 'available' });
  });

  test('has its places as a map by id, best first, with four links', async () => {
    const show = fixture.catalog.show({ capacity: 12, free: 3, numbered: true });
    const path = `/products/${show.product.id}/performances/${show.performanceId}/places`;
    const { data, headers } = await fixture.call(
      'GET',
      `${path}?seatCategoryId=${show.seatCategoryId}&limit=5&offset=1`,
    );
    expect(headers.get('x-total-amount')).toBe('12');
    expect(headers.get('link')).toContain('rel="previous"');
    expect(Object.values(data)).toHaveLength(5);
    expect(Object.values(data)[0]).toEqual({
      id: expect.any(String),
      label: 'A-2',
      row: 'A',
      seat: 2,
      seatCategoryId: show.seatCategoryId,
      free: true,
    });
    const none = await fixture.call('GET', `${path}?seatCategoryId=cat_unknown`);
    expect([none.status, none.code]).toEqual([400, 'invalid_parameter']);
    const foreign = await fixture.call('GET', `/products/${show.product.id}/performances/prf_unknown/places`);
    expect([foreign.status, foreign.code]).toEqual([404, 'not_found']);
  });

  test('has its availabilities as a map by performance', async () => {
    const show = fixture.catalog.show({ free: 0 });
    const { data } = await fixture.call('GET', `/products/${show.product.id}/availabilities`);
    expect(data).toEqual({
      [show.performanceId]: {
        startDate: '2031-05-01T18:30:00.000Z',
        availability: 'sold_out',
        seatCategories: [{ id: show.seatCategoryId, name: 'Parterre', free: 0 }],
      },
    });
  });
});

test.each([
  [0, 100, 'sold_out'],
  [1, 100, 'few'],
  [5, 10, 'few'],
  [6, 100, 'available'],
  [50, 1_000, 'few'],
  [51, 1_000, 'available'],
  [0, 0, 'sold_out'],
] as const)('%i of %i places: %s', (free, capacity, level) => {
  expect(computeAvailability(free, capacity)).toBe(level);
});

const PAST = '2024-05-01T18:30:00.000Z';
const at = (minutes: number) => Date.parse(PAST) + minutes * 60_000;
const dates = { salesFrom: null, salesTo: null };
const evening = { id: 'prf_1', startDate: PAST, durationMinutes: 60, state: 'on_sale', ...dates } as const;
const show = { type: 'show', endDate: null };
const pass = { type: 'pass', endDate: new Date(at(90)).toISOString() };

test.each([
  ['at its end', evening, show, 60],
  ['without an end at its start', { ...evening, durationMinutes: null }, show, 0],
  ['with the period of its product', { ...evening, durationMinutes: 1 }, pass, 90],
] as const)('a performance is over %s', (_, performance, product, minute) => {
  expect(isOver(performance, product, at(minute) - 1)).toBe(false);
  expect(isOver(performance, product, at(minute))).toBe(true);
  expect(isShown(performance, product, at(minute) - 1)).toBe(true);
  // While its duration is not known it may go on.
  expect(isShown(performance, product, at(minute))).toBe(performance.durationMinutes === null);
});

test('what has no end is never over; a performance is on sale between its dates, and not shown once cancelled', () => {
  expect(isOver({ ...evening, durationMinutes: null }, { type: 'pass', endDate: null }, at(1e6))).toBe(false);
  expect(isShown({ ...evening, state: 'cancelled' }, show, at(0))).toBe(false);
  expect(isOnSale(evening, show, at(0))).toBe(true);
  for (const more of [{ state: 'closed' }, { salesFrom: new Date(at(1)).toISOString() }, { salesTo: PAST }] as const)
    expect(isOnSale({ ...evening, ...more }, show, at(0))).toBe(false);
});

describe('startDate and endDate of a product', () => {
  const [first, last] = ['2027-01-01T19:00:00.000Z', '2027-01-04T19:00:00.000Z'];
  const performance = (startDate: string, state: 'on_sale' | 'cancelled' = 'on_sale') => ({ startDate, state });
  const own = { startDate: '2026-12-31T00:00:00.000Z', endDate: '2027-01-05T00:00:00.000Z' };
  const none = { startDate: null, endDate: null };

  test('are its own, else those of its performances', () => {
    const performances = [performance(last), performance(first)];
    expect(computePeriod({ ...own, performances })).toEqual(own);
    expect(computePeriod({ ...none, performances })).toEqual({ startDate: first, endDate: last });
    expect(computePeriod({ ...none, performances: [] })).toEqual(none);
  });

  test('are those of the remaining performances after a cancellation, its own if none remains', () => {
    expect(computePeriod({ ...own, performances: [performance(first, 'cancelled'), performance(last)] })).toEqual({
      startDate: last,
      endDate: last,
    });
    expect(computePeriod({ ...own, performances: [performance(first, 'cancelled')] })).toEqual(own);
  });
});

test('it is not on sale, and neither cart nor checkout takes it', async () => {
  const { product, performanceId, seatCategoryId } = fixture.catalog.show();
  const body = { performanceId, seatCategoryId, tariffId: fixture.catalog.full.id };
  const { token } = await fixture.call('POST', '/shopping-cart/items', { body });
  const [performance] = product.performances;
  Object.assign(performance ?? {}, { startDate: PAST, durationMinutes: null });
  fixture.catalog.show();
  const bought = await createShopper(fixture).buy(String(token), createGuestCheckout(PAID));
  expect([bought.status, bought.code]).toEqual([400, 'cart_not_on_sale']);
  const added = await fixture.call('POST', '/shopping-cart/items', { body });
  expect([added.status, added.code]).toEqual([400, 'cart_not_on_sale']);
  const over = fixture.catalog.show({ startDate: PAST }).product;
  Object.assign(over.performances[0] ?? {}, { durationMinutes: null });
  const shown = await fixture.call<{ onSale: boolean; performances: object[] }>('GET', `/products/${over.id}`);
  expect(shown.data).toMatchObject({ onSale: false, performances: [{ onSale: false }] });
});
