// rule commerce.4: Uses are claimed with the places | services/orders/src/orders/prices.ts
// rule commerce.4: list prices are as for one place bought alone | services/pos/src/domain/list-price.ts

import { type Json, openClient, waitUntil } from '@boxoffice/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { must, usePartner, useSharedProduct } from '../product.ts';

const product = useSharedProduct();
const partner = usePartner(product);

const ORDERS = '/svc/v3/orders';
const CATALOG = '/svc/v3/catalog';
const SHOP = 'composed.example';

/** Fees at a point of sale of its own, so that no order of another test has them. */
describe('a partner sells at prices that say what they are made of', () => {
  let item: { performanceId: string; seatCategoryId: string; tariffId: string };
  let taxId: string;
  let discount: string;
  let show: string;

  const openPerformance = (tariffIds: readonly string[]) =>
    must(partner, `${CATALOG}/products/${show}/performances`, 'POST', {
      ...{ startDate: new Date(Date.now() + 40 * 86_400_000).toISOString(), durationMinutes: 120 },
      ...{ timeZone: 'Europe/Zurich', venue: { name: 'Grand Théâtre', city: 'Genève' } },
      seatCategories: [{ code: 'stalls', name: { en: 'Stalls' }, numbered: false, capacity: 20 }],
      prices: tariffIds.map((tariffId) => ({ seatCategory: 'stalls', tariffId, amount: 4_990 })),
    });

  beforeAll(async () => {
    const full = (path: string, method?: string, body?: object) => must(partner, `${CATALOG}/${path}`, method, body);
    taxId = (await full('taxes', 'POST', { code: 'COMPOSED', name: { en: 'VAT' }, rate: '8.10' })).id;
    const tariff = await full('tariffs', 'POST', { code: 'COMPOSED', name: { en: 'Full price' }, taxId });
    const { currency, languages } = await full('points-of-sale/tickets.opera.example');
    const sold = { paymentMethods: ['external'], maxPlacesPerOrder: 8, holdMinutes: 15 };
    await full('points-of-sale', 'POST', {
      ...{ serviceHost: SHOP, name: 'Composed', languages, currency, tariffIds: [tariff.id], ...sold },
    });
    const channels = { pointsOfSale: [SHOP] };
    await full('fees', 'POST', {
      ...{ code: 'COMPOSED', name: { en: 'Booking fee' }, per: 'ticket', percent: '5', roundTo: 5, taxId, channels },
    });
    await full('fees', 'POST', { code: 'POSTAGE', name: { en: 'Postage' }, per: 'order', amount: 250, channels });
    const made = { name: { en: 'Friends' }, trigger: 'code', effect: { percent: '20' }, limits: { uses: 3 } };
    discount = (await full('discounts', 'POST', made)).id;
    await full(`discounts/${discount}/codes`, 'POST', { codes: [{ code: 'FRIENDS-27', maxUses: null }] });
    show = (await full('products', 'POST', { code: 'composed', type: 'show', name: { en: 'Composed' } })).id;
    const performance = await openPerformance([tariff.id]);
    for (const state of ['validated', 'running']) await full(`products/${show}`, 'PATCH', { state });
    item = { performanceId: performance.id, seatCategoryId: performance.seatCategories[0].id, tariffId: tariff.id };
  });

  const readUsage = async () => (await must(partner, `${CATALOG}/discounts/${discount}`)).usage;
  const buy = (quantity: number, more: object = {}) =>
    partner(ORDERS, { method: 'POST', body: { pointOfSale: SHOP, items: [{ ...item, quantity }], ...more } });

  test('base, discount, fees and taxes; the quote names the total that a sale in one call pays', async () => {
    const body = { pointOfSale: SHOP, items: [{ ...item, quantity: 1 }], codes: ['friends-27'] };
    const quote = await must(partner, `${ORDERS}/quotes`, 'POST', body);
    // 4,990 less 998 is 3,992; its 5 % is 199.6, so 200; 4,192 include 314 of tax.
    expect(quote).toMatchObject({ available: true, total: 4_442, codes: [{ code: 'friends-27', state: 'applied' }] });
    const { data, status } = (await buy(1, { codes: ['friends-27'], payment: { method: 'card', amount: quote.total } }))
      .body;
    expect([status, data.state, data.total, data.due]).toEqual(['success', 'confirmed', 4_442, 0]);
    expect(data.lines).toMatchObject([
      {
        ...{ base: 4_990, amount: 4_192 },
        components: [
          { kind: 'discount', id: discount, amount: -998 },
          { kind: 'fee', amount: 200 },
        ],
        taxes: [{ taxId, rate: '8.1', net: 3_878, tax: 314, gross: 4_192 }],
      },
    ]);
    expect(data.fees).toMatchObject([{ kind: 'order', amount: 250, taxes: [{ taxId: null, gross: 250 }] }]);
    expect(await readUsage()).toEqual({ held: 0, used: 1, free: 2 });
    await must(partner, `${ORDERS}/${data.id}/cancellation`, 'POST', {});
    await waitUntil(async () => (await readUsage()).free === 3, { what: 'the use of a cancelled order' });
  });

  test('the last uses go to as many as there are, whoever asks at once', async () => {
    const replies = await Promise.all(Array.from({ length: 8 }, () => buy(1, { codes: ['FRIENDS-27'] })));
    const statuses = replies.map(({ status, body }) => `${status} ${body.status}`).sort();
    const refused = Array.from({ length: 5 }, () => '409 discount_limit_reached');
    expect(statuses).toEqual([...Array.from({ length: 3 }, () => '201 success'), ...refused]);
    expect(await readUsage()).toEqual({ held: 3, used: 0, free: 0 });
    const [made] = replies.filter(({ status }) => status === 201).map(({ body }) => body.data);
    const without = await must(partner, `${ORDERS}/${made?.id}`, 'PATCH', { codes: [] });
    expect([without.total, without.codes]).toEqual([4_990 + 250 + 250, []]);
    await waitUntil(async () => (await readUsage()).free === 1, { what: 'the use of a code that was left out' });
    const known = await buy(1, { codes: ['FRIENDS-99'] });
    expect([known.status, known.body.status]).toEqual([422, 'discount_unknown_code']);
  });

  const create = (path: string, body: object) => must(partner, `${CATALOG}/${path}`, 'POST', body);
  /** A performance at the full price and at a hidden tariff of its own. */
  const openWithHidden = async (code: string) => {
    const hidden = (await create('tariffs', { code, name: { en: 'Patrons' }, hidden: true })).id;
    const { tariffIds } = await must(partner, `${CATALOG}/points-of-sale/${SHOP}`);
    await must(partner, `${CATALOG}/points-of-sale/${SHOP}`, 'PATCH', { tariffIds: [...tariffIds, hidden] });
    return { hidden, performance: await openPerformance([item.tariffId, hidden]) };
  };
  const visit = (version: string, path: string, body?: object, token?: string) => {
    const headers = { 'x-service-host': SHOP, ...(token && { 'x-auth-token': token }) };
    return openClient(product.address)(`/tnwr/${version}${path}`, { headers, ...(body && { method: 'POST', body }) });
  };
  /** What the shop lists of the performance. */
  const readPrices = async (version: string, { id, productId }: Json, token?: string): Promise<readonly Json[]> => {
    const { performances } = (await visit(version, `/products/${productId}`, undefined, token)).body.data;
    return performances.find((one: Json) => one.id === id)?.seatCategories[0].prices ?? [];
  };

  test('each price that the shop lists is what a cart with this one place costs, in both versions', async () => {
    const { hidden, performance } = await openWithHidden('PATRONS');
    const made = { name: { en: 'Early' }, trigger: 'automatic', performanceIds: [performance.id] };
    await create('discounts', { ...made, effect: { percent: '12.5' }, unlocks: [hidden] });
    await create('discounts', { ...made, effect: { percent: '50' }, minPlaces: 2 });
    for (const version of ['v1', 'vexp']) {
      // 4,990 less 624 is 4,366; its 5 % is 218.3, so 220.
      const isPaid = ({ amount }: Json) => amount === 4_586;
      const read = async () => (await readPrices(version, performance)).filter(isPaid);
      await waitUntil(async () => (await read()).length === 2, { what: 'both tariffs in the list' });
      for (const { tariffId, amount } of await read()) {
        const place = { performanceId: performance.id, seatCategoryId: performance.seatCategories[0].id, tariffId };
        const { items } = (await visit(version, '/shopping-cart/items', { ...place, quantity: 1 })).body.data;
        expect(Object.values<Json>(items).map((one) => [one.tariffId, one.amount])).toEqual([[tariffId, amount]]);
      }
    }
  });

  test('a code of the cart shows the hidden tariff that it unlocks to its session, beside answers that others share', async () => {
    const { hidden, performance } = await openWithHidden('PRESS');
    const { id } = await create('discounts', {
      name: { en: 'Press' },
      trigger: 'code',
      effect: null,
      unlocks: [hidden],
    });
    await create(`discounts/${id}/codes`, { codes: [{ code: 'PRESS-27', maxUses: null }] });
    const list = async (token?: string) =>
      (await readPrices('vexp', performance, token)).map(({ tariffId }) => tariffId);
    const token = String((await visit('vexp', '/shopping-cart/codes', { code: 'press-27' })).headers['x-auth-token']);
    await waitUntil(async () => (await list(token)).length === 2, { what: 'both tariffs in the list' });
    for (let round = 0; round < 3; round += 1) {
      expect(await list()).toEqual([item.tariffId]);
      await visit('vexp', '/point-of-sale', undefined, token);
      expect(await list(token)).toEqual([item.tariffId, hidden]);
    }
  });
});
