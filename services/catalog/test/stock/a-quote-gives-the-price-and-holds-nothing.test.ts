import { expect, test } from '@jest/globals';
import { availabilityOf, newShow, newTariff, stalls } from '../fixture/data.ts';
import { describeOnEachEngine } from '../fixture/service.ts';

interface Quotes {
  readonly outcome: string;
  readonly refusal: { readonly reason: string } | null;
  readonly quotes: readonly object[];
}

describeOnEachEngine('quotes', (catalog) => {
  const quote = async (item: object, pointOfSale?: string) =>
    (await catalog.call<Quotes>('POST', '/internal/stock/quotes', { body: { items: [item], pointOfSale } })).data;

  test('a quote returns price, currency and criterion of a tariff, and holds nothing', async () => {
    const show = await newShow(catalog, stalls(10));
    const item = { performanceId: show.performance.id, seatCategoryId: show.categoryId, tariffId: show.tariff.id };
    expect(await quote(item)).toEqual({
      outcome: 'quoted',
      refusal: null,
      quotes: [{ tariffId: show.tariff.id, criterion: null, name: show.tariff.name, amount: 4_200, currency: 'CHF' }],
    });
    expect(await availabilityOf(catalog, show)).toMatchObject({ free: 10, held: 0 });
  });

  test('a quote is refused as a hold is', async () => {
    const show = await newShow(catalog, stalls(10));
    const item = { performanceId: show.performance.id, seatCategoryId: show.categoryId, tariffId: show.tariff.id };
    const unpriced = await newTariff(catalog);
    const unknown = { outcome: 'refused', refusal: { reason: 'invalid_reference' }, quotes: [] };
    expect(await quote({ ...item, tariffId: unpriced.id })).toMatchObject(unknown);
    expect(await quote({ ...item, performanceId: 'prf_unknown' })).toMatchObject(unknown);
    expect(await quote(item, 'no.such.host')).toMatchObject(unknown);
    const closed = { body: { state: 'closed' } };
    await catalog.call('PATCH', `/svc/v3/catalog/performances/${show.performance.id}`, closed);
    expect(await quote(item)).toMatchObject({ outcome: 'refused', refusal: { reason: 'not_on_sale' } });
  });
});
