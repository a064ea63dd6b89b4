import { expect, test } from '@jest/globals';
import { describeOnEachEngine, PATH, startInstance, type TicketView, toCodes } from '../fixture/service.ts';
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

describeOnEachEngine('tickets are issued once', (fixture) => {
  const statusesOf = async (orderId: string) =>
    (await readOrderTickets(fixture, orderId)).tickets.map(({ status }) => status);

  test('concurrent repeated calls issue each ticket once', async () => {
    const second = await startInstance(await fixture.engine.open(), fixture.institution);
    for (let round = 0; round < 10; round += 1) {
      const order = createConfirmedOrder(3);
      await Promise.all([fixture, second, fixture, second].map((on) => issueOrder(on, order)));
      await issueOrder(fixture, order);
      const { tickets } = await readOrderTickets(fixture, order.orderId);
      expect(tickets.map(({ ticketId }) => ticketId).sort()).toEqual(order.tickets.map((one) => one.ticketId).sort());
      expect(await statusesOf(order.orderId)).toEqual(['not_printed', 'not_printed', 'not_printed']);
      const ids = order.tickets.map(({ ticketId }) => ticketId);
      expect(await fixture.eventsOf(ids)).toEqual(ids.map(() => ['ticket.issued']));
    }
    await second.close();
  });

  test('an unknown order has no tickets', async () => {
    expect(await readOrderTickets(fixture, 'ord_unknown')).toEqual({ controlled: 0, tickets: [] });
  });

  test('an order whose cancellation arrives first gets no tickets', async () => {
    const order = createConfirmedOrder(2);
    await fixture.deliver('order.cancelled', toCancelledOrder(order), { version: 4 });
    await issueOrder(fixture, order, 3);
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

  test('an unreadable event is rejected as Unreadable, and so is one named like what every object inherits', async () => {
    const known = ['order.cancelled', 'contact.erased'].map((type) => fixture.deliver(type, {}));
    const unknown = ['order.praised', 'constructor', 'toString', '__proto__'].map((type) =>
      fixture.deliver(type, createConfirmedOrder()),
    );
    for (const delivery of await Promise.allSettled([...known, ...unknown]))
      expect(delivery).toMatchObject({ status: 'rejected', reason: { name: 'Unreadable' } });
  });
});

const ana = { firstName: 'Ana', lastName: 'Martin' };
const eva = { firstName: 'Eva', lastName: 'Moreau' };

describeOnEachEngine('electronic tickets open the door', (fixture) => {
  const electronic = (lines = 1) => createConfirmedOrder(lines, null, { ticketDelivery: 'electronic' });
  const ticketsOf = async ({ orderId }: Confirmed) =>
    (await fixture.call('GET', `${PATH}?orderId=${orderId}`)).data.items as (TicketView & { createdAt: string })[];
  const control = async ({ barcode }: TicketView) =>
    toCodes(await fixture.call('POST', `${PATH}/control`, { body: { barcode, gate: 'North' } }));

  test('issued as printed, with one event', async () => {
    const [once, twice] = [electronic(2), electronic(2)];
    await issueOrder(fixture, once);
    await Promise.all([issueOrder(fixture, twice), issueOrder(fixture, twice)]);
    for (const order of [once, twice]) {
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

  test('a repeat of the call completes an interrupted issue with printed tickets', async () => {
    const order = electronic(2);
    await issueOrder(fixture, order);
    await fixture.context.collections(fixture.institution).tickets.delete(getFirstTicketId(order));
    await issueOrder(fixture, order);
    expect((await ticketsOf(order)).map(({ status }) => status)).toEqual(['printed', 'printed']);
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
    // A repeat of the call does not print it again.
    await issueOrder(fixture, order);
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

  test('each ticket with its beneficiary, or without one', async () => {
    const order = addMembers(
      createConfirmedOrder(4),
      { beneficiary: ana },
      { beneficiary: { lastName: 'Moreau' } },
      { beneficiary: null },
      { beneficiary: { firstName: null, lastName: null } },
    );
    await issueOrder(fixture, order);
    expect(await beneficiaries(order)).toEqual([ana, { firstName: null, lastName: 'Moreau' }, null, null]);
  });

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
    await issueOrder(fixture, more as typeof order);
    await issueOrder(fixture, more as typeof order, 4);
    expect(await beneficiaries(order)).toEqual([ana]);
    const collections = fixture.context.collections(fixture.institution);
    const stored = JSON.stringify([
      await collections.orders.get(order.orderId),
      await collections.tickets.get(getFirstTicketId(order)),
    ]);
    for (const name of ['loyalty', 'note', 'view', 'age']) expect(stored).not.toContain(`"${name}"`);
  });
});
