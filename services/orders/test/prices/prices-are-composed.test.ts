// rule commerce.4: Prices include taxes | services/orders/src/orders/prices.ts
// rule commerce.4: One use is one line | services/orders/src/orders/prices.ts
// rule commerce.4: Lines are priced again from their bases whenever lines, codes or contact | services/orders/src/domain/price.ts
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Hall, Prices } from '../fixture/catalog.ts';
import { createCodeDiscount, createDiscount } from '../fixture/discounts.ts';
import { type Call, describeOnEachEngine, type Order } from '../fixture/fixture.ts';

const vat = { id: 'tax_1', name: { en: 'VAT' }, rate: '8.1' };
const ofTicket = { id: 'fee_1', name: { en: 'Fee' }, per: 'ticket' as const, amount: 100, percent: null, roundTo: 1 };
const ofOrder = { ...ofTicket, id: 'fee_2', name: { en: 'Postage' }, per: 'order' as const, amount: 250 };
const everywhere = { taxId: null, channels: null };

describeOnEachEngine('prices of an order', (fixture) => {
  /** An institution with a hall of ten places at 1,000, and these prices. */
  const open = (prices: Prices) => {
    const institution = `i${randomUUID()}`;
    fixture.catalog.price(institution, prices);
    const hall = fixture.catalog.hall(10, { institution });
    const call: Call = { institution };
    const order = (places: number, more: object = {}) =>
      fixture.call('POST', '', { ...call, body: { items: [hall.item(places)], ...more } });
    const read = async (id: string) => (await fixture.call('GET', `/${id}`, call)).data;
    const patch = (id: string, body: object) => fixture.call('PATCH', `/${id}`, { ...call, body });
    return { hall, call, order, read, patch };
  };
  const amountsOf = ({ lines }: Pick<Order, 'lines'>) => lines.map(({ amount }) => amount);
  const statesOf = ({ codes }: Pick<Order, 'codes'>) => codes.map(({ code, state }) => `${code} ${state}`);
  const used = (uses: Hall) => fixture.catalog.count(uses);

  test('of a house without taxes, fees and discounts are bases, and no code is known', async () => {
    const institution = `i${randomUUID()}`;
    const items = [fixture.catalog.hall(2, { institution }).item(1)];
    const { data } = await fixture.call('POST', '', { institution, body: { items } });
    expect(data).toMatchObject({ fees: [], codes: [], total: 1_000 });
    const untaxed = [{ taxId: null, rate: null, net: 1_000, tax: 0, gross: 1_000 }];
    expect(data.taxes).toEqual(untaxed);
    expect(data.lines).toMatchObject([{ base: 1_000, components: [], amount: 1_000, taxes: untaxed }]);
    const coded = await fixture.call('POST', '', { institution, body: { items, codes: ['NONE1'] } });
    expect(coded.code).toBe('discount_unknown_code');
  });

  test('have discount, fees and taxes on their lines, and fees of the order once', async () => {
    const { order, call, hall } = open({
      taxes: [vat],
      fees: [
        { ...ofTicket, taxId: vat.id, channels: null },
        { ...ofTicket, id: 'fee_3', ...everywhere, channels: { pointsOfSale: ['elsewhere.example'], clientIds: [] } },
        { ...ofOrder, ...everywhere },
      ],
      discounts: [createDiscount('dsc_sale', { percent: '10' })],
    });
    fixture.catalog.describe(hall.tariffId, { taxId: vat.id });
    const quoted = await fixture.call('POST', '/quotes', { ...call, body: { items: [hall.item(2)] } });
    const { data } = await order(2);
    expect(data).toMatchObject({ total: 2_250, due: 2_250 });
    expect(data.lines).toMatchObject(
      Array.from({ length: 2 }, () => ({
        base: 1_000,
        amount: 1_000,
        components: [
          { kind: 'discount', id: 'dsc_sale', name: { en: 'dsc_sale' }, amount: -100 },
          { kind: 'fee', id: 'fee_1', amount: 100 },
        ],
        taxes: [{ taxId: vat.id, rate: '8.1', net: 925, tax: 75, gross: 1_000 }],
      })),
    );
    expect(data.fees).toMatchObject([{ kind: 'order', feeId: 'fee_2', amount: 250, lineId: null, changeId: null }]);
    expect(data.taxes).toEqual([
      { taxId: vat.id, rate: '8.1', net: 1_850, tax: 150, gross: 2_000 },
      { taxId: null, rate: null, net: 250, tax: 0, gross: 250 },
    ]);
    const { total, taxes, lines } = quoted.data as unknown as Order;
    expect([total, taxes]).toEqual([data.total, data.taxes]);
    expect(lines).toMatchObject(data.lines.map(({ components, amount }) => ({ components, amount })));
    const sold = await order(1, { payment: { method: 'card', amount: 1_000 } });
    expect(sold).toMatchObject({ status: 409, code: 'order_total_differs' });
    const paid = await order(1, { payment: { method: 'card', amount: 1_250 } });
    expect(paid.data).toMatchObject({ state: 'confirmed', total: 1_250, paid: 1_250, due: 0 });
    // Their tickets show it, too.
    const [issued] = fixture.tickets.issuesOf(paid.data.id);
    const [line] = paid.data.lines;
    expect(issued?.tickets.map(({ price }) => price)).toEqual([
      {
        ...{ amount: 1_000, currency: 'CHF', base: 1_000 },
        ...{ components: line?.components, taxes: line?.taxes },
      },
    ]);
  });

  describe('codes', () => {
    test('are refused before places: unknown ones, then used up, then of no use', async () => {
      const { order, hall } = open({
        discounts: [
          createCodeDiscount('GONE', { percent: '10' }),
          createCodeDiscount('MEMBER', { percent: '10' }, { criterion: 'member' }),
          createCodeDiscount('REAL', { percent: '10' }),
        ],
      });
      fixture.catalog.limit('dsc_GONE', 0);
      fixture.catalog.refuse(fixture.catalog.hall(1), 'not_on_sale');
      for (const places of [1, 11]) {
        const codes = (...all: string[]) => order(places, { codes: all });
        expect((await codes('NONE', 'GONE', 'MEMBER', 'REAL')).code).toBe('discount_unknown_code');
        expect((await codes('GONE', 'MEMBER', 'REAL')).code).toBe('discount_limit_reached');
        expect((await codes('MEMBER', 'REAL')).code).toBe('discount_not_applicable');
        expect((await codes('REAL')).code).toBe(places === 1 ? 'success' : 'order_places_unavailable');
      }
      expect(fixture.catalog.count(hall)).toMatchObject({ held: 1 });
      expect((await order(1, { codes: ['no'] })).code).toBe('validation_error');
      expect((await order(1, { codes: Array.from({ length: 11 }, (_, nth) => `CODE${nth}`) })).code).toBe(
        'validation_error',
      );
    });

    test('hold one use a line, of the discount and of the code; the sale uses them', async () => {
      const codes = [
        { code: 'ONE1', id: 'cod_one', free: null },
        { code: 'TWO2', id: 'cod_two', free: null },
      ];
      const { order, call } = open({ discounts: [createCodeDiscount('BOTH', { amount: 300 }, { codes })] });
      const [own, one] = [fixture.catalog.limit('dsc_BOTH', 3), fixture.catalog.limit('cod_one', 1)];
      const { data } = await order(4, { codes: ['one1', 'TWO2', 'One1'] });
      expect(amountsOf(data)).toEqual([700, 700, 700, 1_000]);
      expect(statesOf(data)).toEqual(['one1 applied', 'TWO2 applied']);
      expect([used(own), used(one)]).toEqual([
        { free: 0, held: 3, sold: 0 },
        { free: 0, held: 1, sold: 0 },
      ]);
      expect((await order(1, { codes: ['TWO2'] })).code).toBe('discount_limit_reached');
      await fixture.call('POST', `/${data.id}/payments`, {
        ...call,
        body: { method: 'card', amount: 3_100, status: 'captured' },
      });
      expect([used(own), used(one)]).toEqual([
        { free: 0, held: 0, sold: 3 },
        { free: 0, held: 0, sold: 1 },
      ]);
    });

    test('give their uses back with the line, with the code, and where the order is refused', async () => {
      const { order, call, patch, read } = open({ discounts: [createCodeDiscount('LIMIT', { amount: 300 })] });
      const uses = fixture.catalog.limit('dsc_LIMIT', 3);
      const { data } = await order(3, { codes: ['LIMIT'] });
      await fixture.call('DELETE', `/${data.id}/lines/${data.lines[0]?.id}`, call);
      expect(used(uses)).toEqual({ free: 1, held: 2, sold: 0 });
      const without = await patch(data.id, { codes: null });
      expect([without.status, amountsOf(without.data), statesOf(without.data)]).toEqual([200, [1_000, 1_000], []]);
      await fixture.later();
      expect(used(uses)).toEqual({ free: 3, held: 0, sold: 0 });
      expect(amountsOf((await patch(data.id, { codes: ['limit'] })).data)).toEqual([700, 700]);
      expect((await patch(data.id, { codes: ['LIMIT', 'OTHER'] })).code).toBe('discount_unknown_code');
      expect(statesOf(await read(data.id))).toEqual(['limit applied']);
      const refused = await order(1, { codes: ['LIMIT'], payment: { method: 'card', amount: 1 } });
      expect(refused.code).toBe('order_total_differs');
      expect(used(uses)).toEqual({ free: 1, held: 2, sold: 0 });
    });

    test('are applied while a line of the sold order has them, whatever waits for its payment', async () => {
      const discounts = [createCodeDiscount('HALF', { percent: '50' }, { usesPerOrder: 1 })];
      const { order, call, hall, read } = open({ discounts });
      const dear = fixture.catalog.hall(1, { institution: call.institution, amount: 4_000 });
      const { data } = await order(2, { codes: ['half'], confirmation: { onAccount: true } });
      expect(amountsOf(data)).toEqual([500, 1_000]);
      const [returned, exchanged] = data.lines.map(({ id }) => id);
      const change = async (body: object) => {
        const made = { ...call, body: { override: true, ...body } };
        const { data: changed } = await fixture.call<{ state: string }>('POST', `/${data.id}/changes`, made);
        return [changed?.state, ...statesOf(await read(data.id))];
      };
      const to = ({ performanceId, seatCategoryId, tariffId }: Hall) => ({
        exchanges: [{ lineId: exchanged, performanceId, seatCategoryId, tariffId }],
      });
      const back = { returns: [{ lineId: returned }], difference: -500 };
      expect(await change(back)).toEqual(['done', 'half not_matching']);
      expect(await change({ ...to(dear), difference: 1_000 })).toEqual(['pending', 'half not_matching']);
      const { change: id } = await read(data.id);
      await fixture.call('DELETE', `/${data.id}/changes/${id}`, call);
      expect(await change({ ...to(hall), difference: -500 })).toEqual(['done', 'half applied']);
    });

    test('are not looked at for a quarter of an hour once ten of a client were unknown; an order without is', async () => {
      const { order, call, hall, patch } = open({ discounts: [createCodeDiscount('REAL', { amount: 300 })] });
      const guess = (nth: number) => ({ codes: [`GUESS-${nth}`, `guess-${nth}`, `OTHER-${nth}`, 'REAL'] });
      for (const nth of [1, 2]) expect((await order(1, guess(nth))).code).toBe('discount_unknown_code');
      for (const nth of [3, 4, 5]) {
        const body = { items: [hall.item(1)], ...guess(nth) };
        expect((await fixture.call('POST', '/quotes', { ...call, body })).status).toBe(200);
      }
      const { data } = await order(1);
      for (const late of [await order(1, { codes: ['REAL'] }), await patch(data.id, { codes: ['REAL'] })]) {
        expect([late.status, late.code]).toEqual([429, 'too_many_requests']);
        expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect((await order(1)).status).toBe(201);
      expect((await order(1, { codes: [] })).status).toBe(201);
    });

    test('of one discount replace each other, with the uses that they bring', async () => {
      const codes = [
        { code: 'FIRST', id: 'cod_first', free: null },
        { code: 'OTHER', id: 'cod_other', free: null },
      ];
      const { order, patch } = open({ discounts: [createCodeDiscount('EITHER', { amount: 300 }, { codes })] });
      const first = fixture.catalog.limit('cod_first', 1);
      const { data } = await order(1, { codes: ['FIRST'] });
      const replaced = await patch(data.id, { codes: ['OTHER'] });
      expect([statesOf(replaced.data), replaced.data.total, used(first).free]).toEqual([['OTHER applied'], 700, 1]);
      const both = await patch(data.id, { codes: ['OTHER', 'FIRST'] });
      expect([statesOf(both.data), used(first).free]).toEqual([['OTHER applied', 'FIRST superseded'], 1]);
    });

    test('replace others while the order is open or reserved, not later', async () => {
      const { order, patch } = open({ discounts: [createCodeDiscount('LATE', { amount: 300 })] });
      const { data } = await order(1, { payment: { method: 'card', amount: 1_000 } });
      expect(await patch(data.id, { codes: ['LATE'] })).toMatchObject({ status: 412, code: 'order_confirmed' });
    });
  });

  test('stay while the place is held, whatever became of the discount, and follow lines and contact', async () => {
    const group = createDiscount('dsc_group', { amount: 200 }, { minPlaces: 2 });
    const { order, hall, call, read } = open({
      taxes: [vat],
      fees: [{ ...ofTicket, ...everywhere }],
      discounts: [group],
    });
    fixture.catalog.describe(hall.tariffId, { taxId: vat.id });
    const { data } = await order(2);
    expect(amountsOf(data)).toEqual([900, 900]);
    fixture.catalog.price(call.institution ?? '', { taxes: [{ ...vat, rate: '20' }] });
    const more = await fixture.call('POST', `/${data.id}/lines`, { ...call, body: { items: [hall.item(1)] } });
    expect(amountsOf(more.data)).toEqual([900, 900, 1_000]);
    expect(more.data.lines.map(({ taxes }) => taxes[0]?.rate)).toEqual(['8.1', '8.1', '20']);
    for (const line of more.data.lines.slice(1)) await fixture.call('DELETE', `/${data.id}/lines/${line.id}`, call);
    // The discount asks for two places; its line has the fee and the rate of the hold all the same.
    expect((await read(data.id)).lines).toMatchObject([{ amount: 1_100, taxes: [{ rate: '8.1' }, { rate: null }] }]);
  });

  test.each([
    ['waits for its payment', 'pending'],
    ['is sold', 'captured'],
  ])('stay where an order that %s gets another buyer, and no use is taken for them', async (_, status) => {
    const prices = { fees: [{ ...ofTicket, ...everywhere }] };
    const { order, call, patch } = open(prices);
    const { id, total } = (await order(1)).data;
    await fixture.call('POST', `/${id}/payments`, { ...call, body: { method: 'card', amount: total, status } });
    const discounts = [createDiscount('dsc_later', { amount: 300 })];
    fixture.catalog.price(call.institution ?? '', { ...prices, discounts });
    const uses = fixture.catalog.limit('dsc_later', 1);
    const contactNumber = `C${randomUUID()}`;
    fixture.contacts.known.set(contactNumber, null);
    fixture.catalog.calls.length = 0;
    expect(await patch(id, { contactNumber })).toMatchObject({ status: 200, data: { total, contactNumber } });
    expect(used(uses)).toEqual({ free: 1, held: 0, sold: 0 });
    expect(fixture.catalog.calls.filter(({ operation }) => operation === 'holdUses')).toEqual([]);
  });

  test('of a limited automatic discount that runs out are left as they are, and refuse nobody', async () => {
    const { order } = open({ discounts: [createDiscount('dsc_first', { amount: 500 })] });
    const uses = fixture.catalog.limit('dsc_first', 3);
    expect(amountsOf((await order(2)).data)).toEqual([500, 500]);
    expect(amountsOf((await order(2)).data)).toEqual([500, 1_000]);
    const rest = await order(2);
    expect([rest.status, amountsOf(rest.data), used(uses).free]).toEqual([201, [1_000, 1_000], 0]);
  });

  test('follow uses that lines leave: another line has them, or they are free when the answer comes', async () => {
    const { order, patch, read, call } = open({ discounts: [createCodeDiscount('THREE', { amount: 300 })] });
    const uses = fixture.catalog.limit('dsc_THREE', 3);
    const { data } = await order(4, { codes: ['THREE'] });
    expect(amountsOf(data)).toEqual([700, 700, 700, 1_000]);
    const remove = async (line: Order['lines'][number] | undefined) =>
      (await fixture.call('DELETE', `/${data.id}/lines/${line?.id}`, call)).data;
    const passedOn = await remove(data.lines[0]);
    expect([amountsOf(passedOn), used(uses)]).toEqual([[700, 700, 700], { free: 0, held: 3, sold: 0 }]);
    const rest = await remove(passedOn.lines[0]);
    expect([amountsOf(rest), used(uses)]).toEqual([[700, 700], { free: 1, held: 2, sold: 0 }]);
    const key = randomUUID();
    const withdraw = () => fixture.call('PATCH', `/${data.id}`, { ...call, body: { codes: [] }, key });
    const withdrawn = await withdraw();
    expect(amountsOf(withdrawn.data)).toEqual([1_000, 1_000]);
    expect([withdrawn.data, (await withdraw()).data]).toEqual([await read(data.id), withdrawn.data]);
    expect(used(uses)).toEqual({ free: 3, held: 0, sold: 0 });
    expect(amountsOf((await patch(data.id, { codes: ['THREE'] })).data)).toEqual([700, 700]);
    expect(used(uses)).toEqual({ free: 1, held: 2, sold: 0 });
  });

  test('that are quoted have every refusal: each of the codes, and the items whose tariff is locked', async () => {
    const { hall, call } = open({
      discounts: [
        createCodeDiscount('GONE', { amount: 300 }),
        createCodeDiscount('LATE', { amount: 300 }, { state: 'paused' }),
      ],
    });
    fixture.catalog.limit('dsc_GONE', 0);
    const tariffId = fixture.catalog.tariff(hall, 400);
    fixture.catalog.describe(tariffId, { hidden: true });
    const items = [hall.item(1), { ...hall.item(2), tariffId }];
    const body = { items, codes: ['GONE', 'LATE', 'NONE'] };
    const quoted = await fixture.call<{ refusals: readonly object[] }>('POST', '/quotes', { ...call, body });
    expect(quoted.data.refusals).toMatchObject([
      { item: null, status: 'discount_unknown_code' },
      { item: null, status: 'discount_limit_reached' },
      { item: null, status: 'discount_not_applicable' },
      { item: 1, status: 'order_tariff_locked' },
    ]);
  });

  test('of many buyers at once have no use twice', async () => {
    const { order, hall } = open({ discounts: [createDiscount('dsc_rush', { amount: 500 })] });
    const uses = fixture.catalog.limit('dsc_rush', 4);
    const made = await Promise.all(Array.from({ length: 10 }, () => order(1)));
    expect(made.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
    expect(made.filter(({ data }) => data.total === 500)).toHaveLength(4);
    expect([used(uses), fixture.catalog.count(hall).held]).toEqual([{ free: 0, held: 4, sold: 0 }, 10]);
  });

  test('of a hidden tariff need a discount that unlocks it, also later', async () => {
    const unlocks = ['trf_secret'];
    const { order, hall, patch, call } = open({ discounts: [createCodeDiscount('OPENS', null, { unlocks })] });
    const tariffId = fixture.catalog.tariff(hall, 400);
    fixture.catalog.price(call.institution ?? '', {
      discounts: [createCodeDiscount('OPENS', null, { unlocks: [tariffId] })],
    });
    fixture.catalog.describe(tariffId, { hidden: true });
    const items = [{ ...hall.item(1), tariffId }];
    expect((await order(1, { items })).code).toBe('order_tariff_locked');
    const made = await order(1, { items, codes: ['OPENS'] });
    expect(made.data).toMatchObject({ total: 400, lines: [{ components: [{ kind: 'discount', amount: 0 }] }] });
    expect((await patch(made.data.id, { codes: [] })).code).toBe('order_tariff_locked');
  });
});
