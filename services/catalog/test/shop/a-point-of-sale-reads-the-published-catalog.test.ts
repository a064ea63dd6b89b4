import { expect, test } from '@jest/globals';
import { hold, newShow, type Product, stalls } from '../fixture/data.ts';
import { describeOnEachEngine } from '../fixture/service.ts';

interface Published {
  readonly mark: string;
  readonly published: {
    readonly languages: readonly string[];
    readonly products: readonly Product[];
    readonly tariffs: readonly { id: string }[];
  } | null;
}

describeOnEachEngine('the catalog for a point of sale', (its) => {
  const pos = { service: 'pos' };

  test('returns the published catalog in one answer, and null for an unchanged mark', async () => {
    const { product, tariff } = await newShow(its, stalls(2));
    const { data } = await its.call<Published>('GET', '/internal/shop/products', pos);
    expect(data.published?.products.map(({ id }) => id)).toContain(product.id);
    expect(data.published?.tariffs.map(({ id }) => id)).toContain(tariff.id);
    expect(data.published?.languages).toEqual(['fr', 'en']);
    const again = await its.call<Published>('GET', `/internal/shop/products?mark=${data.mark}`, pos);
    expect(again.data).toEqual({ mark: data.mark, published: null });
    await newShow(its, stalls(2));
    const changed = await its.call<Published>('GET', `/internal/shop/products?mark=${data.mark}`, pos);
    expect(changed.data.published?.products.length).toBeGreaterThan(1);
  });

  test('returns free places by performance and seat category, without unknown performances', async () => {
    const show = await newShow(its, stalls(5));
    await hold(its, show, { quantity: 2 });
    const ids = `${show.performance.id},prf_unknown`;
    const { data } = await its.call('GET', `/internal/shop/availability?performanceIds=${ids}`, pos);
    expect(data).toEqual({
      performances: [
        {
          performanceId: show.performance.id,
          seatCategories: [{ id: show.performance.seatCategories[0]?.id, capacity: 5, free: 3 }],
        },
      ],
    });
  });

  test('returns places in order, held ones not as free', async () => {
    const show = await newShow(its, stalls(3, [3]));
    await hold(its, show, { quantity: 1 });
    const path = `/internal/shop/performances/${show.performance.id}/places`;
    const { data } = await its.call<{ places: { label: string; free: boolean }[] }>('GET', path, pos);
    expect(data.places.map(({ label }) => label)).toEqual(['A-1', 'A-2', 'A-3']);
    expect(data.places.filter(({ free }) => free)).toHaveLength(2);
    const none = await its.call<{ places: [] }>('GET', `${path}?seatCategoryId=cat_unknown`, pos);
    expect(none.data.places).toEqual([]);
    const foreign = await its.call('GET', path, { ...pos, institution: 'nobody' });
    expect(foreign.status).toBe(404);
  });
});
