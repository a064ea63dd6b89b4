// rule commerce.4: `prices[]` also have `withFees`, the ticket fees without channels included | services/catalog/src/pricing/ticket-fees.ts
// rule commerce.4: A `hidden` tariff is absent in family B and public access | services/catalog/src/feed/projection.ts

import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import {
  addPointOfSale,
  createShow,
  createStalls,
  createTariff,
  type Performance,
  type Product,
  startCatalog,
} from '../fixture/service.ts';
import { createRule } from './discounts.ts';

const BASE = '/svc/v3/catalog';

interface Feed {
  readonly products: readonly Product[];
  readonly tariffs: readonly { readonly id: string; readonly hidden: boolean }[];
  readonly taxes: readonly { readonly id: string }[];
  readonly fees: readonly { readonly id: string }[];
}

describe('what a place costs', () => {
  const catalog = useFixture(() => startCatalog());

  /** An institution of its own, with a running show of 4200 that a point of sale sells. */
  const openHouse = async () => {
    const on = await catalog.ofAnotherInstitution();
    const show = await createShow(on, createStalls(2));
    await on.call('PATCH', `${BASE}/products/${show.product.id}`, { body: { state: 'validated' } });
    await on.call('PATCH', `${BASE}/products/${show.product.id}`, { body: { state: 'running' } });
    const host = await addPointOfSale(on, { tariffIds: [show.tariff.id] });
    return { on, show, host };
  };
  const create = async (...rule: Parameters<typeof createRule>) => (await createRule(...rule)).data;
  const withFees = ({ prices }: Performance) => prices.map((price) => price.withFees);

  test('is with the active fees per ticket that have no channels, wherever prices are', async () => {
    const { on, show, host } = await openHouse();
    const paths = [`/performances/${show.performance.id}`, `/products/${show.product.id}`];
    const before = await Promise.all(paths.map((path) => on.call('GET', BASE + path)));
    expect(withFees(show.performance)).toEqual([4_200]);
    expect(show.product.priceFrom).toBe(4_200);
    const fee = await create(on, 'fees', { per: 'ticket', amount: 150 });
    await create(on, 'fees', { per: 'ticket', percent: '2.5', roundTo: 10 });
    await create(on, 'fees', { per: 'order', amount: 1_000 });
    await create(on, 'fees', { per: 'ticket', amount: 7, state: 'paused' });
    const foreign = await create(on, 'fees', { per: 'ticket', amount: 9, channels: { pointsOfSale: [host] } });
    // 2.5 % of 4200 is 105: half of a multiple of 10 goes away from zero.
    const price = 4_200 + 150 + 110;
    const [performance, product] = await Promise.all(
      paths.map((path) => on.call<Product & Performance>('GET', BASE + path)),
    );
    const list = await on.call<{ items: Performance[] }>('GET', `${BASE}/performances`);
    const listed = await on.call<{ items: Performance[] }>('GET', `${BASE}/products/${show.product.id}/performances`);
    const feed = await on.call<Feed>('GET', BASE);
    const seen = [performance?.data, product?.data.performances[0], list.data.items[0], listed.data.items[0]];
    for (const one of [...seen, feed.data.products[0]?.performances[0]])
      expect(withFees(one as Performance)).toEqual([price]);
    expect([product?.data.priceFrom, feed.data.products[0]?.priceFrom]).toEqual([4_200, 4_200]);
    for (const [index, one] of [performance, product].entries())
      expect(one?.headers.get('etag')).not.toBe(before[index]?.headers.get('etag'));
    // What was read can be written back.
    const body = { prices: performance?.data.prices };
    expect((await on.call('PATCH', BASE + paths[0], { body })).status).toBe(200);

    const shown = await on.call<Feed>('GET', BASE, { isPublic: true });
    const one = await on.call<Product>('GET', BASE + paths[1], { isPublic: true });
    for (const { priceFrom, performances } of [one.data, shown.data.products[0] as Product]) {
      expect(priceFrom).toBe(price);
      expect(performances.map(withFees)).toEqual([[price]]);
    }
    expect(feed.data.fees.map(({ id }) => id)).toContain(foreign.id);
    expect(shown.data.fees).toEqual(feed.data.fees.filter(({ id }) => id !== foreign.id));

    // Who keeps a copy hears of it.
    const since = new Date().toISOString();
    const copy = `${BASE}?modifiedSince=${since}`;
    expect((await on.call<Feed>('GET', copy)).data.products).toEqual([]);
    await on.call('PATCH', `${BASE}/fees/${fee.id}`, { body: { amount: 0 } });
    for (const isPublic of [false, true])
      expect((await on.call<Feed>('GET', copy, { isPublic })).data.products[0]?.performances.map(withFees)).toEqual([
        [price - 150],
      ]);
  });

  test('a place that costs nothing has no fee', async () => {
    const { on, show } = await openHouse();
    await create(on, 'fees', { per: 'ticket', amount: 150 });
    const prices = [{ seatCategory: 'STALLS', tariffId: show.tariff.id, amount: 0 }];
    const path = `${BASE}/performances/${show.performance.id}`;
    expect(withFees((await on.call<Performance>('PATCH', path, { body: { prices } })).data)).toEqual([0]);
  });

  test('includes a tax of its tariff or product; an unknown one is 422', async () => {
    const { on, show } = await openHouse();
    const tax = await create(on, 'taxes', { rate: '2.6' });
    const fee = await create(on, 'fees', { per: 'order', amount: 1 });
    const paths = [`${BASE}/tariffs/${show.tariff.id}`, `${BASE}/products/${show.product.id}`];
    for (const path of paths) {
      for (const taxId of ['tax_nowhere', fee.id])
        expect((await on.call('PATCH', path, { body: { taxId } })).body.status).toBe('validation_error');
      expect((await on.call('PATCH', path, { body: { taxId: tax.id } })).data).toMatchObject({ taxId: tax.id });
      expect((await on.call('GET', path)).data).toMatchObject({ taxId: tax.id });
      expect((await on.call('PATCH', path, { body: { taxId: null } })).data).toMatchObject({ taxId: null });
    }
    const { data } = await on.call<Feed>('GET', BASE, { isPublic: true });
    expect(data.taxes.map(({ id }) => id)).toEqual([tax.id]);
  });

  test('at a hidden tariff is not public; with a token it is shown as such', async () => {
    const { on, show, host } = await openHouse();
    const hidden = await createTariff(on, { hidden: true });
    expect(hidden.hidden).toBe(true);
    await on.call('PATCH', `${BASE}/points-of-sale/${host}`, { body: { tariffIds: [show.tariff.id, hidden.id] } });
    const prices = [show.tariff.id, hidden.id].map((tariffId, index) => ({
      ...{ seatCategory: 'STALLS', tariffId, amount: 4_200 - index * 1_000 },
    }));
    await on.call('PATCH', `${BASE}/performances/${show.performance.id}`, { body: { prices } });
    const [full, shown] = [await on.call<Feed>('GET', BASE), await on.call<Feed>('GET', BASE, { isPublic: true })];
    expect(full.data.tariffs.map((one) => [one.id, one.hidden])).toEqual([
      [show.tariff.id, false],
      [hidden.id, true],
    ]);
    expect(full.data.products[0]?.priceFrom).toBe(3_200);
    expect(shown.data.products[0]?.priceFrom).toBe(4_200);
    expect(shown.text).not.toContain(hidden.id);
    const open = await on.call('PATCH', `${BASE}/tariffs/${hidden.id}`, { body: { hidden: null } });
    expect(open.data).toMatchObject({ hidden: false });
    expect((await on.call<Feed>('GET', BASE, { isPublic: true })).data.products[0]?.priceFrom).toBe(3_200);
  });
});
