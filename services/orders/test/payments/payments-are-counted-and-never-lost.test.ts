// rule commerce.2: An order with lines and captured money, of which nothing is due, is confirmed | services/orders/src/domain/order/state.ts
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { describeOnEachEngine, waitUntil } from '../fixture/fixture.ts';
import { createExpiredOrder, createOrderInHall, listPayments, type Payment, pay, read } from '../fixture/orders.ts';

describeOnEachEngine('payments', (fixture) => {
  describe('payments are counted and never lost', () => {
    const payments = (path: string) => listPayments(fixture, path);

    test('the last of several part payments confirms the order, and more than is due is refused', async () => {
      const { path, hall } = await createOrderInHall(fixture);
      expect((await pay(fixture, path, { amount: 2_001 })).code).toBe('payment_exceeds_due');
      const part = await pay(fixture, path, { amount: 500, reference: 'psp-1' });
      expect(part).toMatchObject({ status: 201, data: { amount: 500, currency: 'CHF', reference: 'psp-1' } });
      expect(part.headers.get('location')).toBe(`/svc/v3/orders${path}/payments/${part.data.id}`);
      expect(await read(fixture, path)).toMatchObject({
        state: 'open',
        paid: 500,
        due: 1_500,
        paymentStatus: 'partial',
      });
      expect((await pay(fixture, path, { amount: 1_501 })).code).toBe('payment_exceeds_due');
      expect((await pay(fixture, path, { amount: 1_500 })).status).toBe(201);
      expect(await read(fixture, path)).toMatchObject({
        state: 'confirmed',
        paid: 2_000,
        due: 0,
        paymentStatus: 'paid',
      });
      expect(fixture.catalog.count(hall).sold).toBe(2);
      expect((await pay(fixture, path, { amount: 1 })).code).toBe('payment_exceeds_due');
    });

    test('a pending payment does not lower `due`; its capture confirms the order, its failure reopens it', async () => {
      const { path, order } = await createOrderInHall(fixture);
      const first = await pay(fixture, path, { status: 'pending' });
      expect(first).toMatchObject({ status: 201, data: { status: 'pending' } });
      const waiting = await read(fixture, path);
      expect(waiting).toMatchObject({ state: 'payment_pending', due: 2_000, paid: 0 });
      const settle = (id: string, status: string) =>
        fixture.call('PATCH', `${path}/payments/${id}`, { body: { status } });
      expect(await settle(first.data.id, 'failed')).toMatchObject({ status: 200, data: { state: 'open' } });
      expect((await read(fixture, path)).expiresAt).toBe(order.expiresAt);
      expect((await settle(first.data.id, 'captured')).status).toBe(412);
      const second = await pay(fixture, path, { status: 'pending' });
      expect(await settle(second.data.id, 'captured')).toMatchObject({ status: 200, data: { state: 'confirmed' } });
      expect((await settle('pay_unknown', 'failed')).status).toBe(404);
    });

    test('a pending payment that comes as the hold ends, and others have the places, waits no longer', async () => {
      const { path, order, hall } = await createOrderInHall(fixture);
      for (const id of hall.placeIds) fixture.catalog.steal(id);
      // The hold ends between the payment and the call that extends it.
      const orders = fixture.context.orders.of('opera');
      await orders.update(order.id, (current) => ({ next: { ...current, expiresAt: Date.now() } }));
      const made = await pay(fixture, path, { status: 'pending' });
      expect(made).toMatchObject({ status: 201, data: { status: 'pending' } });
      expect(await read(fixture, path)).toMatchObject({ state: 'expired', paid: 0 });
      const capture = () => fixture.call('PATCH', `${path}/payments/${made.data.id}`, { body: { status: 'captured' } });
      expect(await capture()).toMatchObject({ status: 412, code: 'payment_recorded' });
      for (const id of hall.placeIds) fixture.catalog.releasePlaces(id);
      expect(await capture()).toMatchObject({ status: 200, data: { state: 'confirmed' } });
    });

    test('a late payment confirms an expired order, with other places for those taken', async () => {
      const { path, order, hall } = await createExpiredOrder(fixture);
      const [taken = ''] = order.lines.map(({ place }) => place.id);
      fixture.catalog.steal(taken);
      expect((await pay(fixture, path)).status).toBe(201);
      const now = await read(fixture, path);
      expect(now.state).toBe('confirmed');
      const ids = now.lines.map(({ place }) => place.id);
      expect(ids).not.toContain(taken);
      expect(fixture.catalog.count(hall)).toMatchObject({ sold: 3 });
    });

    test('a late payment of an order whose places are gone is recorded, and refunded once', async () => {
      const { path, hall } = await createExpiredOrder(fixture);
      for (const id of hall.placeIds) fixture.catalog.steal(id);
      expect((await pay(fixture, path)).code).toBe('payment_recorded');
      expect(await read(fixture, path)).toMatchObject({ state: 'expired', paid: 2_000 });
      const refund = { body: { amount: 2_000, method: 'card' } };
      expect((await fixture.call('POST', `${path}/refunds`, refund)).status).toBe(201);
      expect(await read(fixture, path)).toMatchObject({ paid: 2_000, refundStatus: 'full' });
      expect((await fixture.call('POST', `${path}/refunds`, refund)).code).toBe('refund_exceeds_paid');
    });

    test('a repeated or a further capture does not confirm an order whose money was refunded', async () => {
      const { path, hall, order } = await createOrderInHall(fixture);
      const { id } = (await pay(fixture, path, { status: 'pending' })).data;
      const spare = await pay(fixture, path, { amount: 300, status: 'pending' });
      const orders = fixture.context.orders.of('opera');
      await orders.update(order.id, (current) => ({ next: { ...current, deadline: Date.now() - 1 } }));
      expect((await read(fixture, path)).state).toBe('expired');
      for (const place of hall.placeIds) fixture.catalog.steal(place);
      const settle = (paymentId: string) =>
        fixture.call('PATCH', `${path}/payments/${paymentId}`, { body: { status: 'captured' } });
      const recorded = async (paymentId: string) => {
        const reply = await settle(paymentId);
        expect(reply).toMatchObject({ status: 412, code: 'payment_recorded' });
        expect(reply.headers.get('location')).toBe(`/svc/v3/orders${path}/payments/${paymentId}`);
        expect(await read(fixture, path)).toMatchObject({ state: 'expired' });
      };
      await recorded(id);
      const refund = (amount: number) => fixture.call('POST', `${path}/refunds`, { body: { amount, method: 'card' } });
      expect((await refund(1_000)).status).toBe(201);
      for (const place of hall.placeIds) fixture.catalog.releasePlaces(place);
      await recorded(id);
      expect((await refund(1_000)).status).toBe(201);
      await recorded(id);
      await recorded(spare.data.id);
      expect((await fixture.call('POST', `${path}/confirmation`, { body: {} })).code).toBe('order_expired');
      expect(fixture.catalog.count(hall)).toMatchObject({ sold: 0 });
    });

    test('an open order whose money was refunded is confirmed once that is paid again, or on account', async () => {
      const refunded = async () => {
        const { path } = await createOrderInHall(fixture);
        expect((await pay(fixture, path, { amount: 500 })).status).toBe(201);
        const refund = { body: { amount: 500, method: 'card' } };
        expect((await fixture.call('POST', `${path}/refunds`, refund)).status).toBe(201);
        expect(await read(fixture, path)).toMatchObject({ paid: 500, due: 2_000, paymentStatus: 'unpaid' });
        expect((await pay(fixture, path, { amount: 1_500 })).status).toBe(201);
        expect(await read(fixture, path)).toMatchObject({ state: 'open', due: 500, paymentStatus: 'partial' });
        expect((await fixture.call('POST', `${path}/confirmation`, { body: {} })).code).toBe('order_unpaid');
        return path;
      };
      const again = await refunded();
      expect((await pay(fixture, again, { amount: 501 })).code).toBe('payment_exceeds_due');
      expect((await pay(fixture, again, { amount: 500 })).status).toBe(201);
      expect(await read(fixture, again)).toMatchObject({
        state: 'confirmed',
        paid: 2_500,
        due: 0,
        paymentStatus: 'paid',
      });
      const owing = await refunded();
      const onAccount = await fixture.confirm(owing);
      expect(onAccount).toMatchObject({
        status: 200,
        data: { state: 'confirmed', due: 500, paymentStatus: 'partial' },
      });
      expect((await pay(fixture, owing, { amount: 500 })).status).toBe(201);
      expect(await read(fixture, owing)).toMatchObject({ state: 'confirmed', due: 0, paymentStatus: 'paid' });
    });

    test('a refund is 409 while a sale is pending that relies on the money', async () => {
      const { path } = await createOrderInHall(fixture);
      fixture.catalog.mishaps.set('sellHold', 'fails');
      expect((await pay(fixture, path)).status).toBe(503);
      const refund = () => fixture.call('POST', `${path}/refunds`, { body: { amount: 2_000, method: 'card' } });
      expect(await refund()).toMatchObject({ status: 409, code: 'conflict' });
      fixture.catalog.mishaps.clear();
      expect((await refund()).status).toBe(201);
      expect(await read(fixture, path)).toMatchObject({ state: 'confirmed', refundStatus: 'full' });
    });

    test('a part payment of an expired order is 412 and recorded', async () => {
      const { path } = await createExpiredOrder(fixture);
      expect(await pay(fixture, path, { amount: 500 })).toMatchObject({
        status: 412,
        details: 'The payment is recorded, but the order is past its deadline and not paid in full.',
      });
      expect(await payments(path)).toMatchObject([{ status: 'captured', amount: 500 }]);
      expect((await pay(fixture, path, { amount: 1_500 })).status).toBe(201);
      expect((await read(fixture, path)).state).toBe('confirmed');
    });

    test('a capture while the catalog is down is 503 and recorded; a repeat confirms the order', async () => {
      const { path } = await createOrderInHall(fixture);
      const key = randomUUID();
      fixture.catalog.mishaps.set('sellHold', 'fails');
      expect(await pay(fixture, path, {}, { key })).toMatchObject({ status: 503, code: 'service_unavailable' });
      expect(await payments(path)).toMatchObject([{ status: 'captured' }]);
      fixture.catalog.mishaps.clear();
      const again = await pay(fixture, path, {}, { key });
      expect(again).toMatchObject({ status: 201, data: { status: 'captured' } });
      expect(await read(fixture, path)).toMatchObject({ state: 'confirmed', paid: 2_000 });
      expect(await payments(path)).toHaveLength(1);
    });

    test("another currency than the order's is 422, and an invalid amount is 400", async () => {
      const { path } = await createOrderInHall(fixture);
      expect(await pay(fixture, path, { currency: 'EUR' })).toMatchObject({ status: 422, code: 'validation_error' });
      for (const amount of [0, -5, 1e15]) expect((await pay(fixture, path, { amount })).code).toBe('validation_error');
      expect((await pay(fixture, path, { amount: 10.5 })).code).toBe('bad_request');
      expect((await pay(fixture, path, { method: 'x'.repeat(41) })).code).toBe('validation_error');
      expect((await pay(fixture, path, { currency: 'CHF' })).status).toBe(201);
    });

    test('references are written and read with their scopes only', async () => {
      const { path } = await createOrderInHall(fixture);
      const scopes = ['orders:read', 'orders:write'];
      for (const scope of ['payments:write', 'orders.sensitive:write']) {
        const writing = [...scopes, scope];
        const part = await pay(fixture, path, { amount: 1, reference: 'secret' }, { scopes: writing });
        expect(part.status).toBe(201);
        expect(part.text).not.toContain('reference');
      }
      const refused = await pay(fixture, path, { reference: 'psp-1' }, { scopes: ['orders:write'] });
      expect(refused).toMatchObject({ status: 403, code: 'forbidden', data: null });
      expect(refused.headers.get('www-authenticate')).toContain('scope="payments:write"');
      // Before the order is read.
      expect((await pay(fixture, '/ord_unknown', { reference: 'psp-1' }, { scopes })).status).toBe(403);
      expect((await pay(fixture, '/ord_unknown', {}, { scopes })).status).toBe(404);
      expect((await fixture.call('GET', `${path}/payments`, { scopes })).status).toBe(403);
      expect(await payments(path)).toMatchObject([{ reference: 'secret' }, { reference: 'secret' }]);
      const refund = { body: { amount: 1, method: 'card', reference: 'secret' } };
      for (const held of [scopes, [...scopes, 'payments:write']])
        expect((await fixture.call('POST', `${path}/refunds`, { ...refund, scopes: held })).status).toBe(403);
      const write = [...scopes, 'orders.sensitive:write'];
      const refunded = await fixture.call('POST', `${path}/refunds`, { ...refund, scopes: write });
      expect(refunded.status).toBe(201);
      expect(refunded.text).not.toContain('reference');
    });
  });

  describe('an order that is paid in full is confirmed, however that came about', () => {
    /** An order of two lines of 1,000, with this captured. */
    const partlyPaid = async (amount = 1_000) => {
      const made = await createOrderInHall(fixture);
      await pay(fixture, made.path, { amount });
      const [first] = made.order.lines;
      return { ...made, remove: () => fixture.call('DELETE', `${made.path}/lines/${first?.id}`) };
    };

    const confirmed = { state: 'confirmed', total: 1_000, due: 0, paymentStatus: 'paid' };

    test('a line is removed: the answer is the confirmed order, and only its places are sold', async () => {
      for (const paid of [1_000, 1_500]) {
        const { hall, order, remove } = await partlyPaid(paid);
        const answer = await remove();
        expect(answer).toMatchObject({ status: 200, data: { ...confirmed, expiresAt: null, paid } });
        expect(answer.data.lines[0]?.ticketId).toMatch(/^tic_/);
        expect(fixture.catalog.count(hall)).toEqual({ free: 3, held: 0, sold: 1 });
        await waitUntil(() => fixture.factsOf(order.id).length > 0);
        expect(fixture.factsOf(order.id)).toMatchObject([{ type: 'order.confirmed' }]);
      }
    });

    test('also of a reservation, and of one whose sale the catalog does not answer', async () => {
      const { path, hall, remove } = await partlyPaid();
      await fixture.call('POST', `${path}/reservation`, { body: { dueAt: '2099-01-01T00:00:00Z' } });
      fixture.catalog.mishaps.set('sellHold', 'fails');
      expect(await remove()).toMatchObject({ status: 200, data: { state: 'reserved', total: 1_000 } });
      fixture.catalog.mishaps.clear();
      await fixture.later();
      expect(await read(fixture, path)).toMatchObject(confirmed);
      expect(fixture.catalog.count(hall)).toEqual({ free: 3, held: 0, sold: 1 });
    });

    test('also where the release was left to another process', async () => {
      const { path, remove } = await partlyPaid();
      fixture.catalog.mishaps.set('releaseHold', 'fails');
      expect(await remove()).toMatchObject({ status: 200, data: { state: 'open' } });
      fixture.catalog.mishaps.clear();
      await waitUntil(async () => {
        await fixture.later();
        return (await fixture.document(path.slice(1)))?.state === 'confirmed';
      });
    });

    test('lines are added to one whose lines were removed, and what it has paid covers them', async () => {
      const { hall, path, order } = await partlyPaid(500);
      const added = fixture.catalog.hall(2, { amount: 250 });
      for (const { id } of order.lines) await fixture.call('DELETE', `${path}/lines/${id}`);
      expect(await read(fixture, path)).toMatchObject({ state: 'open', lines: [], due: 0, credit: 500 });
      const key = randomUUID();
      const add = () => fixture.call('POST', `${path}/lines`, { body: { items: [added.item(2)] }, key });
      expect(await add()).toMatchObject({ status: 201, data: { state: 'confirmed', total: 500, due: 0, credit: 0 } });
      expect(await add()).toMatchObject({ status: 201, data: { state: 'confirmed', total: 500 } });
      expect([fixture.catalog.count(added).sold, fixture.catalog.count(hall).sold]).toEqual([2, 0]);
    });

    test('not one whose money was refunded, and not one that is free of charge: that is confirmed by command', async () => {
      const refunded = await partlyPaid();
      const body = { amount: 1, method: 'card' };
      expect((await fixture.call('POST', `${refunded.path}/refunds`, { body })).status).toBe(201);
      expect(await refunded.remove()).toMatchObject({ status: 200, data: { state: 'open', paymentStatus: 'partial' } });
      const free = fixture.catalog.hall(3, { amount: 0 });
      const { data } = await fixture.call('POST', '', { body: { items: [free.item(2)] } });
      const left = await fixture.call('DELETE', `/${data.id}/lines/${data.lines[0]?.id}`);
      expect(left).toMatchObject({ status: 200, data: { state: 'open', total: 0 } });
      expect((await fixture.call('POST', `/${data.id}/confirmation`, { body: {} })).data).toMatchObject({
        state: 'confirmed',
      });
      const empty = await createOrderInHall(fixture, 1);
      const none = await fixture.call('DELETE', `${empty.path}/lines/${empty.order.lines[0]?.id}`);
      expect(none).toMatchObject({ status: 200, data: { state: 'open', lines: [] } });
    });

    test('an order is paid only by what was not refunded, until it is confirmed; refunds of a confirmed one leave it paid', async () => {
      const { path, remove } = await partlyPaid();
      const refund = { body: { amount: 1_000, method: 'card' } };
      expect((await fixture.call('POST', `${path}/refunds`, refund)).status).toBe(201);
      const unpaid = {
        state: 'open',
        total: 1_000,
        paid: 1_000,
        due: 1_000,
        paymentStatus: 'unpaid',
        refundStatus: 'full',
      };
      expect(await remove()).toMatchObject({ status: 200, data: unpaid });
      expect((await fixture.call('POST', `${path}/confirmation`, { body: {} })).code).toBe('order_unpaid');
      const sold = await partlyPaid();
      expect(await sold.remove()).toMatchObject({ data: confirmed });
      expect((await fixture.call('POST', `${sold.path}/refunds`, refund)).status).toBe(201);
      expect(await read(fixture, sold.path)).toMatchObject({ ...confirmed, refundStatus: 'full' });
    });

    /** An order whose hold has ended and whose payment covers it, as an earlier release left it. */
    const overdue = async () => {
      const made = await fixture.catalog.expiring(() => createOrderInHall(fixture));
      await fixture.context.orders.of('opera').update(made.order.id, (order) => {
        const settled = { status: 'captured', createdAt: order.createdAt, updatedAt: order.createdAt } as const;
        const payment = { id: `pay_${order.id}`, method: 'card', amount: 2_000, currency: 'CHF', reference: null };
        return { next: { ...order, payments: [{ ...payment, ...settled }] } };
      });
      return made;
    };

    test.each([
      ['as due work', async () => fixture.later()],
      ['when it is read', async (path: string) => void (await read(fixture, path))],
      [
        'by the next command',
        async (path: string) => void (await fixture.call('POST', `${path}/extension`, { body: { minutes: 1 } })),
      ],
    ])('at its deadline it is confirmed instead of expired: %s', async (_, end) => {
      const { path, order, hall } = await overdue();
      await end(path);
      expect(await fixture.document(order.id)).toMatchObject({ state: 'confirmed', confirmedAt: expect.any(Number) });
      expect(fixture.catalog.count(hall).sold).toBe(2);
    });

    test('with other places of the category where its own are gone; without any it expires and keeps the money', async () => {
      const replaced = await overdue();
      const taken = [String(replaced.order.lines[0]?.place.id)];
      const other = await fixture.call('POST', '', { body: { items: [replaced.hall.item(1, taken)] } });
      expect(other.status).toBe(201);
      await fixture.later();
      expect(await read(fixture, replaced.path)).toMatchObject({ state: 'confirmed' });
      const gone = await overdue();
      expect((await fixture.call('POST', '', { body: { items: [gone.hall.item(4)] } })).status).toBe(201);
      await fixture.later();
      expect(await read(fixture, gone.path)).toMatchObject({ state: 'expired', paid: 2_000, paymentStatus: 'paid' });
      expect(fixture.catalog.placesOf(gone.order.id)).toEqual([]);
    });
  });

  describe('payments and refunds can be read', () => {
    /** The path of a Location, in the form that the fixture expects. */
    const at = (headers: Headers) => String(headers.get('location')).replace('/svc/v3/orders', '');
    const refund = (path: string, amount: number, key?: string) =>
      fixture.call<Payment>('POST', `${path}/refunds`, { body: { amount, method: 'card', reference: 'r' }, key });

    test.each(['payments', 'refunds'] as const)(
      'each of the %s is read at its Location, and all page by page',
      async (records) => {
        const { path } = await createOrderInHall(fixture);
        const record = (amount: number) =>
          records === 'payments' ? pay(fixture, path, { amount, reference: 'psp-1' }) : refund(path, amount);
        if (records === 'refunds') await pay(fixture, path);
        const made = await record(500);
        const found = await fixture.call<Payment>('GET', at(made.headers));
        expect([found.status, found.data]).toEqual([200, made.data]);
        expect(found.headers.get('etag')).toBe(made.headers.get('etag'));
        expect((await fixture.call('GET', at(made.headers), { scopes: ['orders:read'] })).status).toBe(403);
        expect((await fixture.call('GET', `${path}/${records}/unknown`)).status).toBe(404);
        const other = await createOrderInHall(fixture);
        expect((await fixture.call('GET', `${other.path}/${records}/${made.data.id}`)).status).toBe(404);
        const { data: last } = await record(200);
        const page = (query: string) =>
          fixture.call<{ items: Payment[]; nextCursor: string | null }>('GET', `${path}/${records}?limit=1${query}`);
        const first = await page('');
        expect(first.data.items).toEqual([made.data]);
        expect((await page(`&cursor=${first.data.nextCursor}`)).data).toEqual({ items: [last], nextCursor: null });
      },
    );

    test('an erasure keeps the idempotency records of payments and refunds, and deletes those of orders', async () => {
      const contactNumber = `C${randomUUID()}`;
      fixture.contacts.known.set(contactNumber, null);
      const { path } = await createOrderInHall(fixture);
      await fixture.call('PATCH', path, { body: { contactNumber } });
      const keys = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
      const act = async () => {
        const answers = [
          await pay(fixture, path, { amount: 500 }, { key: keys[0] }),
          await pay(fixture, path, { amount: 1_500 }, { key: keys[1] }),
          await refund(path, 10, keys[2]),
          await fixture.call('PATCH', path, { body: { externalReference: 'x' }, key: keys[3] }),
        ];
        return answers.map(({ status, headers }) => [status, headers.get('idempotency-replayed')]);
      };
      const expected = (...replayed: (string | null)[]) =>
        [201, 201, 201, 200].map((status, at) => [status, replayed[at]]);
      expect(await act()).toEqual(expected(null, null, null, null));
      expect(await act()).toEqual(expected('true', 'true', 'true', 'true'));
      await fixture.deliver('contact.erased', { contactNumber });
      expect(await act()).toEqual(expected('true', 'true', 'true', null));
    });
  });
});
