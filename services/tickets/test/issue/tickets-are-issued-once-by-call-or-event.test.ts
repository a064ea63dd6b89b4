import { expect, test } from '@jest/globals';
import { createContext } from '../../src/context.ts';
import { toOrderedTicket } from '../../src/issue/confirmation.ts';
import { issue, issueOverdue, OVERDUE_MS } from '../../src/issue/issue.ts';
import { describeOnEachEngine, PATH, SERVICE_SECRET, type TicketView } from '../fixture/service.ts';
import {
  addMembers,
  type Confirmed,
  createConfirmedOrder,
  getFirstTicketId,
  issueOrder,
  readOrderTickets,
  readShopTicket,
  SHOP,
  toCancelledOrder,
} from '../fixture/tickets.ts';

describeOnEachEngine('tickets are issued once by call or event', (fixture) => {
  const statusesOf = async (orderId: string) =>
    (await readOrderTickets(fixture, orderId)).tickets.map(({ status }) => status);

  test('concurrent repeated calls and events issue each ticket once', async () => {
    const order = createConfirmedOrder(3);
    const call = () => issueOrder(fixture, order, 3);
    const event = () => fixture.deliver('order.confirmed', order, { version: 3 });
    await Promise.all([call(), event(), event(), call()]);
    await event();
    const { tickets } = await readOrderTickets(fixture, order.orderId);
    expect(tickets.map(({ ticketId }) => ticketId).sort()).toEqual(order.tickets.map((one) => one.ticketId).sort());
    expect(await statusesOf(order.orderId)).toEqual(['not_printed', 'not_printed', 'not_printed']);
  });

  test('the later of call and event waits for the earlier one, and writes nothing', async () => {
    const order = createConfirmedOrder(2);
    const call = { orderId: order.orderId, contactNumber: null, version: 3, named: true, isCall: true };
    const event = { ...call, isCall: false };
    const tickets = order.tickets.map(toOrderedTicket);
    for (const [first, second] of [
      [call, event],
      [event, call],
    ] as const) {
      const orderId = `${order.orderId}${first.isCall}`;
      const [one, other] = [first, second].map((fact) =>
        issue(fixture.context, fixture.institution, {
          ...fact,
          orderId,
          tickets: tickets.map((ticket) => ({ ...ticket, ticketId: `${ticket.ticketId}${first.isCall}` })),
        }),
      );
      expect(await other).toBe(await one);
      expect((await fixture.context.collections(fixture.institution).orders.get(orderId))?.version).toBe(1);
    }
  });

  test('an unknown order has no tickets', async () => {
    expect(await readOrderTickets(fixture, 'ord_unknown')).toEqual({ controlled: 0, tickets: [] });
  });

  test('an order whose cancellation arrives first gets no tickets', async () => {
    const order = createConfirmedOrder(2);
    await fixture.deliver('order.cancelled', toCancelledOrder(order), { version: 4 });
    await fixture.deliver('order.confirmed', order, { version: 3 });
    await issueOrder(fixture, order);
    expect(await statusesOf(order.orderId)).toEqual([]);
    const facts = await fixture.facts(order.orderId);
    expect(facts.map(({ type, data }) => [type, data])).toEqual([
      [
        'tickets.cancelled',
        {
          orderId: order.orderId,
          ticketsCancelled: 2,
          controlled: 0,
          placeIds: order.tickets.map(({ place }) => place.id),
          keptPlaceIds: [],
        },
      ],
    ]);
  });

  test('the cancellation of an order without tickets changes nothing', async () => {
    const order = createConfirmedOrder();
    await fixture.deliver('order.cancelled', { ...toCancelledOrder(order), hadTickets: false });
    expect(await fixture.facts(order.orderId)).toEqual([]);
  });

  test('an unreadable event is rejected as Unreadable', async () => {
    for (const type of ['order.confirmed', 'order.cancelled', 'contact.erased'])
      await expect(fixture.deliver(type, {})).rejects.toMatchObject({ name: 'Unreadable' });
  });

  test('so is one of an unknown type, also one named like what every object inherits', async () => {
    for (const type of ['order.praised', 'constructor', 'toString', '__proto__'])
      await expect(fixture.deliver(type, createConfirmedOrder())).rejects.toMatchObject({ name: 'Unreadable' });
  });
});

const ana = { firstName: 'Ana', lastName: 'Martin' };
const eva = { firstName: 'Eva', lastName: 'Moreau' };

