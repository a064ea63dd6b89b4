import { expect, test } from '@jest/globals';
import { createContext } from '../../src/context.ts';
import { issueOverdue, OVERDUE_MS } from '../../src/issue/issue.ts';
import { describeOnEachEngine, PATH, SERVICE_SECRET, type TicketView } from '../fixture/service.ts';
import { type Confirmed, confirmed, firstOf, issued, withMembers } from '../fixture/tickets.ts';

const ana = { firstName: 'Ana', lastName: 'Martin' };
const eva = { firstName: 'Eva', lastName: 'Moreau' };

describeOnEachEngine('electronic tickets open the door', (fixture) => {
  const electronic = (lines = 1) => confirmed(lines, null, { ticketDelivery: 'electronic' });
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
    await issued(fixture, called);
    await byFact(told);
    await Promise.all([byFact(both), issued(fixture, both), byFact(both)]);
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
    ['for print', confirmed(1, null, { ticketDelivery: 'print' })],
    ['of a release without the member', confirmed(1)],
  ])('tickets %s open it once they are printed', async (_, order) => {
    await byFact(order);
    await issued(fixture, order);
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
    await issued(fixture, order);
    await fixture.context.collections(fixture.institution).tickets.delete(firstOf(order));
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
    await issued(fixture, withMembers(order, { beneficiary: ana }));
    const named = await ticketsOf(order);
    expect(named).toMatchObject([{ id: unnamed?.id, status: 'printed', barcode: unnamed?.barcode, beneficiary: ana }]);
  });

  test('another beneficiary replaces them, changed at the ticket or through the order', async () => {
    const order = electronic(2);
    await issued(fixture, withMembers(order, { beneficiary: ana }));
    const [first, second] = order.tickets;
    const replaced = await fixture.call('PATCH', `${PATH}/${first?.ticketId}`, { body: { beneficiary: eva } });
    expect(replaced.data).toMatchObject({ status: 'printed', replaces: first?.ticketId, beneficiary: eva });
    const renamed = { ...second, beneficiary: eva, beneficiaryAsOf: 1 };
    const tickets = [{ ...first, beneficiary: ana }, renamed] as unknown as Confirmed['tickets'];
    await issued(fixture, { ...order, tickets }, 4);
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
    await issued(fixture, order);
    const [ticket] = await ticketsOf(order);
    if (!ticket) throw new Error('no ticket');
    const back = await fixture.call('DELETE', `${PATH}/${ticket.id}/printing`);
    expect([back.data.status, back.data.printedAt]).toEqual(['not_printed', null]);
    expect(await control(ticket)).toEqual([412, 'ticket_not_printed']);
    // Neither a repeat of the call nor of the fact prints it again.
    await issued(fixture, order);
    await byFact(order);
    expect(await control(ticket)).toEqual([412, 'ticket_not_printed']);
    await fixture.call('POST', `${PATH}/printing`, { body: { orderId: order.orderId } });
    expect(await control(ticket)).toEqual([200, 'success']);
    expect(await fixture.eventsOf([ticket.id])).toEqual([
      ['ticket.issued', 'ticket.printing_reverted', 'ticket.printed', 'ticket.controlled'],
    ]);
  });
});
