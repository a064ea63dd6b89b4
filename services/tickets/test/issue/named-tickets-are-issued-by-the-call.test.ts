import { expect, test } from '@jest/globals';
import { createContext } from '../../src/context.ts';
import type { Confirmed as Confirmation } from '../../src/domain/order.ts';
import { toOrderedTicket } from '../../src/issue/confirmation.ts';
import { issue, issueOverdue, OVERDUE_MS } from '../../src/issue/issue.ts';
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
const quiet = { warn: () => undefined };

describeOnEachEngine('tickets with names are issued by the direct call', (fixture) => {
  /** The fact leaves the issue to the call. */
  const byFact = (order: Confirmed, version = 3) =>
    fixture.deliver('order.confirmed', { ...order, callFollows: true }, { version });
  const byCall = (order: Confirmed) => issueOrder(fixture, addMembers(order, { beneficiary: ana }));
  const overdueIn = (ms: number, store = fixture.store, begin = Date.now()) =>
    issueOverdue(
      createContext(store, SERVICE_SECRET, () => begin + ms),
      quiet,
    );
  const ticketsOf = async ({ orderId }: Confirmed) => (await readOrderTickets(fixture, orderId)).tickets;
  const namesOf = ({ tickets }: Confirmed) =>
    Promise.all(tickets.map(async ({ ticketId }) => (await fixture.ticket(ticketId)).beneficiary));
  const heardOf = ({ tickets }: Confirmed) => fixture.eventsOf(tickets.map(({ ticketId }) => ticketId));
  const waits = async ({ orderId }: Confirmed) =>
    (await fixture.context.collections(fixture.institution).orders.get(orderId))?.callAwaitedSince != null;

  test('each with its name and one event, whichever of fact and call comes first, and however often', async () => {
    const [factFirst, callFirst, together] = [
      createConfirmedOrder(2),
      createConfirmedOrder(2),
      createConfirmedOrder(2),
    ];
    await byFact(factFirst);
    expect(await ticketsOf(factFirst)).toEqual([]);
    await byFact(factFirst);
    await byCall(factFirst);
    await byCall(callFirst);
    await Promise.all([byFact(together), byCall(together), byFact(together), byCall(together)]);
    for (const order of [factFirst, callFirst, together]) {
      await byFact(order);
      await overdueIn(2 * OVERDUE_MS);
      expect(await namesOf(order)).toEqual([ana, ana]);
      expect(await heardOf(order)).toEqual([['ticket.issued'], ['ticket.issued']]);
      expect(await waits(order)).toBe(false);
    }
  });

  test('a fact of an order whose names came completes an interrupted issue, with the names', async () => {
    const order = createConfirmedOrder(2);
    await byFact(order);
    await byCall(order);
    await fixture.context.collections(fixture.institution).tickets.delete(getFirstTicketId(order));
    // As after a restart: nothing is remembered.
    fixture.context.issuing.clear();
    await byFact(order);
    expect(await namesOf(order)).toEqual([ana, ana]);
  });

  test('without names after thirty seconds, and a late call names them', async () => {
    const order = createConfirmedOrder(2);
    const begin = Date.now();
    await byFact(order);
    await overdueIn(OVERDUE_MS - 1, fixture.store, begin);
    expect(await ticketsOf(order)).toEqual([]);
    await overdueIn(2 * OVERDUE_MS);
    expect(await namesOf(order)).toEqual([null, null]);
    expect(await waits(order)).toBe(false);
    // The wait is over: neither a repeat of the fact nor a newer one begins another.
    await byFact(order);
    await byFact(order, 5);
    expect(await waits(order)).toBe(false);
    await byCall(order);
    expect(await namesOf(order)).toEqual([ana, ana]);
    expect(await heardOf(order)).toEqual(Array.from({ length: 2 }, () => ['ticket.issued', 'ticket.changed']));
  });

  test('a fact without the notice, once no name is due, issues at once', async () => {
    const order = createConfirmedOrder(1);
    await byFact(order);
    await fixture.deliver('order.confirmed', order, { version: 4 });
    expect(await namesOf(order)).toEqual([null]);
    await overdueIn(2 * OVERDUE_MS);
    expect(await waits(order)).toBe(false);
    expect(await heardOf(order)).toEqual([['ticket.issued']]);
  });

  test('those of an order that is cancelled before the call are only cancelled', async () => {
    const order = createConfirmedOrder(1);
    await byFact(order);
    await fixture.deliver('order.cancelled', toCancelledOrder(order), { version: 4 });
    await byCall(order);
    await overdueIn(2 * OVERDUE_MS);
    expect((await ticketsOf(order)).map(({ status }) => status)).toEqual(['cancelled']);
    expect(await heardOf(order)).toEqual([['ticket.cancelled']]);
    expect(await waits(order)).toBe(false);
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
    await byFact(order);
    await issueOrder(fixture, call);
    expect(await ticketsOf(order)).toHaveLength(400);
  });

  test.each(['before', 'after'] as const)('a process may die %s each write of fact, call and sweep', async (when) => {
    const { institution } = fixture;
    for (const late of [false, true]) {
      const order = createConfirmedOrder(2);
      const tickets = order.tickets.map(toOrderedTicket);
      const fact: Confirmation = { ...order, tickets, version: 3, callFollows: true };
      const call: Confirmation = {
        ...fact,
        callFollows: false,
        named: true,
        tickets: tickets.map((ticket) => ({ ...ticket, beneficiary: ana })),
      };
      const from = (store: typeof fixture.store) => createContext(store, SERVICE_SECRET);
      const crashes = [
        await crashAtEachWrite(fixture.store, (store) => issue(from(store), institution, fact), when),
        ...(late ? [await crashAtEachWrite(fixture.store, (store) => overdueIn(2 * OVERDUE_MS, store), when)] : []),
        await crashAtEachWrite(fixture.store, (store) => issue(from(store), institution, call), when),
      ];
      expect(Math.min(...crashes)).toBeGreaterThan(0);
      expect(await namesOf(order)).toEqual([ana, ana]);
      const expected = late ? ['ticket.issued', 'ticket.changed'] : ['ticket.issued'];
      expect(await heardOf(order)).toEqual([expected, expected]);
    }
  });

  /** Issues the tickets of an order without the names, since the call that has them did not come in time. */
  const issuedUnnamed = async (order: Confirmed) => {
    await byFact(order);
    await overdueIn(2 * OVERDUE_MS);
  };

  test('a late call names a ticket without a name in place, printed or not', async () => {
    for (const print of [false, true]) {
      const event = createConfirmedOrder(1);
      await issuedUnnamed(event);
      expect((await fixture.ticket(getFirstTicketId(event))).beneficiary).toBeNull();
      if (print) expect((await fixture.call('POST', `${PATH}/${getFirstTicketId(event)}/printing`)).status).toBe(200);
      await byCall(event);
      expect(await fixture.ticket(getFirstTicketId(event))).toMatchObject({
        beneficiary: ana,
        status: print ? 'printed' : 'not_printed',
      });
    }
  });

  test('a name that was set before the late call stays', async () => {
    const event = createConfirmedOrder(1);
    await issuedUnnamed(event);
    const changed = await fixture.call('PATCH', `${PATH}/${getFirstTicketId(event)}`, { body: { beneficiary: eva } });
    expect(changed.status).toBe(200);
    await byCall(event);
    expect((await fixture.ticket(getFirstTicketId(event))).beneficiary).toEqual(eva);
    const other = createConfirmedOrder(1);
    await byCall(other);
    await issuedUnnamed(other);
    await issueOrder(fixture, addMembers(other, { beneficiary: eva }));
    expect((await fixture.ticket(getFirstTicketId(other))).beneficiary).toEqual(ana);
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

  test('one that the event issues before the call has the newest name', async () => {
    const order = createConfirmedOrder(1);
    await fixture.deliver('order.confirmed', order, { version: 3 });
    await issueOrder(fixture, as(order, eva, 1), 4);
    await issueOrder(fixture, as(order, ana), 3);
    expect((await fixture.ticket(getFirstTicketId(order))).beneficiary).toEqual(eva);
  });
});
