// rule commerce.4: Uses are claimed with the places, by a conditional write like theirs | services/catalog/src/pricing/offer.ts

import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import type { Static } from 'typebox';
import type { Pricing } from '../../src/pricing/offer.ts';
import { buildItem, createCode, createShow, createStalls, startCatalog } from '../fixture/service.ts';
import { changeDiscount, claimUses, createDiscount, createRule, makeCodes } from './discounts.ts';

interface Answered {
  readonly pricing: Static<typeof Pricing> | null;
  readonly lines?: readonly object[];
  readonly quotes?: readonly object[];
}

describe('a hold and a quote', () => {
  const catalog = useFixture(() => startCatalog());

  const openHouse = async () => {
    const on = await catalog.ofAnotherInstitution();
    const show = await createShow(on, createStalls(50));
    const ask = async (codes?: readonly string[], quantity = 3) => {
      const given = codes ? { codes } : {};
      const [item, body] = [buildItem(show), { items: [{ ...buildItem(show), quantity }], ...given }];
      const held = { ...body, holder: `ord_${createCode()}`, requestId: 'one' };
      const answers = [
        await on.call<Answered>('POST', '/internal/stock/holds', { body: held }),
        await on.call<Answered>('POST', '/internal/stock/order-quotes', { body }),
        await on.call<Answered>('POST', '/internal/stock/quotes', { body: { items: [item], ...given } }),
      ];
      for (const { status } of answers) expect(status).toBe(200);
      return answers.map(({ data }) => data);
    };
    const create = async (path: string, more: object) => (await createRule(on, path, more)).data;
    return { on, show, ask, create };
  };

  test('answer none in an institution without taxes, fees and discounts', async () => {
    const { ask } = await openHouse();
    for (const { pricing } of await ask(['ANY-CODE'])) expect(pricing).toBeNull();
  });

  test('answer taxes, active fees and automatic discounts; the tax of a tariff before its product', async () => {
    const { on, show, ask, create } = await openHouse();
    const [ofProduct, ofTariff] = [await create('taxes', { rate: '8.1' }), await create('taxes', { rate: '2.6' })];
    const fee = await create('fees', { per: 'ticket', percent: '5', taxId: ofProduct.id });
    await create('fees', { per: 'ticket', amount: 1, state: 'paused' });
    const { data: discount } = await createDiscount(on, {
      effect: { price: 900 },
      limits: { uses: 4, usesPerOrder: 2 },
    });
    const { data: paused } = await createDiscount(on, { state: 'paused' });
    await claimUses(on, { [discount.id]: 1 });
    await on.call('PATCH', `/svc/v3/catalog/products/${show.product.id}`, { body: { taxId: ofProduct.id } });
    for (const { pricing, lines, quotes } of await ask()) {
      expect((lines ?? quotes)?.[0]).toMatchObject({ taxId: ofProduct.id, hidden: false });
      expect(pricing?.taxes.map(({ id, rate }) => [id, rate])).toEqual([
        [ofProduct.id, '8.1'],
        [ofTariff.id, '2.6'],
      ]);
      const share = { amount: null, percent: '5', roundTo: 1 };
      const charged = {
        id: fee.id,
        name: { en: 'Some' },
        per: 'ticket',
        ...share,
        taxId: ofProduct.id,
        channels: null,
      };
      expect(pricing?.fees).toEqual([charged]);
      expect(pricing?.discounts).toMatchObject([
        { id: discount.id, effect: { price: 900 }, usesPerOrder: 2, free: 3, codes: [], state: 'active' },
      ]);
      expect(pricing?.unknown).toEqual([]);
    }
    await on.call('PATCH', `/svc/v3/catalog/tariffs/${show.tariff.id}`, { body: { taxId: ofTariff.id, hidden: true } });
    await changeDiscount(on, discount, { state: 'paused' });
    await changeDiscount(on, paused, { state: 'active' });
    // As of the last write, on every instance.
    for (const { pricing, lines, quotes } of await ask()) {
      expect((lines ?? quotes)?.[0]).toMatchObject({ taxId: ofTariff.id, hidden: true });
      expect(pricing?.discounts.map(({ id }) => id)).toEqual([paused.id]);
    }
  });

  test('answer the discounts of known codes, each as it was first given, and which are unknown', async () => {
    const { on, ask } = await openHouse();
    const { data: discount } = await createDiscount(on, { trigger: 'code' });
    await makeCodes(on, discount, { codes: [{ code: 'SUMMER' }, { code: 'WINTER', maxUses: 2 }, { code: 'GONE' }] });
    const body = { code: 'GONE' };
    await on.call('POST', `/svc/v3/catalog/discounts/${discount.id}/codes/withdrawal`, { body });
    for (const { pricing } of await ask(['summer', 'WiNTER', 'SUMMER', 'gone', 'nothing'])) {
      expect(pricing?.discounts).toMatchObject([{ id: discount.id, trigger: 'code', free: null, state: 'active' }]);
      expect(pricing?.discounts[0]?.codes).toEqual([
        // Without a limit there are as many as the order has lines.
        { code: 'summer', id: expect.stringMatching(/^cod_/), free: expect.any(Number) },
        { code: 'WiNTER', id: expect.stringMatching(/^cod_/), free: 2 },
      ]);
      expect(pricing?.unknown).toEqual(['gone', 'nothing']);
    }
    // No further than the order has lines.
    for (const { pricing } of (await ask(['winter'], 1)).slice(0, 2))
      expect(pricing?.discounts[0]?.codes[0]?.free).toBe(1);
    await changeDiscount(on, discount, { state: 'paused' });
    const [{ pricing } = { pricing: null }] = await ask(['winter']);
    const [winter] = pricing?.discounts[0]?.codes ?? [];
    expect(pricing?.discounts[0]?.state).toBe('paused');
    await claimUses(on, { [winter?.id ?? '']: 2 });
    expect((await ask(['winter']))[0]?.pricing?.discounts[0]?.codes[0]?.free).toBe(0);
    for (const one of await ask()) expect(one.pricing?.discounts).toEqual([]);
  });
});
