import { randomUUID } from 'node:crypto';
import type { IdempotencyRecord } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import { answerCreatedOrder, answerOrder } from '../../src/api/views.ts';
import { sellNewOrder } from '../../src/orders/create.ts';
import type { OrderDocument } from '../../src/store.ts';
import { type Call, describeOnEachEngine, type Order, waitUntil } from '../fixture/fixture.ts';
import { createContact, listPayments, read } from '../fixture/orders.ts';
import { createDyingContext, moments } from '../fixture/services.ts';

describeOnEachEngine('one call sells', (fixture) => {
  const sell = (body: object, call: Call = {}) => fixture.call('POST', '', { ...call, body });
  const card = (amount: number, more: object = {}) => ({ payment: { method: 'card', amount, ...more } });
  const announcedOf = (id: string) =>
    fixture.announced.flatMap(({ data }) => {
      const { event } = data as { event: { type: string; version: number; resource: { id: string }; data: object } };
      const isOf = event.resource.id === id || (event.data as { orderId?: string }).orderId === id;
      return isOf ? [event] : [];
    });

  describe('a new order with its payment is confirmed by the one call', () => {
    test('its places are sold, its payment is recorded, its tickets are asked for, and it answers version 2', async () => {
      const hall = fixture.catalog.hall(3);
      const answer = await sell({ items: [hall.item(2)], ...card(2_000, { reference: 'psp-1' }) });
      expect(answer).toMatchObject({ status: 201 });
      expect(answer.data).toMatchObject({ state: 'confirmed', version: 2, total: 2_000, paid: 2_000, due: 0 });
      expect(answer.headers.get('etag')).toBe('"2"');
      expect(answer.data.lines.every(({ ticketId }) => ticketId?.startsWith('tic_'))).toBe(true);
      expect(fixture.catalog.count(hall)).toEqual({ free: 1, held: 0, sold: 2 });
      const path = `/${answer.data.id}`;
      expect(await read(fixture, path)).toEqual(answer.data);
      expect(await listPayments(fixture, path)).toMatchObject([
        { method: 'card', amount: 2_000, status: 'captured', reference: 'psp-1' },
      ]);
      expect(fixture.tickets.issuesOf(answer.data.id)).toMatchObject([{ version: 2 }]);
    });

    test('partners hear of it once it is sold: created as version 1, confirmed as version 2', async () => {
      const hall = fixture.catalog.hall(1);
      const contactNumber = createContact(fixture);
      const { id } = (await sell({ items: [hall.item()], contactNumber, ...card(1_000) })).data;
      await waitUntil(() => announcedOf(id).length === 3);
      expect(announcedOf(id).map(({ type, version }) => [type, version])).toEqual([
        ['order.created', 1],
        ['payment.recorded', 2],
        ['order.confirmed', 2],
      ]);
      expect(announcedOf(id)[0]?.data).toMatchObject({ state: 'confirmed' });
      await waitUntil(() => fixture.factsOf(id).length > 0);
      expect(fixture.factsOf(id).map(({ type, version }) => [type, version])).toEqual([['order.confirmed', 2]]);
    });

    test('on account and free of charge it has no payment', async () => {
      const [priced, free] = [fixture.catalog.hall(1), fixture.catalog.hall(1, { amount: 0 })];
      const onAccount = await sell({ items: [priced.item()], confirmation: { onAccount: true } });
      expect(onAccount.data).toMatchObject({ state: 'confirmed', version: 2, paid: 0, due: 1_000 });
      const gratis = await sell({ items: [free.item()], confirmation: {} });
      expect(gratis.data).toMatchObject({ state: 'confirmed', version: 2, total: 0, paymentStatus: 'paid' });
      expect([fixture.catalog.count(priced).sold, fixture.catalog.count(free).sold]).toEqual([1, 1]);
    });

    test('its places do not count in the limit of held places', async () => {
      const hall = fixture.catalog.hall(1);
      const { id } = (await sell({ items: [hall.item()], ...card(1_000) })).data;
      expect((await fixture.document(id))?.heldPlaces).toBe(0);
    });

    test('of two requests with one key and other bodies at once, one sells and the other is 422', async () => {
      const [one, other] = [fixture.catalog.hall(2), fixture.catalog.hall(2)];
      const key = randomUUID();
      const bodies = [one, other].map((hall) => ({ items: [hall.item()], ...card(1_000) }));
      const answers = await Promise.all(bodies.map((body) => sell(body, { key })));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422]);
      await fixture.later();
      const sold = [one, other].map((hall) => fixture.catalog.count(hall).sold);
      expect(sold.toSorted()).toEqual([0, 1]);
    });

    test('the same request with its key is answered once more; it sells nothing twice', async () => {
      const hall = fixture.catalog.hall(4);
      const key = randomUUID();
      const body = { items: [hall.item(2)], ...card(2_000) };
      const answers = await Promise.all(Array.from({ length: 4 }, () => sell(body, { key })));
      const again = await sell(body, { key });
      expect(new Set([...answers, again].map(({ status, data }) => `${status} ${data.id} ${data.state}`)).size).toBe(1);
      expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 0, sold: 2 });
      expect(await listPayments(fixture, `/${again.data.id}`)).toHaveLength(1);
    });
  });

  describe('with include=tickets the answer has the whole tickets', () => {
    const scopes = ['orders:read', 'orders:write', 'tickets:read'];
    const withTickets = (body: object, call: Call = {}) =>
      fixture.call<Order>('POST', '?include=tickets', { scopes, ...call, body });

    test('of its lines, in their order, with barcodes; a repeat and a read answer the same', async () => {
      const hall = fixture.catalog.hall(2);
      const key = randomUUID();
      const body = { items: [hall.item(2)], ...card(2_000) };
      const { status, data } = await withTickets(body, { key });
      expect(status).toBe(201);
      expect(data.tickets?.map(({ id, lineId, barcode }) => [id, lineId, barcode !== undefined])).toEqual(
        data.lines.map(({ id, ticketId }) => [ticketId, id, true]),
      );
      expect((await withTickets(body, { key })).data).toEqual(data);
      expect((await fixture.call('GET', `/${data.id}?include=tickets`, { scopes })).data).toEqual(data);
      expect(fixture.catalog.count(hall).sold).toBe(2);
    });

    test('without the scope for tickets it is 403, and nothing is sold', async () => {
      const hall = fixture.catalog.hall(1);
      const refused = await withTickets({ items: [hall.item()], ...card(1_000) }, { scopes: scopes.slice(0, 2) });
      expect(refused.status).toBe(403);
      expect(fixture.catalog.count(hall).free).toBe(1);
    });

    test('an order that is not sold has none; without an answer of tickets they are null', async () => {
      const hall = fixture.catalog.hall(2);
      expect((await withTickets({ items: [hall.item()] })).data.tickets).toEqual([]);
      fixture.tickets.mishaps.set('getOrderTickets', 'fails');
      const { status, data } = await withTickets({ items: [hall.item()], ...card(1_000) });
      fixture.tickets.mishaps.clear();
      expect([status, data.state, data.tickets]).toEqual([201, 'confirmed', null]);
    });
  });

  describe('refused, nothing is held, sold or recorded', () => {
    test.each([
      ['a payment below the total', card(999), 409, 'order_total_differs'],
      ['a payment above the total', card(1_001), 409, 'order_total_differs'],
      ['a confirmation without money', { confirmation: {} }, 412, 'order_unpaid'],
      ['a payment and a confirmation', { ...card(1_000), confirmation: {} }, 400, 'validation_error'],
      ['a payment of nothing', card(0), 400, 'validation_error'],
      ['a pending payment', card(1_000, { status: 'pending' }), 400, 'validation_error'],
    ])('%s', async (_, sale, status, code) => {
      const hall = fixture.catalog.hall(2);
      expect(await sell({ items: [hall.item()], ...sale })).toMatchObject({ status, code });
      expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 0, sold: 0 });
      expect(await fixture.context.orders.of('opera').count({ performanceId: hall.performanceId })).toBe(0);
    });

    test('the details of a total that differs have both amounts', async () => {
      const hall = fixture.catalog.hall(2);
      const { details } = await sell({ items: [hall.item(2)], ...card(1_500) });
      expect(details).toContain('1500');
      expect(details).toContain('2000');
    });

    test('a refusal of the catalog, of the contact and of the tariff reads as without a payment', async () => {
      const [full, hall] = [fixture.catalog.hall(1), fixture.catalog.hall(2)];
      fixture.catalog.refuse(full, 'not_on_sale');
      expect((await sell({ items: [full.item()], ...card(1) })).code).toBe('order_not_on_sale');
      expect((await sell({ items: [hall.item()], contactNumber: 'C-nobody', ...card(1) })).status).toBe(422);
      const tariffId = fixture.catalog.tariff(hall, 500, 'member');
      const scopes = ['orders:read', 'orders:write'];
      const refused = await sell({ items: [{ ...hall.item(), tariffId }], ...card(500) }, { scopes });
      expect(refused.code).toBe('order_tariff_not_accessible');
      expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 0, sold: 0 });
    });

    test('a reference needs payments:write', async () => {
      const hall = fixture.catalog.hall(1);
      const body = { items: [hall.item()], ...card(1_000, { reference: 'psp-2' }) };
      const scopes = ['orders:read', 'orders:write'];
      expect((await sell(body, { scopes })).status).toBe(403);
      expect((await sell(body, { scopes: [...scopes, 'payments:write'] })).status).toBe(201);
    });

    test('a quote says so before', async () => {
      const hall = fixture.catalog.hall(2);
      const body = { items: [hall.item(2)], ...card(1) };
      const quote = await fixture.call<{ total: number; available: boolean; refusals: { status: string }[] }>(
        'POST',
        '/quotes',
        { body },
      );
      expect(quote.data).toMatchObject({
        total: 2_000,
        available: false,
        refusals: [{ status: 'order_total_differs' }],
      });
    });
  });

  describe('what a dead process has begun is finished', () => {
    const MINUTES_16 = 16 * 60_000;
    const holder = { institution: 'opera', client: 'partner' };
    const recordOf = (key: string): IdempotencyRecord<OrderDocument> => ({
      key,
      fingerprint: 'the same request',
      expiresAt: Date.now() + 86_400_000,
      answer: (order) => ({ status: answerCreatedOrder(order).status, headers: {}, body: answerOrder(order).data }),
    });
    const paid = { method: 'card', amount: 2_000 };
    const find = async ({ performanceId }: { readonly performanceId: string }) =>
      (await fixture.context.orders.of('opera').find({ where: { performanceId } }))[0];

    const begin = async (effect: 'hold' | 'sell', when: (typeof moments)[number], key = randomUUID(), places = 4) => {
      const hall = fixture.catalog.hall(places);
      const requested = { items: [hall.item(2)], payment: paid };
      const dying = createDyingContext(fixture.context, effect, when);
      sellNewOrder(dying, holder, requested, recordOf(key)).catch(() => undefined);
      if (effect !== 'hold') await waitUntil(async () => (await find(hall))?.saleDue != null);
      const { held, sold } = effect === 'sell' ? { held: 0, sold: 2 } : { held: 2, sold: 0 };
      if (when === 'after')
        await waitUntil(() => {
          const count = fixture.catalog.count(hall);
          return count.held === held && count.sold === sold;
        });
      return { hall, requested, key };
    };

    test.each(moments)(
      'nobody sees an order whose process died %s the sale, and the due work confirms it',
      async (when) => {
        const { hall } = await begin('sell', when);
        const unseen = (await find(hall)) as OrderDocument;
        expect((await fixture.call('GET', `/${unseen.id}`)).status).toBe(404);
        const { items } = (
          await fixture.call<{ items: Order[] }>('GET', `?performanceId=${hall.performanceId}&limit=100`)
        ).data;
        expect(items).toEqual([]);
        expect(announcedOf(unseen.id)).toEqual([]);
        expect(fixture.factsOf(unseen.id)).toEqual([]);
        await fixture.later();
        expect(await read(fixture, `/${unseen.id}`)).toMatchObject({ state: 'confirmed', version: 2, paid: 2_000 });
        expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 0, sold: 2 });
      },
    );

    test.each([
      ['hold', 'before'],
      ['hold', 'after'],
      ['sell', 'before'],
      ['sell', 'after'],
    ] as const)('a repeat after a death at the %s, %s it, sells once', async (effect, when) => {
      const { hall, requested, key } = await begin(effect, when);
      const sold = await sellNewOrder(fixture.context, holder, requested, recordOf(key));
      expect(sold).toMatchObject({ state: 'confirmed', version: 2 });
      expect(sold.payments).toHaveLength(1);
      await fixture.later();
      // What the dead process has held without an order lapses.
      const lapsing = effect === 'hold' && when === 'after' ? 2 : 0;
      expect(fixture.catalog.count(hall)).toEqual({ free: 2 - lapsing, held: lapsing, sold: 2 });
      expect(await fixture.context.orders.of('opera').count({ performanceId: hall.performanceId })).toBe(1);
    });

    test('a repeat on the next day (UTC) finds it, too', async () => {
      const { hall, requested, key } = await begin('sell', 'before');
      const untilMidnight = 86_400_000 - (Date.now() % 86_400_000);
      const tomorrow = { ...fixture.context, now: () => Date.now() + untilMidnight };
      const sold = await sellNewOrder(tomorrow, holder, requested, recordOf(key));
      expect(sold).toMatchObject({ state: 'confirmed', version: 2 });
      expect(await fixture.context.orders.of('opera').count({ performanceId: hall.performanceId })).toBe(1);
      expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 0, sold: 2 });
    });

    test('a day later the key sells another order, and a repeat finds that one', async () => {
      const hall = fixture.catalog.hall(3);
      const requested = { items: [hall.item(1)], payment: { ...paid, amount: 1_000 } };
      const record = recordOf(randomUUID());
      const sellAfter = (hours: number) => {
        const now = () => Date.now() + hours * 3_600_000;
        return sellNewOrder({ ...fixture.context, now }, holder, requested, record);
      };
      const ids = [];
      for (const hours of [-25, -24, 0, 0.1, 0.2]) ids.push((await sellAfter(hours)).id);
      const [first, , second] = ids;
      expect(ids).toEqual([first, first, second, second, second]);
      expect(second).not.toBe(first);
      expect(fixture.catalog.count(hall)).toEqual({ free: 1, held: 0, sold: 2 });
    });

    test('a key of an earlier day whose order had another body sells named places, also twice at once', async () => {
      const hall = fixture.catalog.hall(4);
      const record = recordOf(randomUUID());
      const yesterday = { ...fixture.context, now: () => Date.now() - 25 * 3_600_000 };
      const others = { items: [fixture.catalog.hall(2).item(1)], payment: { ...paid, amount: 1_000 } };
      await sellNewOrder(yesterday, holder, others, { ...record, fingerprint: 'another request' });
      const named = { items: [hall.item(2, hall.placeIds.slice(0, 2))], payment: paid };
      const both = await Promise.all([1, 2].map(() => sellNewOrder(fixture.context, holder, named, record)));
      expect(new Set(both.map(({ id }) => id)).size).toBe(1);
      await fixture.later();
      expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 0, sold: 2 });
    });

    test('two requests at once with a key of an earlier day sell one order', async () => {
      const hall = fixture.catalog.hall(6);
      const requested = { items: [hall.item(1)], payment: { ...paid, amount: 1_000 } };
      const record = recordOf(randomUUID());
      const yesterday = { ...fixture.context, now: () => Date.now() - 25 * 3_600_000 };
      const first = await sellNewOrder(yesterday, holder, requested, record);
      const both = await Promise.all([1, 2].map(() => sellNewOrder(fixture.context, holder, requested, record)));
      expect(new Set(both.map(({ id }) => id)).size).toBe(1);
      expect(both[0]?.id).not.toBe(first.id);
      expect(fixture.catalog.count(hall)).toEqual({ free: 4, held: 0, sold: 2 });
    });

    test('a repeat finds it although its contact would be refused now', async () => {
      const contactNumber = createContact(fixture);
      const hall = fixture.catalog.hall(2);
      const key = randomUUID();
      const requested = { items: [hall.item(2)], contactNumber, payment: paid };
      const dying = createDyingContext(fixture.context, 'sell', 'before');
      sellNewOrder(dying, holder, requested, recordOf(key)).catch(() => undefined);
      await waitUntil(async () => (await find(hall))?.saleDue != null);
      fixture.contacts.known.set(contactNumber, '2027-01-01T00:00:00.000Z');
      const sold = await sellNewOrder(fixture.context, holder, requested, recordOf(key));
      expect(sold).toMatchObject({ state: 'confirmed', version: 2 });
    });

    test('a repeat after the due work has finished it answers the same order', async () => {
      const { hall, requested, key } = await begin('sell', 'before');
      await fixture.later();
      const again = await sellNewOrder(fixture.context, holder, requested, recordOf(key));
      expect(again).toMatchObject({ state: 'confirmed', version: 2 });
      expect(fixture.catalog.count(hall)).toEqual({ free: 2, held: 0, sold: 2 });
    });

    test('after the end of the hold it gets other places of the category', async () => {
      const { hall } = await begin('sell', 'before');
      const { id, lines } = (await find(hall)) as OrderDocument;
      const stolen = String(lines[0]?.place.id);
      fixture.catalog.steal(stolen);
      await fixture.later(MINUTES_16);
      const order = await read(fixture, `/${id}`);
      expect(order).toMatchObject({ state: 'confirmed', paid: 2_000 });
      expect(order.lines.map(({ place }) => place.id)).not.toContain(stolen);
    });

    test('without places left it is first seen as expired, with its money recorded; a repeat says so', async () => {
      const { hall, requested, key } = await begin('sell', 'before', randomUUID(), 2);
      const { id, lines } = (await find(hall)) as OrderDocument;
      for (const { place } of lines) fixture.catalog.steal(place.id);
      await fixture.later(MINUTES_16);
      expect(await read(fixture, `/${id}`)).toMatchObject({ state: 'expired', paid: 2_000 });
      await waitUntil(() => announcedOf(id).length === 3);
      expect(announcedOf(id).map(({ type }) => type)).toEqual(['order.created', 'payment.recorded', 'order.expired']);
      await expect(sellNewOrder(fixture.context, holder, requested, recordOf(key))).rejects.toMatchObject({
        code: 'payment_recorded',
      });
      expect(await fixture.context.orders.of('opera').count({ performanceId: hall.performanceId })).toBe(1);
    });

    test('the cancellation of its performance waits for its sale', async () => {
      const { hall } = await begin('sell', 'before');
      const { id } = (await find(hall)) as OrderDocument;
      await fixture.deliver('performance.cancelled', { performanceId: hall.performanceId });
      expect(await read(fixture, `/${id}`)).toMatchObject({ state: 'cancelled', paid: 2_000 });
    });
  });
});