describeOnEachEngine('electronic tickets open the door', (fixture) => {
  const electronic = (lines = 1) => createConfirmedOrder(lines, null, { ticketDelivery: 'electronic' });
  const byFact = (order: Confirmed, more: object = {}) =>
    fixture.deliver('order.confirmed', { ...order, ...more }, { version: 3 });
  const ticketsOf = async ({ orderId }: Confirmed) =>
    (await fixture.call('GET', `${PATH}?orderId=${orderId}`)).data.items as (TicketView & { createdAt: string })[];
  const control = async ({ barcode }: TicketView) => {
    const reply = await fixture.call('POST', `${PATH}/control`, { body: { barcode, gate: 'North' } });
    return [reply.status, reply.body.status];
  };

  test('issued as printed, with one event, by call or fact or both', async () => {
    const [called, told, both] = [electronic(2), electronic(2), electronic(2)];
    await issueOrder(fixture, called);
    await byFact(told);
    await Promise.all([byFact(both), issueOrder(fixture, both), byFact(both)]);
    for (const order of [called, told, both]) {
      const tickets = await ticketsOf(order);
      expect(tickets.map(({ status }) => status)).toEqual(['printed', 'printed']);
      for (const { printedAt, createdAt } of tickets) expect(printedAt).toBe(createdAt);
      expect(await fixture.eventsOf(tickets.map(({ id }) => id))).toEqual([['ticket.issued'], ['ticket.issued']]);
      const { status, headers } = await fixture.call('GET', `${PATH}/${tickets[0]?.id}/document`);
      expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf']);
      for (const ticket of tickets) expect(await control(ticket)).toEqual([200, 'success']);
    }
  });

  test.each([
    ['for print', createConfirmedOrder(1, null, { ticketDelivery: 'print' })],
    ['of a release without the member', createConfirmedOrder(1)],
  ])('tickets %s open it once they are printed', async (_, order) => {
    await byFact(order);
    await issueOrder(fixture, order);
    const [ticket] = await ticketsOf(order);
    if (!ticket) throw new Error('no ticket');
    expect([ticket.status, ticket.printedAt, await control(ticket)]).toEqual([
      'not_printed',
      null,
      [412, 'ticket_not_printed'],
    ]);
    await fixture.call('POST', `${PATH}/${ticket.id}/printing`);
    expect(await control(ticket)).toEqual([200, 'success']);
    expect(await fixture.eventsOf([ticket.id])).toEqual([['ticket.issued', 'ticket.printed', 'ticket.controlled']]);
  });

  test('a fact completes an interrupted issue with printed tickets', async () => {
    const order = electronic(2);
    await issueOrder(fixture, order);
    await fixture.context.collections(fixture.institution).tickets.delete(getFirstTicketId(order));
    // As after a restart: nothing is remembered.
    fixture.context.issuing.clear();
    await byFact(order);
    expect((await ticketsOf(order)).map(({ status }) => status)).toEqual(['printed', 'printed']);
  });

  test('also without the names, which come in place: the barcode that was shown stays valid', async () => {
    const order = electronic();
    await byFact(order, { callFollows: true });
    const late = createContext(fixture.store, SERVICE_SECRET, () => Date.now() + 2 * OVERDUE_MS);
    await issueOverdue(late, { warn: () => undefined });
    const [unnamed] = await ticketsOf(order);
    await issueOrder(fixture, addMembers(order, { beneficiary: ana }));
    const named = await ticketsOf(order);
    expect(named).toMatchObject([{ id: unnamed?.id, status: 'printed', barcode: unnamed?.barcode, beneficiary: ana }]);
  });

  test('another beneficiary replaces them, changed at the ticket or through the order', async () => {
    const order = electronic(2);
    await issueOrder(fixture, addMembers(order, { beneficiary: ana }));
    const [first, second] = order.tickets;
    const replaced = await fixture.call('PATCH', `${PATH}/${first?.ticketId}`, { body: { beneficiary: eva } });
    expect(replaced.data).toMatchObject({ status: 'printed', replaces: first?.ticketId, beneficiary: eva });
    const renamed = { ...second, beneficiary: eva, beneficiaryAsOf: 1 };
    const tickets = [{ ...first, beneficiary: ana }, renamed] as unknown as Confirmed['tickets'];
    await issueOrder(fixture, { ...order, tickets }, 4);
    const all = await ticketsOf(order);
    expect(all.filter(({ status }) => status === 'printed')).toMatchObject([
      { replaces: first?.ticketId, beneficiary: eva },
      { replaces: second?.ticketId, beneficiary: eva },
    ]);
    const old = all.find(({ id }) => id === second?.ticketId);
    expect(old && (await control(old))).toEqual([412, 'ticket_invalidated']);
  });

  test('one whose printing is rolled back opens no door until it is printed', async () => {
    const order = electronic();
    await issueOrder(fixture, order);
    const [ticket] = await ticketsOf(order);
    if (!ticket) throw new Error('no ticket');
    const back = await fixture.call('DELETE', `${PATH}/${ticket.id}/printing`);
    expect([back.data.status, back.data.printedAt]).toEqual(['not_printed', null]);
    expect(await control(ticket)).toEqual([412, 'ticket_not_printed']);
    // Neither a repeat of the call nor of the fact prints it again.
    await issueOrder(fixture, order);
    await byFact(order);
    expect(await control(ticket)).toEqual([412, 'ticket_not_printed']);
    await fixture.call('POST', `${PATH}/printing`, { body: { orderId: order.orderId } });
    expect(await control(ticket)).toEqual([200, 'success']);
    expect(await fixture.eventsOf([ticket.id])).toEqual([
      ['ticket.issued', 'ticket.printing_reverted', 'ticket.printed', 'ticket.controlled'],
    ]);
  });
});

