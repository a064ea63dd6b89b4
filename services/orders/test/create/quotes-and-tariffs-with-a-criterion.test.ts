import { describe, expect, test } from '@jest/globals';
import type { Static } from 'typebox';
import type { OrderQuote } from '../../src/api/schemas.ts';
import { type Call, describeOnEachEngine, type Order, openFixture, type Reply } from '../fixture/fixture.ts';
import { createContact, pay } from '../fixture/orders.ts';

type Quote = Static<typeof OrderQuote>;

const seller: Call = { scopes: ['orders:read', 'orders:write'] };
const privileged: Call = { scopes: ['orders:read', 'orders:write', 'orders.sensitive:write'] };

describeOnEachEngine('quotes and tariffs', (fixture, engine) => {
  describe('a quote holds nothing and gives every refusal', () => {
    const quote = async (items: readonly object[], more: object = {}): Promise<Quote> => {
      const { status, data, text } = await fixture.call<Quote>('POST', '/quotes', { body: { items, ...more } });
      expect([status, text]).toEqual([200, text]);
      return data;
    };
    const codes = ({ refusals }: Quote) => refusals.map(({ item, status }) => [item, status]);

    test('what the order would cost, a line for each place', async () => {
      const [hall, other] = [fixture.catalog.hall(3), fixture.catalog.hall(2)];
      const before = fixture.catalog.calls.filter(({ operation }) => operation === 'holdPlaces').length;
      const quoted = await quote([hall.item(2), other.item(undefined, other.placeIds)]);
      expect(quoted).toMatchObject({ available: true, currency: hall.currency, refusals: [] });
      expect(quoted.lines).toEqual(
        [0, 0, 1, 1].map((item) => {
          const { performanceId, seatCategoryId, tariffId, amount } = item === 0 ? hall : other;
          const taxes = [{ taxId: null, rate: null, net: amount, tax: 0, gross: amount }];
          const returnPolicy = null;
          return {
            item,
            performanceId,
            seatCategoryId,
            tariffId,
            base: amount,
            components: [],
            amount,
            taxes,
            returnPolicy,
          };
        }),
      );
      expect(quoted.total).toBe(2 * hall.amount + 2 * other.amount);
      expect(fixture.catalog.calls.filter(({ operation }) => operation === 'holdPlaces')).toHaveLength(before);
      const { data } = await fixture.call('POST', '', { body: { items: [hall.item(2)] } });
      expect(data.total).toBe(2 * hall.amount);
    });

    test('contact, items, currencies and places, each with the code of a new order', async () => {
      const [small, closed] = [fixture.catalog.hall(1), fixture.catalog.hall(1)];
      const euros = fixture.catalog.hall(1, { currency: 'EUR' });
      const foreign = fixture.catalog.hall(1, { institution: 'museum' });
      fixture.catalog.refuse(closed, 'not_on_sale');
      const items = [small.item(2), closed.item(), euros.item(), foreign.item()];
      const quoted = await quote(items, { contactNumber: 'C-unknown' });
      expect(codes(quoted)).toEqual([
        [null, 'validation_error'],
        [null, 'validation_error'],
        [0, 'order_places_unavailable'],
        [1, 'order_not_on_sale'],
        [3, 'validation_error'],
      ]);
      expect([quoted.available, quoted.currency]).toEqual([false, null]);
      expect(quoted.refusals[0]?.details).toContain('$.contactNumber');
      expect(quoted.lines.map(({ item }) => item)).toEqual([0, 0, 1, 2]);
    });

    test('more places than one order may have, or than the client may hold', async () => {
      const hall = fixture.catalog.hall(1);
      const many = await quote(Array.from({ length: 21 }, () => hall.item(50)));
      expect(codes(many)).toContainEqual([null, 'order_too_many_places']);
      const limited = await openFixture(engine, { maxHeldPlaces: 2 });
      const one = limited.catalog.hall(9);
      const { data } = await limited.call<Quote>('POST', '/quotes', { body: { items: [one.item(3)] } });
      expect(codes(data)).toEqual([[null, 'order_hold_limit']]);
      await limited.close();
    });

    test('with a key a repeat gets the first answer; another body and a malformed key are refused', async () => {
      const hall = fixture.catalog.hall(3);
      const asked = () => fixture.catalog.calls.filter(({ operation }) => operation === 'quoteOrderItems').length;
      const ask = (key: string | undefined, places: number) =>
        fixture.call<Quote>('POST', '/quotes', { body: { items: [hall.item(places)] }, ...(key && { key }) });
      const [first, calls] = [await ask('quote', 2), asked()];
      const second = await ask('quote', 2);
      expect([first.status, first.headers.get('Idempotency-Replayed')]).toEqual([200, null]);
      expect([second.status, second.headers.get('Idempotency-Replayed')]).toEqual([200, 'true']);
      expect([second.text, asked()]).toEqual([first.text, calls]);
      expect(await ask('quote', 1)).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
      expect(await ask('k'.repeat(256), 2)).toMatchObject({ status: 400, code: 'invalid_parameter' });
      // Without a key each request is answered anew.
      for (const _ of [1, 2]) expect((await ask(undefined, 2)).headers.get('Idempotency-Replayed')).toBeNull();
      expect(asked()).toBe(calls + 2);
    });

    test('faults of form stay 400, and while the catalog is down the answer is 503', async () => {
      const hall = fixture.catalog.hall(1);
      expect((await fixture.call('POST', '/quotes', { body: { items: [] } })).code).toBe('validation_error');
      expect((await fixture.call('POST', '/quotes', { body: {} })).code).toBe('bad_request');
      fixture.catalog.mishaps.set('quoteOrderItems', 'fails');
      expect((await fixture.call('POST', '/quotes', { body: { items: [hall.item()] } })).status).toBe(503);
      fixture.catalog.mishaps.clear();
    });
  });

  describe('a tariff with a criterion is sold to a contact that meets it', () => {
    const open = () => {
      const hall = fixture.catalog.hall(9);
      const member = { ...hall.item(), tariffId: fixture.catalog.tariff(hall, 500, 'member') };
      return { hall, member, full: hall.item() };
    };
    const create = (items: readonly object[], contactNumber?: string, call: Call = seller): Promise<Reply> =>
      fixture.call('POST', '', { ...call, body: { items, ...(contactNumber && { contactNumber }) } });
    const name = ({ id }: Order, contactNumber: string | null, call: Call = seller) =>
      fixture.call('PATCH', `/${id}`, { ...call, body: { contactNumber } });

    const expectRefused = ({ status, code, details }: Reply) => {
      expect([status, code]).toEqual([422, 'order_tariff_not_accessible']);
      expect(details).toContain('member');
      expect(details).toContain('$.contactNumber');
    };

    test('a new order names one, or the token has orders.sensitive:write', async () => {
      const { hall, member, full } = open();
      for (const contact of [undefined, createContact(fixture), createContact(fixture, 'student')])
        expectRefused(await create([full, member], contact));
      expect(fixture.catalog.count(hall).held).toBe(0);
      expect((await create([full])).status).toBe(201);
      expect((await create([member], createContact(fixture, 'member'))).status).toBe(201);
      expect((await create([member], undefined, privileged)).status).toBe(201);
    });

    test('lines that are added need it of the contact of the order', async () => {
      const { hall, member, full } = open();
      const order = async (contact?: string) => (await create([full], contact)).data;
      const add = ({ id }: Order, call: Call = seller) =>
        fixture.call('POST', `/${id}/lines`, { ...call, body: { items: [member] } });
      const [nobodys, students, members] = [
        await order(),
        await order(createContact(fixture, 'student')),
        await order(createContact(fixture, 'member')),
      ];
      for (const one of [nobodys, students]) expectRefused(await add(one));
      expect(fixture.catalog.count(hall).held).toBe(3);
      expect([(await add(members)).status, (await add(nobodys, privileged)).status]).toEqual([201, 201]);
    });

    test('the order keeps such a contact, also once it is sold; not once it is cancelled', async () => {
      const { member } = open();
      const [first, second, none] = [
        createContact(fixture, 'member'),
        createContact(fixture, 'member', 'student'),
        createContact(fixture),
      ];
      const { data: order } = await create([member], first);
      const refusals = async () => {
        for (const contact of [null, none]) expectRefused(await name(order, contact));
      };
      await refusals();
      expect((await name(order, second)).status).toBe(200);
      await pay(fixture, `/${order.id}`, { amount: 500 });
      await refusals();
      // Another change leaves the contact alone, whatever became of it.
      fixture.contacts.criteria.set(second, []);
      const body = { contactNumber: second, externalReference: 'mine' };
      expect((await fixture.call('PATCH', `/${order.id}`, { ...seller, body })).status).toBe(200);
      expect((await name(order, none, privileged)).status).toBe(200);
      await fixture.call('POST', `/${order.id}/cancellation`);
      expect((await name(order, null)).status).toBe(200);
    });

    test('a line that is added while the contact changes is counted', async () => {
      const { member, full } = open();
      const [members, none] = [createContact(fixture, 'member'), createContact(fixture)];
      const { data: order } = await create([full], members);
      fixture.contacts.before.set('getContactInternally', async () => {
        fixture.contacts.before.clear();
        await fixture.call('POST', `/${order.id}/lines`, { ...privileged, body: { items: [member] } });
      });
      expectRefused(await name(order, none));
    });

    test('a quote names the items that need it', async () => {
      const { member, full } = open();
      const quote = async (contactNumber?: string, call: Call = seller) => {
        const body = { items: [full, member], ...(contactNumber && { contactNumber }) };
        const { data } = await fixture.call<Quote>('POST', '/quotes', { ...call, body });
        return data.refusals.map(({ item, status }) => [item, status]);
      };
      expect(await quote()).toEqual([[1, 'order_tariff_not_accessible']]);
      expect(await quote('C_unknown')).toEqual([
        [null, 'validation_error'],
        [1, 'order_tariff_not_accessible'],
      ]);
      expect([await quote(createContact(fixture, 'member')), await quote(undefined, privileged)]).toEqual([[], []]);
    });
  });
});
