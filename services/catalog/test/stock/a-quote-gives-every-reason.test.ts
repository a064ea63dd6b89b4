import type { OpenEngine } from '@boxoffice/service/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { availabilityOf, hold, newShow, newTariff, placeIdsOf, type Show, stalls } from '../fixture/data.ts';
import { engines, type Instance, newInstitution, startInstance } from '../fixture/service.ts';

interface Quote {
  readonly quotes: readonly { readonly item: number; readonly quantity: number; readonly amount: number }[];
  readonly refusals: readonly { readonly item: number | null; readonly reason: string; readonly details: string }[];
}

describe.each(engines)('a quote gives every reason for a refusal, on $name', (engine) => {
  let open: OpenEngine;
  let catalog: Instance;
  beforeAll(async () => {
    open = await engine.start();
    const store = await open.open();
    catalog = await startInstance(store, await newInstitution(store));
  });
  afterAll(async () => {
    await catalog?.close();
    await open.close();
  });

  const quote = async (items: readonly object[], more: object = {}): Promise<Quote> =>
    (await catalog.call<Quote>('POST', '/internal/stock/order-quotes', { body: { items, ...more } })).data;
  const reasons = ({ refusals }: Quote) => refusals.map(({ item, reason }) => [item, reason]);
  const itemOf = ({ performance, categoryId, tariff }: Show, more: object = {}) => ({
    performanceId: performance.id,
    seatCategoryId: categoryId,
    tariffId: tariff.id,
    ...more,
  });

  test('prices by item, and nothing is held', async () => {
    const show = await newShow(catalog, stalls(10));
    const answered = await quote([itemOf(show, { quantity: 3 }), itemOf(show)]);
    expect(answered).toEqual({
      quotes: [
        { item: 0, quantity: 3, amount: 4_200, currency: 'CHF' },
        { item: 1, quantity: 1, amount: 4_200, currency: 'CHF' },
      ],
      refusals: [],
    });
    expect(await availabilityOf(catalog, show)).toMatchObject({ free: 10, held: 0 });
  });

  test('unknown references, closed sales and missing places of several items, all at once', async () => {
    const [small, closed] = [await newShow(catalog, stalls(2)), await newShow(catalog, stalls(2))];
    await catalog.call('PATCH', `/svc/v3/catalog/performances/${closed.performance.id}`, { body: { state: 'closed' } });
    const answered = await quote(
      [itemOf(small, { quantity: 3 }), itemOf(closed), { ...itemOf(small), tariffId: 'trf_unknown' }],
      { pointOfSale: 'nowhere.example' },
    );
    expect(reasons(answered)).toEqual([
      [null, 'invalid_reference'],
      [2, 'invalid_reference'],
      [1, 'not_on_sale'],
      [0, 'places_unavailable'],
    ]);
    expect(answered.quotes.map(({ item }) => item)).toEqual([0, 1]);
  });

  test('items share the free places of their category, named ones first', async () => {
    const show = await newShow(catalog, stalls(4, [4]));
    const held = await hold(catalog, show, { quantity: 1 });
    const [taken = ''] = placeIdsOf(held);
    const places = await catalog.call<{ items: { id: string }[] }>(
      'GET',
      `/svc/v3/catalog/performances/${show.performance.id}/places?state=free`,
    );
    const [one = '', other = ''] = places.data.items.map(({ id }) => id);
    const named = (...placeIds: string[]) => itemOf(show, { placeIds });
    expect(reasons(await quote([itemOf(show, { quantity: 1 }), named(one, other)]))).toEqual([]);
    expect(reasons(await quote([itemOf(show, { quantity: 2 }), named(one, other)]))).toEqual([
      [0, 'places_unavailable'],
    ]);
    expect(reasons(await quote([named(taken)]))).toEqual([[0, 'places_unavailable']]);
    expect(reasons(await quote([named(one), named(one), named('plc_unknown')]))).toEqual([
      [1, 'invalid_reference'],
      [2, 'invalid_reference'],
    ]);
  });

  test('the tariffs and the limit of a point of sale', async () => {
    const show = await newShow(catalog, stalls(10));
    const serviceHost = `${show.product.code}.example`;
    await catalog.call('POST', '/svc/v3/catalog/points-of-sale', {
      body: {
        serviceHost,
        name: 'Shop',
        languages: ['en'],
        currency: 'CHF',
        tariffIds: [(await newTariff(catalog)).id],
        paymentMethods: [],
        maxPlacesPerOrder: 2,
        holdMinutes: 15,
      },
    });
    const answered = await quote([itemOf(show, { quantity: 2 }), itemOf(show)], { pointOfSale: serviceHost });
    expect(reasons(answered)).toEqual([
      [0, 'tariff_not_sold_here'],
      [1, 'tariff_not_sold_here'],
      [null, 'too_many_places'],
    ]);
  });
});
