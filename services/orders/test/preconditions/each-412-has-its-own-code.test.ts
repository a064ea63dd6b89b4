// rule 3: A 412 refers to an order's state | services/orders/src/domain/decisions.ts

import { randomUUID } from 'node:crypto';
import { registry } from '@boxoffice/envelope';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { describeOnEachEngine, type Order } from '../fixture/fixture.ts';
import { createExpiredOrder, createOrderInHall, listPayments, pay, read } from '../fixture/orders.ts';

describeOnEachEngine('orders as answered', (fixture) => {
  describe('each 412 has its own code', () => {
    const DUE_AT = '2099-01-01T00:00:00Z';

    const post = (path: string, action: string, body: object = {}) =>
      fixture.call('POST', `${path}/${action}`, { body });
    const confirmed = async () => {
      const made = await createOrderInHall(fixture);
      await post(made.path, 'confirmation', { onAccount: true });
      return made;
    };
    const cancelled = async () => {
      const made = await createOrderInHall(fixture);
      await post(made.path, 'cancellation');
      return made;
    };
    const waiting = async () => {
      const made = await createOrderInHall(fixture);
      await pay(fixture, made.path, { status: 'pending' });
      return made;
    };
    const expired = () => createExpiredOrder(fixture);
    const actions: [string, object][] = [
      ['extension', { minutes: 5 }],
      ['reservation', { dueAt: DUE_AT }],
    ];

    test.each([
      ['order_expired', expired],
      ['order_cancelled', cancelled],
      ['order_confirmed', confirmed],
      ['order_payment_pending', waiting],
    ])('%s refuses extensions, reservations and changes of lines', async (code, make) => {
      const { path, order, hall } = await make();
      const replies = [
        ...(await Promise.all(actions.map(([action, body]) => post(path, action, body)))),
        await post(path, 'lines', { items: [hall.item()] }),
        await fixture.call('DELETE', `${path}/lines/${order.lines[0]?.id}`),
      ];
      for (const reply of replies) expect(reply).toMatchObject({ status: 412, code, data: null });
    });

    test('a confirmation of an expired, cancelled, confirmed, waiting, unpaid or empty order has its code', async () => {
      const codeOf = async ({ path }: { path: string }, body: object = { onAccount: true }) =>
        (await post(path, 'confirmation', body)).code;
      expect(await codeOf(await expired())).toBe('order_expired');
      expect(await codeOf(await cancelled())).toBe('order_cancelled');
      expect(await codeOf(await confirmed())).toBe('order_confirmed');
      const pending = await waiting();
      expect(await codeOf(pending, {})).toBe('order_payment_pending');
      expect((await post(pending.path, 'confirmation', { onAccount: true })).status).toBe(200);
      const open = await createOrderInHall(fixture, 1);
      expect(await codeOf(open, {})).toBe('order_unpaid');
      await fixture.call('DELETE', `${open.path}/lines/${open.order.lines[0]?.id}`);
      expect(await codeOf(open)).toBe('order_empty');
    });

    test('a cancellation of an expired or cancelled order or one with a controlled ticket has its code', async () => {
      const codeOf = async ({ path }: { path: string }) => (await post(path, 'cancellation')).code;
      expect(await codeOf(await expired())).toBe('order_expired');
      expect(await codeOf(await cancelled())).toBe('order_cancelled');
      const { path, order } = await confirmed();
      fixture.tickets.controlled.set(order.id, [String((await read(fixture, path)).lines[0]?.ticketId)]);
      expect(await codeOf({ path })).toBe('order_ticket_controlled');
    });

    test('a change of an order that is not sold, or has a controlled ticket, and the end of one that has ended', async () => {
      const change = ({ path, order }: { path: string; order: { lines: readonly { id: string }[] } }, body = {}) =>
        post(path, 'changes', { returns: [{ lineId: order.lines[0]?.id }], difference: -5_000, ...body });
      expect((await change(await createOrderInHall(fixture))).code).toBe('order_not_confirmed');
      expect((await change(await waiting())).code).toBe('order_not_confirmed');
      expect((await change(await expired())).code).toBe('order_expired');
      expect((await change(await cancelled())).code).toBe('order_cancelled');
      const sold = await confirmed();
      expect((await change(sold)).code).toBe('change_not_allowed');
      const { amount, ticketId, id } = (await read(fixture, sold.path)).lines[0] ?? {};
      fixture.tickets.controlled.set(sold.order.id, [String(ticketId)]);
      expect((await change(sold, { override: true, difference: 0 })).code).toBe('change_difference_changed');
      const { data } = await change(sold, { override: true, difference: 0 - Number(amount) });
      expect(data).toMatchObject({ state: 'done', returns: [{ lineId: id }] });
      const ended = await fixture.call('DELETE', `${sold.path}/changes/${data.id}`);
      expect(ended.code).toBe('change_final');
    });

    test('a payment on a cancelled or expired order, and another final status, have their codes', async () => {
      expect((await pay(fixture, (await cancelled()).path)).code).toBe('order_cancelled');
      expect((await pay(fixture, (await expired()).path, { status: 'pending' })).code).toBe('order_expired');
      const { path } = await createOrderInHall(fixture);
      const { data } = await pay(fixture, path, { status: 'pending' });
      const settle = (status: string) => fixture.call('PATCH', `${path}/payments/${data.id}`, { body: { status } });
      expect((await settle('pending')).status).toBe(200);
      await settle('failed');
      expect((await settle('captured')).code).toBe('payment_final');
      expect((await settle('pending')).code).toBe('payment_final');
    });

    test.each(['part', 'places gone', 'capture after the end', 'capture after the cancellation'])(
      'payment_recorded: the money is recorded, and Location is the payment, each time (%s)',
      async (why) => {
        const isCapture = why.startsWith('capture');
        const { path, order, hall } = await (isCapture ? waiting() : expired());
        if (why === 'capture after the cancellation') await post(path, 'cancellation');
        else if (isCapture) {
          const orders = fixture.context.orders.of('opera');
          await orders.update(order.id, (current) => ({ next: { ...current, deadline: Date.now() - 1 } }));
          expect((await read(fixture, path)).state).toBe('expired');
        }
        if (why !== 'part') for (const id of hall.placeIds) fixture.catalog.steal(id);
        const [pending] = await listPayments(fixture, path);
        const key = randomUUID();
        const send = (call: object = { key }) =>
          pending
            ? fixture.call('PATCH', `${path}/payments/${pending.id}`, { body: { status: 'captured' }, ...call })
            : pay(fixture, path, why === 'part' ? { amount: 500 } : {}, { key });
        for (const reply of [await send(), await send(), await send({})]) {
          const [payment, ...others] = await listPayments(fixture, path);
          expect([payment, others]).toMatchObject([{ status: 'captured' }, []]);
          expect(reply).toMatchObject({ status: 412, code: 'payment_recorded' });
          expect(reply.headers.get('location')).toBe(`/svc/v3/orders${path}/payments/${payment?.id}`);
        }
      },
    );

    test('If-Match, and a state without its own code, are precondition_failed', async () => {
      const { path } = await createOrderInHall(fixture);
      const stale = await fixture.call('POST', `${path}/extension`, { body: { minutes: 5 }, ifMatch: '"99"' });
      expect(stale.code).toBe('precondition_failed');
      await post(path, 'reservation', { dueAt: DUE_AT });
      expect((await post(path, 'reservation', { dueAt: DUE_AT })).code).toBe('precondition_failed');
    });
  });

  test('the registry contains every 412 code of the interface about orders, payments and tickets', () => {
    const rows = Object.values(registry).filter(({ http, domain }) => http === 412 && domain !== 'general');
    expect(rows.map(({ status }) => status).toSorted()).toEqual([
      'change_final',
      'change_not_allowed',
      'order_cancelled',
      'order_confirmed',
      'order_empty',
      'order_expired',
      'order_not_confirmed',
      'order_payment_pending',
      'order_ticket_controlled',
      'order_unpaid',
      'payment_by_provider',
      'payment_final',
      'payment_recorded',
      'ticket_cancelled',
      'ticket_invalidated',
      'ticket_not_printed',
      'ticket_not_valid_now',
    ]);
  });

  describe('lists and validators', () => {
    interface Page {
      readonly items: readonly Order[];
      readonly nextCursor: string | null;
      readonly asOf: string;
    }

    const institution = `opera-${randomUUID().slice(0, 8)}`;
    let orders: Order[];
    beforeAll(async () => {
      fixture.contacts.known.set('C1', null);
      orders = [];
      for (let index = 0; index < 7; index += 1) {
        const hall = fixture.catalog.hall(2, { institution });
        const more = index % 2 === 0 ? { contactNumber: 'C1' } : { externalReference: `r-${index}` };
        orders.push((await fixture.call('POST', '', { institution, body: { items: [hall.item()], ...more } })).data);
      }
    });

    const list = async (query: string) => (await fixture.call<Page>('GET', query, { institution })).data;
    const ids = ({ items }: Page) => items.map(({ id }) => id);

    test('a list returns full resources in order of creation, page by page', async () => {
      const found: Order[] = [];
      const asOf = new Set<string>();
      for (let query: string | null = '?limit=3'; query !== null; ) {
        const page: Page = await list(query);
        found.push(...page.items);
        asOf.add(page.asOf);
        query = page.nextCursor === null ? null : `?limit=3&cursor=${page.nextCursor}`;
      }
      expect(found).toEqual(orders);
      expect(asOf.size).toBe(1);
      expect(ids(await list(''))).toEqual(orders.map(({ id }) => id));
    });

    test('`asOf` is 15 s before the first page was read', async () => {
      const before = Date.now();
      const { asOf } = await list('?limit=1');
      const read = Date.parse(asOf) + 15_000;
      expect(read >= before && read <= Date.now()).toBe(true);
      expect((await list(`?modifiedSince=${asOf}`)).asOf >= asOf).toBe(true);
    });

    test('filters are state, contact, reference and `modifiedSince`, which is inclusive', async () => {
      expect(ids(await list('?contactNumber=C1'))).toEqual([0, 2, 4, 6].map((index) => orders[index]?.id));
      expect(ids(await list('?externalReference=r-3'))).toEqual([orders[3]?.id]);
      expect(ids(await list('?externalReference=%20r-3%C2%A0'))).toEqual([orders[3]?.id]);
      const changed = await fixture.call('POST', `/${orders[2]?.id}/confirmation`, {
        institution,
        body: { onAccount: true },
      });
      expect(ids(await list('?state=confirmed'))).toEqual([orders[2]?.id]);
      expect(ids(await list('?state=open&contactNumber=C1'))).toEqual([0, 4, 6].map((index) => orders[index]?.id));
      expect(ids(await list(`?modifiedSince=${changed.data.updatedAt}`))).toEqual([orders[2]?.id]);
      expect(ids(await list('?modifiedSince=2999-01-01T00:00:00Z'))).toEqual([]);
      expect((await fixture.call('GET', '?state=draft', { institution })).code).toBe('invalid_parameter');
      expect((await fixture.call('GET', '?limit=501', { institution })).code).toBe('invalid_parameter');
      expect((await list('?limit=500')).items.some(({ id }) => id === orders[2]?.id)).toBe(true);
    });

    test('filters are the point of sale and the creation, both ends included', async () => {
      const of = orders.map(({ createdAt }) => createdAt);
      const from = `createdFrom=${of[2]}`;
      const to = `createdTo=${of[4]}`;
      const within = orders.filter(
        ({ createdAt }) => String(createdAt) >= String(of[2]) && String(createdAt) <= String(of[4]),
      );
      expect(ids(await list(`?${from}&${to}`))).toEqual(within.map(({ id }) => id));
      expect(ids(await list(`?${from}`))).toEqual(
        orders.filter((one) => String(one.createdAt) >= String(of[2])).map(({ id }) => id),
      );
      expect(ids(await list('?createdTo=2020-01-01T00:00:00Z'))).toEqual([]);
      expect(ids(await list('?createdFrom=1960-01-01T00:00:00Z&limit=500'))).toEqual(orders.map(({ id }) => id));
      const hall = fixture.catalog.hall(1, { institution });
      const sold = await fixture.call('POST', '', {
        institution,
        body: { items: [hall.item()], pointOfSale: 'tickets.opera.example' },
      });
      expect(ids(await list('?pointOfSale=Tickets.Opera.Example'))).toEqual([sold.data.id]);
      expect(ids(await list('?pointOfSale=other.example'))).toEqual([]);
      expect((await fixture.call('GET', '?createdFrom=yesterday', { institution })).code).toBe('invalid_parameter');
    });

    test('every write checks If-Match, and each answer has the new validator', async () => {
      const { path, order } = await createOrderInHall(fixture, 3);
      const stale = { ifMatch: '"7"' };
      const line = order.lines[0]?.id;
      const writes: [string, string, unknown][] = [
        ['PATCH', '', { externalReference: 'x' }],
        ['POST', '/lines', { items: [{ performanceId: 'p', seatCategoryId: 's', tariffId: 't' }] }],
        ['PATCH', `/lines/${line}`, { beneficiary: { lastName: 'x' } }],
        ['DELETE', `/lines/${line}`, undefined],
        ['POST', '/extension', { minutes: 5 }],
        ['POST', '/reservation', { dueAt: '2020-01-01T00:00:00Z' }],
        ['POST', '/payments', { method: 'card', amount: 999_999, status: 'captured' }],
        ['PATCH', '/payments/pay_unknown', { status: 'failed' }],
        ['POST', '/confirmation', {}],
        ['POST', '/cancellation', {}],
        ['POST', '/refunds', { amount: 1, method: 'card' }],
      ];
      for (const [method, at, body] of writes) {
        const answer = await fixture.call(method, `${path}${at}`, { body, ...stale });
        expect([method, at, answer.status]).toEqual([method, at, 412]);
      }
      expect(await read(fixture, path)).toEqual(order);
      let etag = '"1"';
      const chain: [string, string, unknown][] = [
        ['PATCH', '', { externalReference: 'x' }],
        ['DELETE', `/lines/${line}`, undefined],
        ['POST', '/extension', { minutes: 50 }],
        ['POST', '/payments', { method: 'card', amount: 10, status: 'captured' }],
        ['POST', '/refunds', { amount: 1, method: 'card' }],
        ['POST', '/confirmation', { onAccount: true }],
        ['POST', '/cancellation', {}],
      ];
      for (const [method, at, body] of chain) {
        const answer = await fixture.call(method, `${path}${at}`, { body, ifMatch: etag });
        expect([method, at, answer.status < 300]).toEqual([method, at, true]);
        etag = String(answer.headers.get('etag'));
      }
      expect((await read(fixture, path)).version).toBe(Number(etag.slice(1, -1)));
    });

    test('the answer names the JSON path of every fault in a body', async () => {
      const answer = await fixture.call('POST', '', {
        body: { items: [{ performanceId: '', quantity: 99 }], colour: 1 },
      });
      expect(answer).toMatchObject({ status: 400, code: 'bad_request' });
      for (const path of ['$.items[0].seatCategoryId', '$.items[0].quantity', '$.colour'])
        expect(answer.details).toContain(path);
      const { path } = await createOrderInHall(fixture);
      expect((await pay(fixture, path, { status: 'maybe' })).code).toBe('validation_error');
    });
  });
});
