import type { New } from '@boxoffice/store';
import { expect, test } from '@jest/globals';
import { signBarcode } from '../../src/barcode/barcode.ts';
import { createContext } from '../../src/context.ts';
import { createTicket } from '../../src/domain/order.ts';
import { toOrderedTicket } from '../../src/issue/confirmation.ts';
import { issue } from '../../src/issue/issue.ts';
import { type OrderDocument, ordersCollection } from '../../src/store.ts';
import { crashAtEachWrite } from '../fixture/crashes.ts';
import { describeOnEachEngine, PATH, SERVICE_SECRET, type TicketView } from '../fixture/service.ts';
import {
  addMembers,
  type Confirmed,
  createConfirmedOrder,
  getFirstTicketId,
  issueOrder,
  readOrderTickets,
  toCancelledOrder,
} from '../fixture/tickets.ts';

const ana = { firstName: 'Ana', lastName: 'Martin' };
const eva = { firstName: 'Eva', lastName: 'Moreau' };
const kim = { firstName: null, lastName: 'Kim' };
describeOnEachEngine('tickets with names are issued by the call', (fixture) => {
  const issueNamed = (order: Confirmed) => issueOrder(fixture, addMembers(order, { beneficiary: ana }));
  const ticketsOf = async ({ orderId }: Confirmed) => (await readOrderTickets(fixture, orderId)).tickets;
  const namesOf = ({ tickets }: Confirmed) =>
    Promise.all(tickets.map(async ({ ticketId }) => (await fixture.ticket(ticketId)).beneficiary));
  const eventsOf = ({ tickets }: Confirmed) => fixture.eventsOf(tickets.map(({ ticketId }) => ticketId));

  /** What release 0.3.0 stores of an order whose fact says that the call with the names follows. */
  const leave = async (order: Confirmed): Promise<void> => {
    const { orderId: id, contactNumber, tickets } = order;
    const callAwaitedSince = new Date().toISOString();
    const left = { id, contactNumber, asOf: 3, tickets: tickets.map(toOrderedTicket), cancellation: null };
    await fixture.store
      .collection(ordersCollection)
      .of(fixture.institution)
      .insert({ ...left, callAwaitedSince, createdAt: callAwaitedSince } as New<OrderDocument>);
  };

  test('each with its name and one event, however often', async () => {
    const [once, together] = [createConfirmedOrder(2), createConfirmedOrder(2)];
    await issueNamed(once);
    await Promise.all([issueNamed(together), issueNamed(together), issueNamed(together)]);
    for (const order of [once, together]) {
      await issueNamed(order);
      expect(await namesOf(order)).toEqual([ana, ana]);
      expect(await eventsOf(order)).toEqual([['ticket.issued'], ['ticket.issued']]);
    }
  });

  /** As {@link leave}, with the tickets that it issues without names after thirty seconds. */
  const leaveUnnamed = async (confirmed: Confirmed): Promise<void> => {
    await leave(confirmed);
    const { orders, tickets } = fixture.context.collections(fixture.institution);
    const order = await orders.get(confirmed.orderId);
    if (!order) throw new Error('nothing was left');
    const key = await fixture.context.keys.signing(fixture.institution);
    const iat = Math.floor(Date.now() / 1_000);
    const made = order.tickets.map((one) => {
      const barcode = signBarcode(key, { tid: one.ticketId, prf: one.performanceId, plc: one.place.id, iat });
      return createTicket(order, one, barcode, new Date().toISOString());
    });
    await tickets.insertMany(made);
  };

  test('those that release 0.3.0 has not issued have them, with one event', async () => {
    const order = createConfirmedOrder(2);
    await leave(order);
    await issueNamed(order);
    expect(await namesOf(order)).toEqual([ana, ana]);
    expect(await eventsOf(order)).toEqual([['ticket.issued'], ['ticket.issued']]);
  });

  test.each([false, true])('those that it has issued without names get them in place; printed: %s', async (print) => {
    const order = createConfirmedOrder(1);
    await leaveUnnamed(order);
    const id = getFirstTicketId(order);
    if (print) expect((await fixture.call('POST', `${PATH}/${id}/printing`)).status).toBe(200);
    await issueNamed(order);
    expect(await fixture.ticket(id)).toMatchObject({ beneficiary: ana, status: print ? 'printed' : 'not_printed' });
  });

  test('a name that was set before the call stays', async () => {
    const [left, named] = [createConfirmedOrder(1), createConfirmedOrder(1)];
    await leaveUnnamed(left);
    const changed = await fixture.call('PATCH', `${PATH}/${getFirstTicketId(left)}`, { body: { beneficiary: eva } });
    expect(changed.status).toBe(200);
    await issueNamed(left);
    await issueNamed(named);
    await issueOrder(fixture, addMembers(named, { beneficiary: eva }));
    expect([await namesOf(left), await namesOf(named)]).toEqual([[eva], [ana]]);
  });

  test('those of an order that release 0.3.0 left, and that is cancelled before the call, are only cancelled', async () => {
    const order = createConfirmedOrder(1);
    await leave(order);
    await fixture.deliver('order.cancelled', toCancelledOrder(order), { version: 4 });
    await issueNamed(order);
    expect((await ticketsOf(order)).map(({ status }) => status)).toEqual(['cancelled']);
    expect(await eventsOf(order)).toEqual([['ticket.cancelled']]);
  });

  test('the fact alone issues none, and is no dead letter', async () => {
    const order = createConfirmedOrder(1);
    await fixture.deliver('order.confirmed', { ...order, callFollows: true }, { version: 3 });
    expect(await ticketsOf(order)).toEqual([]);
  });

  test('an order of many places with long texts is one call', async () => {
    const order = createConfirmedOrder(400);
    const about = {
      product: { en: 'T'.repeat(500), fr: 'T'.repeat(500) },
      seatCategory: { en: 'Stalls' },
      venue: { name: 'Opéra', city: 'Genève' },
      timeZone: 'Europe/Zurich',
    };
    const call = { ...order, tickets: order.tickets.map((ticket) => ({ ...ticket, about, beneficiary: ana })) };
    expect(JSON.stringify(call).length).toBeGreaterThan(512 * 1_024);
    await issueOrder(fixture, call);
    expect(await ticketsOf(order)).toHaveLength(400);
  });

  test.each(['before', 'after'] as const)('a process may die %s each write of the call', async (when) => {
    const order = createConfirmedOrder(2);
    const tickets = order.tickets.map((ticket) => ({ ...toOrderedTicket(ticket), beneficiary: ana }));
    const crashes = await crashAtEachWrite(
      fixture.store,
      (store) => issue(createContext(store, SERVICE_SECRET), fixture.institution, { ...order, tickets, version: 3 }),
      when,
    );
    expect(crashes).toBeGreaterThan(0);
    expect(await namesOf(order)).toEqual([ana, ana]);
    expect(await eventsOf(order)).toEqual([['ticket.issued'], ['ticket.issued']]);
  });
});