describeOnEachEngine('tickets are issued with the names of the cart', (fixture) => {
  const beneficiaries = async (order: ReturnType<typeof createConfirmedOrder>) => {
    const get = async (ticketId: string) =>
      readShopTicket(await fixture.call('GET', `${SHOP}/${ticketId}`)).beneficiary;
    return Promise.all(order.tickets.map(({ ticketId }) => get(ticketId)));
  };

  test.each(['the direct call', 'the event'])(
    '%s issues each ticket with its beneficiary, or without one',
    async (way) => {
      const order = addMembers(
        createConfirmedOrder(4),
        { beneficiary: ana },
        { beneficiary: { lastName: 'Moreau' } },
        { beneficiary: null },
        { beneficiary: { firstName: null, lastName: null } },
      );
      if (way === 'the event') await fixture.deliver('order.confirmed', order, { version: 3 });
      else await issueOrder(fixture, order);
      expect(await beneficiaries(order)).toEqual([ana, { firstName: null, lastName: 'Moreau' }, null, null]);
    },
  );

  test('unknown members are accepted and not stored', async () => {
    const order = createConfirmedOrder(1);
    const [ticket] = order.tickets;
    const more = {
      ...order,
      loyalty: 'gold',
      tickets: [
        { ...ticket, note: 'secret', place: { ...ticket?.place, view: 'good' }, beneficiary: { ...ana, age: 44 } },
      ],
    };
    await fixture.deliver('order.confirmed', more, { version: 3 });
    await issueOrder(fixture, more as typeof order, 4);
    expect(await beneficiaries(order)).toEqual([ana]);
    const collections = fixture.context.collections(fixture.institution);
    const stored = JSON.stringify([
      await collections.orders.get(order.orderId),
      await collections.tickets.get(getFirstTicketId(order)),
    ]);
    for (const name of ['loyalty', 'note', 'view', 'age']) expect(stored).not.toContain(`"${name}"`);
  });

  test('an invalid startDate is stored as null and refuses nothing', async () => {
    const order = addMembers(createConfirmedOrder(1), { startDate: 'soon', productId: null });
    await fixture.deliver('order.confirmed', order, { version: 3 });
    const shown = readShopTicket(await fixture.call('GET', `${SHOP}/${getFirstTicketId(order)}`));
    expect([shown.startDate, shown.productId]).toEqual([null, null]);
  });

  test('an event with a ticket without ids, place or price is unreadable', async () => {
    const order = createConfirmedOrder(1);
    for (const missing of ['ticketId', 'lineId', 'performanceId', 'place', 'price']) {
      const tickets = order.tickets.map((ticket) => ({ ...ticket, [missing]: undefined }));
      const delivered = fixture.deliver('order.confirmed', { ...order, tickets }, { version: 3 });
      await expect(delivered).rejects.toMatchObject({ name: 'Unreadable' });
    }
  });
});
