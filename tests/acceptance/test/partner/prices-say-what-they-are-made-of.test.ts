// rule commerce.4: Uses are claimed with the places | services/orders/src/orders/prices.ts
import { waitUntil } from '@boxoffice/testkit';
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
      ...{ code: 'BOOKING', name: { en: 'Booking fee' }, per: 'ticket', percent: '5', roundTo: 5, taxId, channels },
    });
    await full('fees', 'POST', { code: 'POST', name: { en: 'Postage' }, per: 'order', amount: 250, channels });
    const made = { name: { en: 'Friends' }, trigger: 'code', effect: { percent: '20' }, limits: { uses: 3 } };
    discount = (await full('discounts', 'POST', made)).id;
    await full(`discounts/${discount}/codes`, 'POST', { codes: [{ code: 'FRIENDS-27', maxUses: null }] });
    const show = await full('products', 'POST', { code: 'composed', type: 'show', name: { en: 'Composed' } });
    const performance = await full(`products/${show.id}/performances`, 'POST', {
      ...{ startDate: new Date(Date.now() + 40 * 86_400_000).toISOString(), durationMinutes: 120 },
      ...{ timeZone: 'Europe/Zurich', venue: { name: 'Grand Théâtre', city: 'Genève' } },
      seatCategories: [{ code: 'stalls', name: { en: 'Stalls' }, numbered: false, capacity: 20 }],
      prices: [{ seatCategory: 'stalls', tariffId: tariff.id, amount: 4_990 }],
    });
    for (const state of ['validated', 'running']) await full(`products/${show.id}`, 'PATCH', { state });
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
});
