// rule commerce.4: Family B shows what is paid, in v1, too | services/orders/src/cart/prices.ts
import { type Client, type Json, openClient, openVisitor, waitUntil } from '@boxoffice/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { must, usePartner, useSharedProduct } from '../product.ts';

const product = useSharedProduct();
const partner = usePartner(product);

const CATALOG = '/svc/v3/catalog';
const HOST = 'tickets.opera.example';
const BASE = 5_000;
const PAID = { paymentMethod: 'simulated', paymentToken: 'ok' };
const GUEST = { contact: { lastName: 'Lipatti', email: 'dinu@example.org' }, ...PAID };

describe('a shop sells at what its cart shows', () => {
  let item: { performanceId: string; seatCategoryId: string; tariffId: string };
  let hiddenId: string;
  let user: { login: string; password: string; contactNumber: string };
  let discounts: Record<'family' | 'friend' | 'code' | 'opens', string>;

  beforeAll(async () => {
    const own = (path: string, method?: string, body?: object) => must(partner, `${CATALOG}/${path}`, method, body);
    const tariff = await own('tariffs', 'POST', { code: 'SHOWN', name: { en: 'Shown' } });
    const hidden = await own('tariffs', 'POST', { code: 'UNSHOWN', name: { en: 'Unshown' }, hidden: true });
    const { tariffIds } = await own(`points-of-sale/${HOST}`);
    await own(`points-of-sale/${HOST}`, 'PATCH', { tariffIds: [...tariffIds, tariff.id, hidden.id] });
    const show = await own('products', 'POST', { code: 'shown', type: 'show', name: { en: 'Shown' } });
    const prices = [tariff, hidden].map(({ id: tariffId }) => ({ seatCategory: 'stalls', tariffId, amount: BASE }));
    const performance = await own(`products/${show.id}/performances`, 'POST', {
      ...{ startDate: new Date(Date.now() + 50 * 86_400_000).toISOString(), durationMinutes: 90 },
      ...{ timeZone: 'Europe/Zurich', venue: { name: 'Grand Théâtre', city: 'Genève' } },
      seatCategories: [{ code: 'stalls', name: { en: 'Stalls' }, numbered: false, capacity: 200 }],
      prices,
    });
    for (const state of ['validated', 'running']) await own(`products/${show.id}`, 'PATCH', { state });
    item = { performanceId: performance.id, seatCategoryId: performance.seatCategories[0].id, tariffId: tariff.id };
    hiddenId = hidden.id;
    const found = product.demo.users.find(({ serviceHost }) => serviceHost === HOST);
    if (!found) throw new Error(`demo.json has no user of ${HOST}`);
    user = found;
    const { criteria } = await must(partner, `/svc/v3/contacts/individuals/${user.contactNumber}`);
    const [criterion] = criteria;
    if (criterion === undefined) throw new Error('the user meets no criterion');
    const discount = async (name: string, body: object) =>
      (await own('discounts', 'POST', { name: { en: name }, trigger: 'automatic', productIds: [show.id], ...body })).id;
    discounts = {
      family: await discount('Family', { effect: { percent: '20' }, minPlaces: 4 }),
      friend: await discount('Friends', { effect: { amount: 700 }, criterion }),
      code: await discount('Spring', { trigger: 'code', effect: { amount: 500 } }),
      opens: await discount('Opens', { trigger: 'code', effect: null, unlocks: [hidden.id] }),
    };
    await own(`discounts/${discounts.code}/codes`, 'POST', { codes: [{ code: 'SHOWN-SPRING' }] });
    await own(`discounts/${discounts.opens}/codes`, 'POST', { codes: [{ code: 'SHOWN-OPENS' }] });
    const visitor = openVisitor(openClient(product.address), HOST);
    await waitUntil(async () => (await visitor(`/tnwr/v1/products/${show.id}`)).status === 200, { what: 'the show' });
  });

  const visit = () => openVisitor(openClient(product.address), HOST);
  const logIn = async () => {
    const visitor = visit();
    await must(visitor, '/tnwr/v1/sessions', 'POST', { login: user.login, password: user.password });
    return visitor;
  };
  const add = (visitor: Client, more: object = {}): Promise<Json> =>
    must(visitor, '/tnwr/vexp/shopping-cart/items', 'POST', { ...item, ...more });
  const buy = (visitor: Client, body: object) => visitor('/tnwr/vexp/orders', { method: 'POST', body });
  const itemsOf = ({ items }: Json): Json[] => Object.values(items);
  const feeOf = ({ components }: Json): number =>
    components.filter(({ kind }: Json) => kind === 'fee').reduce((sum: number, { amount }: Json) => sum + amount, 0);
  /** Whatever the fees of the house are: each item costs this, with them. */
  const expectBefore = (cart: Json, price: number): void => {
    for (const one of itemsOf(cart)) {
      expect([one.base, one.amount]).toEqual([BASE, price + feeOf(one)]);
      expect(one.taxes.reduce((sum: number, { gross }: Json) => sum + gross, 0)).toBe(one.amount);
    }
    const parts = [...itemsOf(cart), ...cart.fees].map(({ amount }: Json) => amount);
    expect(cart.total).toBe(parts.reduce((sum, amount) => sum + amount, 0));
  };
  /** In v1, in vexp and for the institution. */
  const expectSameTotals = async (visitor: Client, { id, total }: Json, path = `orders/${id}`): Promise<void> => {
    const totals = [`/tnwr/v1/${path}`, `/tnwr/vexp/${path}`].map((one) => must(visitor, one));
    const ofHouse = must(partner, `/svc/v3/orders/${id}`);
    expect((await Promise.all([...totals, ofHouse])).map((one) => one.total)).toEqual([total, total, total]);
  };

  test('with a discount from four places on, in v1, in vexp and for the institution', async () => {
    const visitor = visit();
    expectBefore(await add(visitor, { quantity: 3 }), BASE);
    const cart = await add(visitor);
    expectBefore(cart, 4_000);
    await expectSameTotals(visitor, cart, 'shopping-cart');
    const bought = (await buy(visitor, GUEST)).body.data;
    expect(bought).toMatchObject({ state: 'confirmed', total: cart.total, paid: cart.total });
    expectBefore(bought, 4_000);
    await expectSameTotals(visitor, bought);
  });

  test('with a code that was there before the first item, until another discount is cheaper', async () => {
    const visitor = visit();
    const give = (code: string) => visitor('/tnwr/vexp/shopping-cart/codes', { method: 'POST', body: { code } });
    const begun = await give('shown-spring');
    expect([begun.status, begun.body.data.total]).toEqual([201, 0]);
    expect(begun.body.data.codes).toMatchObject([{ code: 'shown-spring', state: 'not_matching' }]);
    expectBefore(await add(visitor), 4_500);
    expect((await give('SHOWN-SPRING')).body.data.codes).toMatchObject([{ state: 'applied' }]);
    const four = await add(visitor, { quantity: 3 });
    expect(four.codes).toMatchObject([{ state: 'superseded' }]);
    expectBefore(four, 4_000);
    const left = await must(visitor, `/tnwr/vexp/shopping-cart/codes/${discounts.code}`, 'DELETE');
    expect([left.codes, left.total]).toEqual([[], four.total]);
    const unknown = await give('SHOWN-NONE');
    expect([unknown.status, unknown.body.errorCode]).toEqual([400, 'discount_unknown_code']);
  });

  test('with a hidden tariff while its code is there', async () => {
    const visitor = visit();
    const locked = await visitor('/tnwr/v1/shopping-cart/items', {
      method: 'POST',
      body: { ...item, tariffId: hiddenId },
    });
    expect([locked.status, locked.body.errorCode]).toEqual([403, 'tariff_not_accessible']);
    await must(visitor, '/tnwr/vexp/shopping-cart/codes', 'POST', { code: 'SHOWN-OPENS' });
    expectBefore(await add(visitor, { tariffId: hiddenId }), BASE);
    const needed = await visitor(`/tnwr/vexp/shopping-cart/codes/${discounts.opens}`, { method: 'DELETE' });
    expect([needed.status, needed.body.errorCode]).toEqual([403, 'tariff_not_accessible']);
    expect((await buy(visitor, GUEST)).body.data).toMatchObject({ state: 'confirmed' });
  });

  test('cheaper for a buyer who has another discount', async () => {
    const visitor = await logIn();
    const cart = await add(visitor);
    expectBefore(cart, BASE);
    const bought = (await buy(visitor, { contactNumber: user.contactNumber, ...PAID })).body.data;
    expect(bought).toMatchObject({ state: 'confirmed', total: cart.total - 700, paid: cart.total - 700 });
    expectBefore(bought, 4_300);
    await expectSameTotals(visitor, bought);
  });

  test('to nobody for whom it would be dearer', async () => {
    const visitor = await logIn();
    const cart = await add(visitor, { contactNumber: user.contactNumber });
    expectBefore(cart, 4_300);
    const dearer = await buy(visitor, GUEST);
    expect([dearer.status, dearer.body.errorCode]).toEqual([403, 'tariff_not_accessible']);
    expect(await must(visitor, '/tnwr/vexp/shopping-cart')).toEqual(cart);
    const { contactNumber } = user;
    expect((await buy(visitor, { contactNumber, ...PAID })).body.data).toMatchObject({ total: cart.total });
  });
});
