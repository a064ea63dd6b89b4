// rule commerce.4: Family B shows what is paid | services/catalog/src/feed/shop.ts

import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import type { Static } from 'typebox';
import type { Pricing } from '../../src/pricing/offer.ts';
import { createShow, createStalls, createTariff, startCatalog } from '../fixture/service.ts';
import { changeDiscount, claimUses, createDiscount, createRule, makeCodes } from './discounts.ts';

interface Answered {
  readonly mark: string;
  readonly published: { readonly tariffs: readonly { readonly id: string; readonly hidden: boolean }[] } | null;
  readonly pricing: Static<typeof Pricing> | null;
}

const catalog = useFixture(() => startCatalog());

test('shops are told of fees and automatic discounts with their free uses now, though the catalog is as before', async () => {
  const on = await catalog.ofAnotherInstitution();
  const read = async (mark = '') => (await on.call<Answered>('GET', `/internal/shop/products?mark=${mark}`)).data;
  await createShow(on, createStalls(5));
  const hidden = await createTariff(on, { hidden: true });
  const { published, pricing } = await read();
  expect(pricing).toBeNull();
  expect(published?.tariffs.map((one) => one.hidden)).toEqual([false, true]);

  await createRule(on, 'fees', { per: 'ticket', amount: 150 });
  const { data: discount } = await createDiscount(on, { unlocks: [hidden.id], limits: { uses: 3 } });
  await createDiscount(on, { state: 'paused' });
  const { data: coded } = await createDiscount(on, { trigger: 'code' });
  await makeCodes(on, coded, { codes: [{ code: 'FRIENDS' }] });
  const { mark, pricing: priced } = await read();
  expect(priced).toMatchObject({ fees: [{ amount: 150 }], discounts: [{ id: discount.id, free: 3 }] });
  expect(priced?.discounts).toHaveLength(1);

  await claimUses(on, { [discount.id]: 2 });
  expect(await read(mark)).toMatchObject({ mark, published: null, pricing: { discounts: [{ free: 1 }] } });
  await changeDiscount(on, discount, { state: 'paused' });
  expect((await read(mark)).pricing?.discounts).toEqual([]);
});
