// rule commerce.4: effect: {percent, roundTo?}, {amount}, {price} (exactly one) or null | services/catalog/src/domain/pricing.ts

import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { createShow, createStalls, createTariff, type Page, startCatalog } from '../fixture/service.ts';
import { changeDiscount, createDiscount, DISCOUNTS, type Discount, readDiscount } from './discounts.ts';

describe('discounts', () => {
  const catalog = useFixture(() => startCatalog());

  test('are made with what they say, and answered with all members', async () => {
    const { data, status } = await createDiscount(catalog, { effect: { percent: '12.50' } });
    expect([status, data]).toEqual([
      201,
      {
        ...{ id: expect.stringMatching(/^dsc_/), name: { en: 'Some' }, trigger: 'automatic', unlocks: [] },
        ...{ effect: { percent: '12.5', roundTo: 1 }, criterion: null, minPlaces: 1, limits: null, channels: null },
        ...{ productIds: null, performanceIds: null, tariffIds: null, validFrom: null, validTo: null },
        ...{ currency: 'CHF', state: 'active', usage: { held: 0, used: 0, free: null } },
        ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
      },
    ]);
    expect(await readDiscount(catalog, data)).toEqual(data);
    const same = await changeDiscount(catalog, data, data);
    expect([same.status, same.data]).toEqual([200, data]);
    const asRead = { headers: { 'If-Match': same.headers.get('etag') ?? '' } };
    const other = { effect: { percent: null, amount: 500 }, minPlaces: 4 };
    const changed = await changeDiscount(catalog, data, other, asRead);
    expect(changed.data).toMatchObject({ effect: { amount: 500 }, minPlaces: 4 });
    expect((await changeDiscount(catalog, data, {}, asRead)).status).toBe(412);
    expect((await catalog.call('DELETE', `${DISCOUNTS}/${data.id}`, { operation: 'none' })).status).toBe(405);
    expect((await catalog.call<Page<Discount>>('GET', DISCOUNTS)).data.items).toContainEqual(changed.data);
  });

  test('have exactly one effect, or unlock tariffs', async () => {
    const hidden = await createTariff(catalog, { hidden: true });
    const unlocking = await createDiscount(catalog, { effect: null, unlocks: [hidden.id] });
    expect(unlocking.data).toMatchObject({ effect: null, unlocks: [hidden.id] });
    const wrong = [
      ...[null, {}, { roundTo: 5 }, { amount: -1 }, { percent: '10', amount: 1 }, { amount: 1, price: 1 }],
      ...[{ percent: '101' }, { amount: 1, roundTo: 5 }, { price: 1, roundTo: 5 }],
    ];
    for (const effect of wrong) expect((await createDiscount(catalog, { effect })).status).toBe(400);
    const { data: fixed } = await createDiscount(catalog, { effect: { amount: 1 } });
    expect((await changeDiscount(catalog, fixed, { effect: { roundTo: 5 } })).status).toBe(400);
    expect((await changeDiscount(catalog, unlocking.data, { unlocks: [] })).status).toBe(400);
  });

  test('name what exists; their trigger does not change, and they end after they begin', async () => {
    const { product, performance, tariff } = await createShow(catalog, createStalls(1));
    const lists = { productIds: [product.id], performanceIds: [performance.id], tariffIds: [tariff.id] };
    const { data } = await createDiscount(catalog, lists);
    expect(data).toMatchObject(lists);
    const [early, late] = ['2031-01-01T00:00:00.000Z', '2031-02-01T00:00:00.000Z'];
    const wrong = [
      ...[{ productIds: ['prd_no'] }, { performanceIds: ['prf_no'] }],
      ...[{ tariffIds: ['trf_no'] }, { unlocks: ['trf_no'] }],
      ...[{ channels: { pointsOfSale: ['no.example'] } }, { currency: 'EUR' }, { validFrom: late, validTo: early }],
    ];
    for (const one of wrong)
      for (const refused of [await createDiscount(catalog, one), await changeDiscount(catalog, data, one)])
        expect([one, refused.status, refused.body.status]).toEqual([one, 422, 'validation_error']);
    expect((await changeDiscount(catalog, data, { trigger: 'code' })).status).toBe(422);
    expect((await changeDiscount(catalog, data, { productIds: [] })).data.productIds).toBeNull();
  });

  test('are seen by a client with bounds if they admit it, without usage; nobody public sees them', async () => {
    const { data: all } = await createDiscount(catalog);
    const { data: other } = await createDiscount(catalog, { channels: { clientIds: ['cli_other'] } });
    const { data: own } = await createDiscount(catalog, { channels: { clientIds: ['cli_other', 'cli_own'] } });
    const bounded = { client: 'cli_own', bounds: { ownOrders: true, pointsOfSale: [] } };
    const list = await catalog.call<Page<Discount>>('GET', `${DISCOUNTS}?limit=500`, bounded);
    const { usage: _, ...shown } = all;
    expect(list.data.items).toContainEqual(shown);
    const channels = list.data.items.find(({ id }) => id === own.id)?.channels;
    expect(channels).toEqual({ pointsOfSale: [], clientIds: ['cli_own'] });
    expect(list.text).not.toMatch(/"usage"|cli_other/);
    expect((await catalog.call('GET', `${DISCOUNTS}/${other.id}`, bounded)).status).toBe(404);
    const customer = { id: 'usr_1', role: 'customer', contact: 'C1', pointsOfSale: [] } as const;
    expect((await catalog.call('GET', DISCOUNTS, { user: customer })).status).toBe(403);
    for (const isPublic of [true, false])
      expect((await catalog.call('GET', '/svc/v3/catalog', { isPublic })).text).not.toContain(all.id);
  });
});
