// rule commerce.4: A checkout whose contact makes the cart dearer is 403 | services/orders/src/cart/prices.ts
// rule commerce.4: a code that is there changes nothing | services/orders/src/cart/prices.ts
// rule commerce.4: on it only such a discount matches | services/orders/src/domain/price-checks.ts
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Prices } from '../fixture/catalog.ts';
import { createCodeDiscount, createDiscount } from '../fixture/discounts.ts';
import { describeOnEachEngine } from '../fixture/fixture.ts';
import { createCartId, createContact, type Outcome, requireDone, type ShopOrder } from '../fixture/orders.ts';

const POINT_OF_SALE = 'tickets.opera.example';

describeOnEachEngine('prices of a cart', (fixture) => {
  /** An institution with a hall of ten places at 1,000, and these prices. */
  const open = (prices: Prices) => {
    const institution = `i${randomUUID()}`;
    fixture.catalog.price(institution, prices);
    const hall = fixture.catalog.hall(10, { institution });
    const id = createCartId();
    const address = randomUUID();
    const visitor = { orderId: id, pointOfSale: POINT_OF_SALE, address };
    const send = async (path: string, body?: object) =>
      (await fixture.shop<Outcome>('POST', path, { institution, body })).data;
    return {
      ...{ id, hall, institution, visitor },
      price: (others: Prices) => fixture.catalog.price(institution, others),
      add: (item: object = hall.item(), more: object = {}) =>
        send('/items', { ...visitor, requestId: randomUUID(), items: [{ ...item, ...more }] }),
      give: (code: string, more: object = {}) =>
        fixture.shop<Outcome>('POST', '/codes', { institution, body: { ...visitor, currency: 'CHF', code, ...more } }),
      drop: (discountId: string) => send(`/${id}/codes/${discountId}/removal`),
      change: (lineId: string | undefined, body: object) =>
        send(`/${id}/lines/${lineId}/change`, { requestId: randomUUID(), ...body }),
      buy: (body: object) =>
        send(`/${id}/checkout`, { requestId: 'buy', paymentMethod: 'simulated', paymentToken: 'ok', ...body }),
      priced: (body: object) => send(`/${id}/prices`, body),
      read: async () => (await fixture.shop<ShopOrder>('GET', `/${id}`, { institution })).data,
    };
  };
  const amountsOf = ({ lines }: Pick<ShopOrder, 'lines'>) => lines.map(({ amount }) => amount);
  const statesOf = ({ codes }: Pick<ShopOrder, 'codes'>) => codes.map(({ code, state }) => `${code} ${state}`);
  const guest = { guest: { lastName: 'Lipatti', email: 'dinu@example.org' } };
  const ofMembers = (id = 'dsc_member') => createDiscount(id, { amount: 300 }, { criterion: 'member' });

  describe('are those of the contact that was named last', () => {
    test('for all its items, in an addition or a change', async () => {
      const cart = open({ discounts: [ofMembers()] });
      const [member, other] = [createContact(fixture, 'member'), createContact(fixture)];
      expect(amountsOf(requireDone(await cart.add()))).toEqual([1_000]);
      const named = requireDone(await cart.add(cart.hall.item(), { contactNumber: member }));
      expect([amountsOf(named), named.contactNumber]).toEqual([[700, 700], null]);
      expect(amountsOf(requireDone(await cart.add()))).toEqual([700, 700, 700]);
      const [line] = named.lines;
      expect(requireDone(await cart.change(line?.id, { contactNumber: other })).total).toBe(3_000);
      expect(requireDone(await cart.change(line?.id, { beneficiaryFirstName: 'Clara' })).total).toBe(3_000);
      expect(requireDone(await cart.change(line?.id, { contactNumber: member })).total).toBe(2_100);
    });

    test('from the first item on', async () => {
      const cart = open({ discounts: [ofMembers()] });
      const contactNumber = createContact(fixture, 'member');
      expect(requireDone(await cart.add(cart.hall.item(2), { contactNumber })).total).toBe(1_400);
    });
  });

  describe('are those of the buyer at the checkout', () => {
    test('cheaper is sold cheaper', async () => {
      const cart = open({ discounts: [ofMembers()] });
      const uses = fixture.catalog.limit('dsc_member', 5);
      requireDone(await cart.add(cart.hall.item(2)));
      const contactNumber = createContact(fixture, 'member');
      const bought = requireDone(await cart.buy({ contactNumber }));
      expect(bought).toMatchObject({ state: 'confirmed', total: 1_400, paid: 1_400, contactNumber });
      expect(fixture.catalog.count(uses)).toEqual({ free: 3, held: 0, sold: 2 });
      expect(requireDone(await cart.buy({ contactNumber })).version).toBe(bought.version);
    });

    test('dearer is sold to nobody, and the cart stays as it was', async () => {
      const cart = open({ discounts: [ofMembers('dsc_loyal')] });
      const uses = fixture.catalog.limit('dsc_loyal', 5);
      const contactNumber = createContact(fixture, 'member');
      requireDone(await cart.add(cart.hall.item(2), { contactNumber }));
      const before = await cart.read();
      for (const buyer of [guest, { contactNumber: createContact(fixture) }]) {
        expect(await cart.buy(buyer)).toMatchObject({ outcome: 'refused', reason: 'dearer' });
        expect(await cart.read()).toEqual(before);
      }
      expect(fixture.catalog.count(uses)).toEqual({ free: 3, held: 2, sold: 0 });
      expect(requireDone(await cart.buy({ contactNumber }))).toMatchObject({ state: 'confirmed', total: 1_400 });
    });

    test('who has the same prices buys at them; a cart without composed prices is not priced again', async () => {
      const cart = open({ discounts: [createDiscount('dsc_all', { amount: 300 })] });
      requireDone(await cart.add(cart.hall.item(), { contactNumber: createContact(fixture, 'member') }));
      expect(requireDone(await cart.buy(guest))).toMatchObject({ state: 'confirmed', total: 700 });
    });

    test('are known before a page of a provider is opened; what was bought stays', async () => {
      const cart = open({ discounts: [ofMembers()] });
      requireDone(await cart.add());
      const contactNumber = createContact(fixture, 'member');
      expect(requireDone(await cart.priced({ contactNumber }))).toMatchObject({ due: 700, contactNumber: null });
      expect(await cart.priced({})).toMatchObject({ outcome: 'refused', reason: 'dearer', order: { due: 700 } });
      const bought = requireDone(await cart.buy({ contactNumber }));
      expect(requireDone(await cart.priced({}))).toEqual(bought);
    });
  });

  describe('with codes', () => {
    test('given before the first item, which begins the hold; a code that is there changes nothing', async () => {
      const cart = open({ discounts: [createCodeDiscount('SPRING', { amount: 300 })] });
      const uses = fixture.catalog.limit('dsc_SPRING', 3);
      const { data } = await cart.give('spring');
      const empty = requireDone(data);
      expect([empty.lines, empty.total, empty.currency, statesOf(empty)]).toEqual([
        [],
        0,
        'CHF',
        ['spring not_matching'],
      ]);
      expect(requireDone((await cart.give('SPRING')).data)).toEqual(empty);
      const filled = requireDone(await cart.add(cart.hall.item(2)));
      expect([amountsOf(filled), statesOf(filled)]).toEqual([[700, 700], ['spring applied']]);
      expect(Date.parse(String(filled.expiresAt))).toBeLessThan(Date.parse(String(empty.expiresAt)));
      expect(requireDone(await cart.buy(guest))).toMatchObject({ total: 1_400, ticketDelivery: 'electronic' });
      expect(fixture.catalog.count(uses)).toEqual({ free: 1, held: 0, sold: 2 });
    });

    test('that wait for items or a contact stay, those that are worse than another as well', async () => {
      const cart = open({
        discounts: [
          createCodeDiscount('MEMBER', { amount: 300 }, { criterion: 'member' }),
          createCodeDiscount('GROUP', { amount: 200 }, { minPlaces: 2 }),
          createCodeDiscount('SMALL', { amount: 100 }),
        ],
      });
      requireDone(await cart.add());
      for (const code of ['MEMBER', 'GROUP', 'SMALL']) requireDone((await cart.give(code)).data);
      expect(statesOf(await cart.read())).toEqual(['MEMBER contact_required', 'GROUP not_matching', 'SMALL applied']);
      const more = requireDone(await cart.add());
      expect([amountsOf(more), statesOf(more).slice(1)]).toEqual([
        [800, 800],
        ['GROUP applied', 'SMALL superseded'],
      ]);
      const contactNumber = createContact(fixture, 'member');
      const all = requireDone(await cart.add(cart.hall.item(), { contactNumber }));
      expect(statesOf(all)).toEqual(['MEMBER applied', 'GROUP superseded', 'SMALL superseded']);
      const left = requireDone(await cart.drop('dsc_MEMBER'));
      expect([amountsOf(left), statesOf(left)]).toEqual([
        [800, 800, 800],
        ['GROUP applied', 'SMALL superseded'],
      ]);
      expect(await cart.drop('dsc_MEMBER')).toMatchObject({ outcome: 'refused', reason: 'unknown_discount' });
    });

    test('are refused if they are unknown, not valid now, or used up, with or without a cart', async () => {
      const cart = open({
        discounts: [
          createCodeDiscount('PAUSED', { amount: 300 }, { state: 'paused' }),
          createCodeDiscount('EARLY', { amount: 300 }, { validFrom: '2099-01-01T00:00:00.000Z' }),
          createCodeDiscount('GONE', { amount: 300 }),
        ],
      });
      fixture.catalog.limit('dsc_GONE', 0);
      const reasonOf = async (code: string) => (await cart.give(code)).data.reason;
      expect(await Promise.all(['NONE1', 'PAUSED', 'EARLY'].map(reasonOf))).toEqual([
        'unknown_code',
        'code_not_applicable',
        'code_not_applicable',
      ]);
      expect((await fixture.shop('GET', `/${cart.id}`, { institution: cart.institution })).status).toBe(404);
      requireDone(await cart.add());
      expect(await Promise.all(['NONE1', 'PAUSED', 'EARLY', 'GONE'].map(reasonOf))).toEqual([
        'unknown_code',
        'code_not_applicable',
        'code_not_applicable',
        'code_used_up',
      ]);
      expect(statesOf(await cart.read())).toEqual([]);
    });

    test('that have run out or were withdrawn refuse no further item', async () => {
      const cart = open({ discounts: [createCodeDiscount('SHORT', { amount: 300 })] });
      fixture.catalog.limit('dsc_SHORT', 1);
      requireDone((await cart.give('SHORT')).data);
      expect(amountsOf(requireDone(await cart.add(cart.hall.item(2))))).toEqual([700, 1_000]);
      cart.price({ discounts: [createCodeDiscount('OTHER', { amount: 100 })] });
      const more = requireDone(await cart.add());
      expect([amountsOf(more), statesOf(more)]).toEqual([[700, 1_000, 1_000], ['SHORT applied']]);
      const other = open({ discounts: [createCodeDiscount('SHORT', { amount: 300 })] });
      requireDone((await other.give('SHORT')).data);
      other.price({ discounts: [createCodeDiscount('OTHER', { amount: 100 })] });
      expect(statesOf(requireDone(await other.add()))).toEqual(['SHORT unknown']);
      expect(statesOf(requireDone((await other.give('OTHER')).data))).toEqual(['OTHER applied']);
    });

    test('at most ten of them', async () => {
      const discounts = Array.from({ length: 11 }, (_, nth) => createCodeDiscount(`CODE${nth}`, { amount: nth }));
      const cart = open({ discounts });
      for (const { codes } of discounts.slice(0, 10)) requireDone((await cart.give(codes[0]?.code ?? '')).data);
      expect((await cart.give('CODE10')).data.reason).toBe('too_many_codes');
      requireDone(await cart.drop('dsc_CODE0'));
      requireDone((await cart.give('CODE10')).data);
    });

    test('are not looked at for a quarter of an hour once ten of an address were unknown; items are', async () => {
      const cart = open({ discounts: [createCodeDiscount('REAL', { amount: 300 })] });
      for (let nth = 0; nth < 10; nth += 1) expect((await cart.give(`NONE-${nth}`)).data.reason).toBe('unknown_code');
      const late = await cart.give('REAL');
      expect([late.status, late.code]).toEqual([429, 'too_many_requests']);
      expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
      requireDone(await cart.add());
      requireDone((await cart.give('REAL', { address: randomUUID() })).data);
      requireDone((await cart.give('REAL', { pointOfSale: 'other.opera.example' })).data);
      requireDone(await cart.drop('dsc_REAL'));
    });
  });

  test('of a hidden tariff need a discount that unlocks it, and keep its code', async () => {
    const cart = open({});
    const tariffId = fixture.catalog.tariff(cart.hall, 400);
    fixture.catalog.describe(tariffId, { hidden: true });
    cart.price({ discounts: [createCodeDiscount('OPENS', null, { unlocks: [tariffId] })] });
    const hidden = { ...cart.hall.item(1), tariffId };
    expect(await cart.add(hidden)).toMatchObject({ outcome: 'refused', reason: 'tariff_locked', order: null });
    const { lines } = requireDone(await cart.add());
    expect(await cart.change(lines[0]?.id, { tariffId })).toMatchObject({ reason: 'tariff_locked' });
    expect(await cart.add(hidden)).toMatchObject({ reason: 'tariff_locked', order: { total: 1_000 } });
    requireDone((await cart.give('OPENS')).data);
    expect(requireDone(await cart.add(hidden))).toMatchObject({ total: 1_400, lines: [{}, { amount: 400 }] });
    expect(await cart.drop('dsc_OPENS')).toMatchObject({ reason: 'tariff_locked', order: { total: 1_400 } });
    expect(statesOf(await cart.read())).toEqual(['OPENS applied']);
    const { lines: held } = requireDone(await cart.buy(guest));
    expect(held).toMatchObject([{ amount: 1_000 }, { amount: 400, components: [{ kind: 'discount', amount: 0 }] }]);
  });

  test('of an empty cart end with it, and hold nothing', async () => {
    const cart = open({ discounts: [createCodeDiscount('LONE', { amount: 300 })] });
    requireDone((await cart.give('LONE')).data);
    const [first, second] = await Promise.all([cart.add(), cart.add()]);
    expect([first?.outcome, second?.outcome]).toEqual(['done', 'done']);
    expect(amountsOf(await cart.read())).toEqual([700, 700]);
    const other = open({ discounts: [createCodeDiscount('LONE', { amount: 300 })] });
    const both = await Promise.all([other.give('LONE'), other.add()]);
    expect(both.map((one) => ('data' in one ? one.data : one).outcome)).toEqual(['done', 'done']);
    expect(await other.read()).toMatchObject({ total: 700, codes: [{ state: 'applied' }] });
  });
});
