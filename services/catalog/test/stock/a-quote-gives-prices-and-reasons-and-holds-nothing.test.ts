import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  addPointOfSale,
  buildItem,
  buildPerformanceBody,
  createProduct,
  createShow,
  createStalls,
  createTariff,
  describeOnEachEngine,
  getHeldPlaceIds,
  hold,
  readAvailability,
  type Show,
} from '../fixture/service.ts';

interface Quote {
  readonly quotes: readonly { readonly item: number; readonly quantity: number; readonly amount: number }[];
  readonly refusals: readonly { readonly item: number | null; readonly reason: string; readonly details: string }[];
}

interface CartQuote {
  readonly outcome: string;
  readonly refusal: { readonly reason: string } | null;
  readonly quotes: readonly object[];
}

/** Of an institution without taxes, of the performances of the fixture. */
const plain = { startDate: '2031-05-01T18:30:00.000Z', taxId: null, hidden: false };

describeOnEachEngine('quotes', (catalog) => {
  describe('of an order give every reason for a refusal', () => {
    const quote = async (items: readonly object[], more: object = {}): Promise<Quote> =>
      (await catalog.call<Quote>('POST', '/internal/stock/order-quotes', { body: { items, ...more } })).data;
    const reasons = ({ refusals }: Quote) => refusals.map(({ item, reason }) => [item, reason]);

    test('prices by item, and nothing is held', async () => {
      const show = await createShow(catalog, createStalls(10));
      const answered = await quote([buildItem(show, { quantity: 3 }), buildItem(show)]);
      const { productId } = show.performance;
      const priced = { productId, criterion: null, amount: 4_200, currency: 'CHF', ...plain };
      expect(answered).toEqual({
        quotes: [
          { item: 0, quantity: 3, ...priced },
          { item: 1, quantity: 1, ...priced },
        ],
        refusals: [],
        pricing: null,
      });
      expect(await readAvailability(catalog, show)).toMatchObject({ free: 10, held: 0 });
      await catalog.call('PATCH', `/svc/v3/catalog/tariffs/${show.tariff.id}`, { body: { criterion: 'member' } });
      expect(await quote([buildItem(show)])).toMatchObject({ quotes: [{ criterion: 'member' }], refusals: [] });
    });

    test('unknown references, closed sales and missing places of several items, all at once', async () => {
      const [small, closed] = [await createShow(catalog, createStalls(2)), await createShow(catalog, createStalls(2))];
      await catalog.call('PATCH', `/svc/v3/catalog/performances/${closed.performance.id}`, {
        body: { state: 'closed' },
      });
      const answered = await quote(
        [buildItem(small, { quantity: 3 }), buildItem(closed), { ...buildItem(small), tariffId: 'trf_unknown' }],
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
      const show = await createShow(catalog, createStalls(4, [4]));
      const held = await hold(catalog, show, { quantity: 1 });
      const [taken = ''] = getHeldPlaceIds(held);
      const places = await catalog.call<{ items: { id: string }[] }>(
        'GET',
        `/svc/v3/catalog/performances/${show.performance.id}/places?state=free`,
      );
      const [one = '', other = ''] = places.data.items.map(({ id }) => id);
      const named = (...placeIds: string[]) => buildItem(show, { placeIds });
      expect(reasons(await quote([buildItem(show, { quantity: 1 }), named(one, other)]))).toEqual([]);
      expect(reasons(await quote([buildItem(show, { quantity: 2 }), named(one, other)]))).toEqual([
        [0, 'places_unavailable'],
      ]);
      expect(reasons(await quote([named(taken)]))).toEqual([[0, 'places_unavailable']]);
      expect(reasons(await quote([named(one), named(one), named('plc_unknown')]))).toEqual([
        [1, 'invalid_reference'],
        [2, 'invalid_reference'],
      ]);
    });

    test('the tariffs and the limit of a point of sale', async () => {
      const show = await createShow(catalog, createStalls(10));
      const tariffIds = [(await createTariff(catalog)).id];
      const pointOfSale = await addPointOfSale(catalog, { tariffIds, maxPlacesPerOrder: 2 });
      const answered = await quote([buildItem(show, { quantity: 2 }), buildItem(show)], { pointOfSale });
      expect(reasons(answered)).toEqual([
        [0, 'tariff_not_sold_here'],
        [1, 'tariff_not_sold_here'],
        [null, 'too_many_places'],
      ]);
    });
  });

  describe('of a cart give the price', () => {
    const quote = async (item: object, pointOfSale?: string) =>
      (await catalog.call<CartQuote>('POST', '/internal/stock/quotes', { body: { items: [item], pointOfSale } })).data;

    test('a quote returns price, currency and criterion of a tariff, and holds nothing', async () => {
      const show = await createShow(catalog, createStalls(10));
      const item = buildItem(show);
      expect(await quote(item)).toEqual({
        outcome: 'quoted',
        refusal: null,
        quotes: [
          {
            tariffId: show.tariff.id,
            criterion: null,
            name: show.tariff.name,
            amount: 4_200,
            currency: 'CHF',
            ...plain,
          },
        ],
        pricing: null,
      });
      expect(await readAvailability(catalog, show)).toMatchObject({ free: 10, held: 0 });
    });

    test('a quote is refused as a hold is', async () => {
      const show = await createShow(catalog, createStalls(10));
      const item = buildItem(show);
      const unpriced = await createTariff(catalog);
      const unknown = { outcome: 'refused', refusal: { reason: 'invalid_reference' }, quotes: [] };
      expect(await quote({ ...item, tariffId: unpriced.id })).toMatchObject(unknown);
      expect(await quote({ ...item, performanceId: 'prf_unknown' })).toMatchObject(unknown);
      expect(await quote(item, 'no.such.host')).toMatchObject(unknown);
      const closed = { body: { state: 'closed' } };
      await catalog.call('PATCH', `/svc/v3/catalog/performances/${show.performance.id}`, closed);
      expect(await quote(item)).toMatchObject({ outcome: 'refused', refusal: { reason: 'not_on_sale' } });
    });
  });

  describe('for the public', () => {
    let sold: { readonly id: string };
    let member: { readonly id: string };
    let unsold: { readonly id: string };
    let pointOfSale: string;

    beforeAll(async () => {
      [sold, member, unsold] = [
        await createTariff(catalog),
        await createTariff(catalog, { criterion: 'member' }),
        await createTariff(catalog),
      ];
      pointOfSale = await addPointOfSale(catalog, { tariffIds: [sold.id, member.id], maxPlacesPerOrder: 100 });
    });

    const newPublicShow = async (more: object = {}): Promise<Show> => {
      const prices = [sold, member, unsold].map(({ id }) => ({ seatCategory: 'STALLS', tariffId: id, amount: 3_000 }));
      const body = buildPerformanceBody(sold.id, [createStalls(3, [3])], { prices });
      const { data: product } = await createProduct(catalog, { performances: [body], ...more });
      const [performance] = product.performances;
      const categoryId = performance?.seatCategories[0]?.id;
      if (!performance || !categoryId) throw new Error('no performance was made');
      return { product, performance, tariff: sold as Show['tariff'], categoryId };
    };
    const quote = async (item: object, more: object = {}): Promise<Quote> => {
      const body = { items: [item], publicOnly: true, ...more };
      const { status, data } = await catalog.call<Quote>('POST', '/internal/stock/order-quotes', { body });
      expect(status).toBe(200);
      return data;
    };

    test('has the prices that the public catalogue shows', async () => {
      const show = await newPublicShow();
      const { productId } = show.performance;
      expect(await quote(buildItem(show, { quantity: 2 }))).toEqual({
        quotes: [{ item: 0, quantity: 2, productId, amount: 3_000, currency: 'CHF', criterion: null, ...plain }],
        refusals: [],
        pricing: null,
      });
    });

    test('reads what public access does not show like what never existed', async () => {
      const show = await newPublicShow();
      const preparing = await newPublicShow({ state: 'preparing' });
      const closed = await newPublicShow();
      const path = `/svc/v3/catalog/performances/${closed.performance.id}`;
      await catalog.call('PATCH', path, { body: { state: 'closed' } });
      const [placeId = ''] = getHeldPlaceIds(await hold(catalog, await newPublicShow(), { quantity: 1 }));
      const hidden: readonly [string, object, string][] = [
        ['trf_unknown', buildItem(show, { tariffId: member.id }), member.id],
        ['trf_unknown', buildItem(show, { tariffId: unsold.id }), unsold.id],
        ['prf_unknown', buildItem(preparing), preparing.performance.id],
        ['prf_unknown', buildItem(closed), closed.performance.id],
        ['plc_unknown', buildItem(show, { placeIds: [placeId] }), placeId],
      ];
      for (const [unknown, item, id] of hidden)
        for (const more of [{}, { pointOfSale }]) {
          const never = JSON.parse(JSON.stringify(item).replaceAll(id, unknown));
          const answered = await quote(item, more);
          expect(answered.refusals).toContainEqual(expect.objectContaining({ item: 0, reason: 'invalid_reference' }));
          expect(JSON.stringify(answered).replaceAll(id, unknown)).toBe(JSON.stringify(await quote(never, more)));
        }
    });

    test('tells of free places only whether there are some', async () => {
      const show = await newPublicShow();
      for (const quantity of [1, 3, 4, 50]) expect((await quote(buildItem(show, { quantity }))).refusals).toEqual([]);
      const twice = { items: [buildItem(show, { quantity: 50 }), buildItem(show, { quantity: 50 })] };
      expect((await quote({}, twice)).refusals).toEqual([]);
      await hold(catalog, show, { quantity: 3 });
      for (const quantity of [1, 50])
        expect((await quote(buildItem(show, { quantity }))).refusals).toMatchObject([
          { item: 0, reason: 'places_unavailable' },
        ]);
    });
  });
});
