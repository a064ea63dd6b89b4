import { expect, test } from '@jest/globals';
import { orderedTicketOf } from '../../src/issue/confirmation.ts';
import { issue } from '../../src/issue/issue.ts';
import { describeOnEachEngine } from '../fixture/service.ts';
import { cancelled, confirmed, issued, orderTicketsOf } from '../fixture/tickets.ts';

describeOnEachEngine('tickets are issued once by call or event', (fixture) => {
  const statusesOf = async (orderId: string) =>
    (await orderTicketsOf(fixture, orderId)).tickets.map(({ status }) => status);

  test('concurrent repeated calls and events issue each ticket once', async () => {
    const order = confirmed(3);
    const call = () => issued(fixture, order, 3);
    const event = () => fixture.deliver('order.confirmed', order, { version: 3 });
    await Promise.all([call(), event(), event(), call()]);
    await event();
    const { tickets } = await orderTicketsOf(fixture, order.orderId);
    expect(tickets.map(({ ticketId }) => ticketId).sort()).toEqual(order.tickets.map((one) => one.ticketId).sort());
    expect(await statusesOf(order.orderId)).toEqual(['not_printed', 'not_printed', 'not_printed']);
  });

  test('the later of call and event waits for the earlier one, and writes nothing', async () => {
    const order = confirmed(2);
    const call = { orderId: order.orderId, contactNumber: null, version: 3, named: true, isCall: true };
    const event = { ...call, isCall: false };
    const tickets = order.tickets.map(orderedTicketOf);
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
    expect(await orderTicketsOf(fixture, 'ord_unknown')).toEqual({ controlled: 0, tickets: [] });
  });

  test('an order whose cancellation arrives first gets no tickets', async () => {
    const order = confirmed(2);
    await fixture.deliver('order.cancelled', cancelled(order), { version: 4 });
    await fixture.deliver('order.confirmed', order, { version: 3 });
    await issued(fixture, order);
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
    const order = confirmed();
    await fixture.deliver('order.cancelled', { ...cancelled(order), hadTickets: false });
    expect(await fixture.facts(order.orderId)).toEqual([]);
  });

  test('an unreadable event is rejected as Unreadable', async () => {
    for (const type of ['order.confirmed', 'order.cancelled', 'contact.erased'])
      await expect(fixture.deliver(type, {})).rejects.toMatchObject({ name: 'Unreadable' });
  });
});