/** The order with the beneficiary of its first ticket, as of its so many-th change. */
const as = (order: Confirmed, beneficiary: object | null, beneficiaryAsOf?: number): Confirmed => ({
  ...order,
  tickets: order.tickets.map((ticket, index) =>
    index === 0 ? { ...ticket, beneficiary, ...(beneficiaryAsOf === undefined ? {} : { beneficiaryAsOf }) } : ticket,
  ),
});

describeOnEachEngine('tickets follow the beneficiaries of their order', (fixture) => {
  const all = async ({ orderId }: Confirmed) =>
    (await fixture.call('GET', `${PATH}?orderId=${orderId}`)).data.items as TicketView[];

  test('one that is not printed in place, each change once', async () => {
    const order = createConfirmedOrder(2);
    const id = getFirstTicketId(order);
    await issueOrder(fixture, as(order, ana));
    await issueOrder(fixture, as(order, eva, 1), 4);
    expect((await fixture.ticket(id)).beneficiary).toEqual(eva);
    await fixture.call('PATCH', `${PATH}/${id}`, { body: { beneficiary: { ...kim } } });
    // A repeat, and a late call of an earlier version, undo nothing.
    await issueOrder(fixture, as(order, eva, 1), 4);
    await issueOrder(fixture, as(order, ana), 3);
    expect((await fixture.ticket(id)).beneficiary).toEqual(kim);
    await issueOrder(fixture, as(order, null, 2), 5);
    expect((await fixture.ticket(id)).beneficiary).toBeNull();
    expect(await all(order)).toHaveLength(2);
  });

  test('a printed one by a replacement, which further changes reach', async () => {
    const order = createConfirmedOrder(2);
    const id = getFirstTicketId(order);
    await issueOrder(fixture, as(order, ana));
    await fixture.call('POST', `${PATH}/printing`, { body: { orderId: order.orderId } });
    const { data } = await fixture.call('POST', '/internal/tickets/issue', {
      body: { ...as(order, eva, 1), version: 4 },
    });
    expect(data).toMatchObject({
      tickets: expect.arrayContaining([{ ticketId: `${id}_r1`, lineId: order.tickets[0]?.lineId, status: 'printed' }]),
    });
    expect(await fixture.ticket(id)).toMatchObject({ status: 'invalidated', replacedBy: `${id}_r1`, beneficiary: ana });
    expect(await fixture.ticket(`${id}_r1`)).toMatchObject({ status: 'printed', beneficiary: eva });
    await issueOrder(fixture, as(order, eva, 1), 4);
    expect(await all(order)).toHaveLength(3);
    expect((await fixture.facts(order.orderId)).map(({ type }) => type)).toContain('ticket.replaced');
    await issueOrder(fixture, as(order, kim, 2), 5);
    expect(await fixture.ticket(`${id}_r2`)).toMatchObject({ status: 'printed', beneficiary: kim });
  });

  test('not a controlled or cancelled one', async () => {
    const order = createConfirmedOrder(1);
    const id = getFirstTicketId(order);
    await issueOrder(fixture, as(order, ana));
    await fixture.call('POST', `${PATH}/${id}/printing`);
    await fixture.call('POST', `${PATH}/${id}/control`, { body: {} });
    await issueOrder(fixture, as(order, eva, 1), 4);
    expect(await fixture.ticket(id)).toMatchObject({ status: 'controlled', beneficiary: ana });
    const other = createConfirmedOrder(1);
    await issueOrder(fixture, as(other, ana));
    await fixture.deliver('order.cancelled', toCancelledOrder(other));
    await issueOrder(fixture, as(other, eva, 1), 4);
    expect(await fixture.ticket(getFirstTicketId(other))).toMatchObject({ status: 'cancelled', beneficiary: ana });
  });

  test('the newest name stays when an older call comes late', async () => {
    const order = createConfirmedOrder(1);
    await issueOrder(fixture, order, 3);
    await issueOrder(fixture, as(order, eva, 1), 4);
    await issueOrder(fixture, as(order, ana), 3);
    expect((await fixture.ticket(getFirstTicketId(order))).beneficiary).toEqual(eva);
  });
});
