import { beforeAll, expect, test } from '@jest/globals';
import {
  addPointOfSale,
  createProduct,
  hold,
  itemOf,
  newTariff,
  performanceBody,
  placeIdsOf,
  type Show,
  stalls,
} from '../fixture/data.ts';
import { describeOnEachEngine } from '../fixture/service.ts';

interface Quote {
  readonly quotes: readonly { readonly item: number; readonly amount: number }[];
  readonly refusals: readonly { readonly item: number | null; readonly reason: string }[];
}

describeOnEachEngine('a public quote', (catalog) => {
  let sold: { readonly id: string };
  let member: { readonly id: string };
  let unsold: { readonly id: string };
  let pointOfSale: string;

  beforeAll(async () => {
    [sold, member, unsold] = [
      await newTariff(catalog),
      await newTariff(catalog, { criterion: 'member' }),
      await newTariff(catalog),
    ];
    pointOfSale = await addPointOfSale(catalog, { tariffIds: [sold.id, member.id], maxPlacesPerOrder: 100 });
  });

  const newShow = async (more: object = {}): Promise<Show> => {
    const prices = [sold, member, unsold].map(({ id }) => ({ seatCategory: 'STALLS', tariffId: id, amount: 3_000 }));
    const body = performanceBody(sold.id, [stalls(3, [3])], { prices });
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
    expect(await quote(itemOf(await newShow(), { quantity: 2 }))).toEqual({
      quotes: [{ item: 0, quantity: 2, amount: 3_000, currency: 'CHF', criterion: null }],
      refusals: [],
    });
  });

  test('reads what public access does not show like what never existed', async () => {
    const show = await newShow();
    const preparing = await newShow({ state: 'preparing' });
    const closed = await newShow();
    const path = `/svc/v3/catalog/performances/${closed.performance.id}`;
    await catalog.call('PATCH', path, { body: { state: 'closed' } });
    const [placeId = ''] = placeIdsOf(await hold(catalog, await newShow(), { quantity: 1 }));
    const hidden: readonly [string, object, string][] = [
      ['trf_unknown', itemOf(show, { tariffId: member.id }), member.id],
      ['trf_unknown', itemOf(show, { tariffId: unsold.id }), unsold.id],
      ['prf_unknown', itemOf(preparing), preparing.performance.id],
      ['prf_unknown', itemOf(closed), closed.performance.id],
      ['plc_unknown', itemOf(show, { placeIds: [placeId] }), placeId],
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
    const show = await newShow();
    for (const quantity of [1, 3, 4, 50]) expect((await quote(itemOf(show, { quantity }))).refusals).toEqual([]);
    const twice = { items: [itemOf(show, { quantity: 50 }), itemOf(show, { quantity: 50 })] };
    expect((await quote({}, twice)).refusals).toEqual([]);
    await hold(catalog, show, { quantity: 3 });
    for (const quantity of [1, 50])
      expect((await quote(itemOf(show, { quantity }))).refusals).toMatchObject([
        { item: 0, reason: 'places_unavailable' },
      ]);
  });
});
