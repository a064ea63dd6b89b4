import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Reason } from '../fixture/catalog.ts';
import { describeOnEachEngine, type Order, waitUntil } from '../fixture/fixture.ts';
import { buyCart, createCart, createContact, read, requireDone } from '../fixture/orders.ts';

describeOnEachEngine('creation', (fixture) => {
  describe('a refused order holds nothing', () => {
    const create = (items: readonly object[], more: object = {}) =>
      fixture.call('POST', '', { body: { items, ...more } });

    test.each<[Reason, number, string]>([
      ['invalid_reference', 422, 'validation_error'],
      ['not_on_sale', 409, 'order_not_on_sale'],
      ['places_unavailable', 409, 'order_places_unavailable'],
      ['tariff_not_sold_here', 422, 'order_tariff_not_sold_here'],
      ['too_many_places', 422, 'order_too_many_places'],
    ])('a refusal of the catalog (%s) holds nothing', async (reason, status, code) => {
      const [one, two] = [fixture.catalog.hall(2), fixture.catalog.hall(2)];
      fixture.catalog.refuse(two, reason);
      expect(await create([one.item(), two.item()])).toMatchObject({ status, code, data: null });
      expect([fixture.catalog.count(one), fixture.catalog.count(two)]).toEqual(
        Array.from({ length: 2 }, () => ({ free: 2, held: 0, sold: 0 })),
      );
    });

    test.each([
      [0, 400, 'validation_error'],
      [-1, 400, 'validation_error'],
      [51, 400, 'validation_error'],
      [10 ** 9, 400, 'validation_error'],
      [1.5, 400, 'bad_request'],
      ['1', 400, 'bad_request'],
    ])('a quantity of %s is refused', async (quantity, status, code) => {
      const hall = fixture.catalog.hall(2);
      const answer = await create([{ ...hall.item(), quantity }]);
      expect(answer).toMatchObject({ status, code });
      expect(answer.details).toContain('$.items[0].quantity');
    });

    test('a performance of another institution, an unknown and an erased contact are 422', async () => {
      const foreign = fixture.catalog.hall(2, { institution: 'museum' });
      expect((await create([foreign.item()])).status).toBe(422);
      const hall = fixture.catalog.hall(2);
      fixture.contacts.known.set('C-erased', '2027-01-01T00:00:00.000Z');
      for (const contactNumber of ['C-unknown', 'C-erased']) {
        const answer = await create([hall.item()], { contactNumber });
        expect(answer).toMatchObject({ status: 422, code: 'validation_error' });
        expect(answer.details).toContain('$.contactNumber');
      }
      expect(fixture.catalog.count(hall).held).toBe(0);
    });

    test('one answer names an unknown contact, a wrong quantity and unknown items, quoted only then', async () => {
      const [hall, foreign] = [fixture.catalog.hall(2), fixture.catalog.hall(2, { institution: 'museum' })];
      const items = [foreign.item(1, ['plc_x']), hall.item(1, hall.placeIds)];
      const calls = (operation: string) => fixture.catalog.calls.filter((call) => call.operation === operation);
      const before = [calls('quoteItems').length, calls('holdPlaces').length];
      const answer = await create(items, { contactNumber: 'C-unknown' });
      expect(answer).toMatchObject({ status: 422, code: 'validation_error' });
      expect(answer.details).toMatch(/\$\.contactNumber: .*; \$\.items\[1\]\.quantity .*; planted: invalid_reference/);
      expect(calls('quoteItems').at(-1)?.body).toEqual({
        items: [foreign.item(undefined, ['plc_x']), hall.item(undefined, hall.placeIds)],
      });
      expect((await create([hall.item(2)])).status).toBe(201);
      expect([calls('quoteItems').length, calls('holdPlaces').length]).toEqual([
        Number(before[0]) + 1,
        Number(before[1]) + 1,
      ]);
    });

    test('an unknown contact is refused while the catalog is down', async () => {
      const hall = fixture.catalog.hall(1);
      fixture.catalog.mishaps.set('quoteItems', 'fails');
      const answer = await create([hall.item()], { contactNumber: 'C-unknown' });
      fixture.catalog.mishaps.clear();
      expect(answer).toMatchObject({ status: 422, details: '$.contactNumber: there is no contact C-unknown.' });
    });

    test('an ill-formed contact number is unknown', async () => {
      const hall = fixture.catalog.hall(1);
      await expect(fixture.context.contacts.criteria('opera', '\ud800')).resolves.toBeUndefined();
      const { status } = await create([hall.item()], { contactNumber: '\ud800' });
      expect([400, 422]).toContain(status);
    });

    test('places in two currencies are refused', async () => {
      const [francs, euros] = [fixture.catalog.hall(1), fixture.catalog.hall(1, { currency: 'EUR' })];
      expect(await create([francs.item(), euros.item()])).toMatchObject({ status: 422, code: 'validation_error' });
      expect([fixture.catalog.count(francs).free, fixture.catalog.count(euros).free]).toEqual([1, 1]);
    });

    test('more places than one order may have are refused', async () => {
      const hall = fixture.catalog.hall(1);
      const items = Array.from({ length: 21 }, () => hall.item(50));
      expect(await create(items)).toMatchObject({ status: 422, code: 'order_too_many_places' });
    });

    test.each(['fails', 'lost'] as const)(
      'after the mishap "%s" of a hold the answer is 503, and the same request again gets its places',
      async (mishap) => {
        const hall = fixture.catalog.hall(2);
        const request = { body: { items: [hall.item(2)] }, key: randomUUID() };
        fixture.catalog.mishaps.set('holdPlaces', mishap);
        const answer = await fixture.call('POST', '', request);
        fixture.catalog.mishaps.clear();
        expect(answer).toMatchObject({ status: 503, code: 'service_unavailable' });
        expect(answer.headers.get('retry-after')).toBe('1');
        expect(await fixture.call('POST', '', request)).toMatchObject({ status: 201, data: { state: 'open' } });
        expect(fixture.catalog.count(hall)).toEqual({ free: 0, held: 2, sold: 0 });
      },
    );

    test('if contacts does not answer, the answer is 503, and nothing is held', async () => {
      const hall = fixture.catalog.hall(1);
      fixture.contacts.mishaps.set('*', 'fails');
      const answer = await create([hall.item()], { contactNumber: 'C1' });
      fixture.contacts.mishaps.clear();
      expect(answer.status).toBe(503);
      expect(fixture.catalog.count(hall).held).toBe(0);
    });

    test('an order holds all its places or none, of several performances and with placeIds', async () => {
      const [one, two] = [fixture.catalog.hall(2), fixture.catalog.hall(3)];
      const named = two.placeIds.slice(0, 2);
      const order = await create([one.item(2), two.item(undefined, named)], { externalReference: 'a-1' });
      expect(order).toMatchObject({ status: 201, data: { externalReference: 'a-1', total: 4_000, due: 4_000 } });
      expect(order.headers.get('location')).toBe(`/svc/v3/orders/${order.data.id}`);
      expect(order.headers.get('etag')).toBe('"1"');
      expect(order.data.lines.map(({ place }) => place.id)).toEqual(
        expect.arrayContaining([...one.placeIds, ...named]),
      );
      expect(await create([two.item(), one.item()])).toMatchObject({ status: 409, code: 'order_places_unavailable' });
      expect(fixture.catalog.count(two)).toEqual({ free: 1, held: 2, sold: 0 });
    });
  });

  describe('tickets are delivered as the order says', () => {
    const POINT_OF_SALE = 'tickets.opera.example';

    const create = async (more: object = {}): Promise<Order> => {
      const body = { items: [fixture.catalog.hall(2).item()], ...more };
      const { status, data, text } = await fixture.call('POST', '', { body });
      expect([status, text]).toEqual([201, text]);
      return data;
    };
    const change = (id: string, body: object) => fixture.call('PATCH', `/${id}`, { body });
    const confirm = (id: string) => fixture.call('POST', `/${id}/confirmation`, { body: { onAccount: true } });
    /** What the call of tickets and the fact say of the order, each the last one. */
    const told = async (id: string) => {
      const confirmations = () => fixture.factsOf(id).filter(({ type }) => type === 'order.confirmed');
      await waitUntil(() => confirmations().length > 0);
      const fact = confirmations().at(-1)?.data as { ticketDelivery?: string } | undefined;
      return [fixture.tickets.issuesOf(id).at(-1)?.ticketDelivery, fact?.ticketDelivery];
    };

    test('as it asks for, else as its point of sale, else for print', async () => {
      fixture.catalog.ticketDelivery = 'print';
      const kiosk = await create({ pointOfSale: POINT_OF_SALE });
      fixture.catalog.ticketDelivery = 'electronic';
      const shop = await create({ pointOfSale: POINT_OF_SALE });
      const asked = await create({ pointOfSale: POINT_OF_SALE, ticketDelivery: 'print' });
      const [partner, none] = [await create({ ticketDelivery: 'electronic' }), await create()];
      const all = [kiosk, shop, asked, partner, none];
      const wanted = ['print', 'electronic', 'print', 'electronic', 'print'];
      expect(all.map(({ ticketDelivery }) => ticketDelivery)).toEqual(wanted);
      for (const [index, { id }] of all.entries()) {
        const { data } = await confirm(id);
        expect([data.state, data.ticketDelivery]).toEqual(['confirmed', wanted[index]]);
        expect(await told(id)).toEqual([wanted[index], wanted[index]]);
      }
    });

    test('a cart as its point of sale when its first item was added', async () => {
      const { cart, path } = await createCart(fixture);
      fixture.catalog.ticketDelivery = 'print';
      requireDone(await buyCart(fixture, path, { contactNumber: createContact(fixture) }));
      fixture.catalog.ticketDelivery = 'electronic';
      expect(await told(cart.id)).toEqual(['electronic', 'electronic']);
    });

    test('changed until the order is confirmed or cancelled; written back afterwards it is accepted', async () => {
      const { id, version } = await create();
      const changed = await change(id, { ticketDelivery: 'electronic' });
      expect([changed.status, changed.data.ticketDelivery]).toEqual([200, 'electronic']);
      expect(changed.data.version).toBeGreaterThan(version);
      for (const ticketDelivery of [null, 'pigeon', '']) {
        const { status, details } = await change(id, { ticketDelivery });
        expect([status, details]).toEqual([400, expect.stringContaining('$.ticketDelivery')]);
      }
      await confirm(id);
      expect(await told(id)).toEqual(['electronic', 'electronic']);
      const late = await change(id, { ticketDelivery: 'print', externalReference: 'late' });
      expect([late.status, late.code]).toEqual([412, 'order_confirmed']);
      expect(await read(fixture, `/${id}`)).toMatchObject({ ticketDelivery: 'electronic', externalReference: null });
      expect((await change(id, { ticketDelivery: 'electronic', externalReference: 'same' })).status).toBe(200);
      await fixture.call('POST', `/${id}/cancellation`, { body: {} });
      expect((await change(id, { ticketDelivery: 'print' })).code).toBe('order_cancelled');
    });

    test('also while it waits for its payment or is expired, since it can still be confirmed', async () => {
      const waiting = await create();
      const payment = { method: 'card', amount: 1_000, status: 'pending' };
      await fixture.call('POST', `/${waiting.id}/payments`, { body: payment });
      const expired = await fixture.catalog.expiring(() => create());
      for (const [{ id }, state] of [
        [waiting, 'payment_pending'],
        [expired, 'expired'],
      ] as const) {
        const { status, data } = await change(id, { ticketDelivery: 'electronic' });
        expect([status, data.state, data.ticketDelivery]).toEqual([200, state, 'electronic']);
      }
    });

    test('a quote takes it as well; what no order can have is 400', async () => {
      const items = [fixture.catalog.hall(1).item()];
      const quoted = await fixture.call('POST', '/quotes', { body: { items, ticketDelivery: 'electronic' } });
      expect(quoted.status).toBe(200);
      for (const path of ['', '/quotes']) {
        const refused = await fixture.call('POST', path, { body: { items, ticketDelivery: 'mail' } });
        expect([refused.status, refused.details]).toEqual([400, expect.stringContaining('$.ticketDelivery')]);
      }
    });

    test('an order of a release without the member is for print, and can be changed', async () => {
      const { id } = await create({ ticketDelivery: 'electronic' });
      await fixture.context.orders.of('opera').update(id, ({ ticketDelivery: _, ...older }) => ({ next: older }));
      expect(await fixture.document(id)).not.toHaveProperty('ticketDelivery');
      expect(await read(fixture, `/${id}`)).toMatchObject({ ticketDelivery: 'print' });
      expect((await change(id, { ticketDelivery: 'electronic' })).data.ticketDelivery).toBe('electronic');
    });
  });
});
