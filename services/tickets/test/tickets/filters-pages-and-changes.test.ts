// rule 2: A ticket has a filterable status, with `printed` as a value | services/tickets/src/schemas.ts
// rule 3: Ticket status is a string used as a filter | services/tickets/src/schemas.ts

import { expect, test } from '@jest/globals';
import { describeOnEachEngine, PATH, readTicket, type TicketView } from '../fixture/service.ts';
import {
  createConfirmedOrder,
  getFirstTicketId,
  issueAndPrint,
  issueOrder,
  leaveInterruptedReplacement,
} from '../fixture/tickets.ts';

describeOnEachEngine('lists of tickets', (fixture) => {
  const list = async (query: string) => {
    const reply = await fixture.call('GET', `${PATH}?${query}`);
    return { ...reply, ...(reply.data as { items: TicketView[]; nextCursor: string | null; asOf: string }) };
  };
  const idsOf = (tickets: readonly { id: string }[]) => tickets.map(({ id }) => id).sort();

  test('filters are order, performance and status, in pages', async () => {
    const order = await issueOrder(fixture, createConfirmedOrder(5));
    await issueOrder(fixture, createConfirmedOrder(2));
    const all = idsOf(order.tickets.map(({ ticketId }) => ({ id: ticketId })));
    expect(idsOf((await list(`orderId=${order.orderId}`)).items)).toEqual(all);
    expect(idsOf((await list(`performanceId=${order.tickets[0]?.performanceId}`)).items)).toEqual(all);
    await fixture.call('POST', `${PATH}/${all[0]}/printing`);
    const byStatus = await list(`orderId=${order.orderId}&status=printed`);
    expect(idsOf(byStatus.items)).toEqual([all[0]]);
    const paged: TicketView[] = [];
    const asOf = new Set<string>();
    let cursor = '';
    do {
      const page = await list(`orderId=${order.orderId}&limit=2${cursor && `&cursor=${cursor}`}`);
      paged.push(...page.items);
      asOf.add(page.asOf);
      cursor = page.nextCursor ?? '';
    } while (cursor !== '');
    expect(paged.map(({ id }) => id).sort()).toEqual(all);
    expect(asOf.size).toBe(1);
  });

  test('contactNumber is the buyer, also after the order has changed its contact', async () => {
    const [buyer, next] = [`C${Date.now()}A`, `C${Date.now()}B`];
    const order = await issueOrder(fixture, createConfirmedOrder(2, buyer));
    await issueOrder(fixture, createConfirmedOrder(1, null));
    const all = idsOf(order.tickets.map(({ ticketId }) => ({ id: ticketId })));
    expect(idsOf((await list(`contactNumber=${buyer}`)).items)).toEqual(all);
    expect((await list(`contactNumber=${buyer}&status=printed`)).items).toEqual([]);
    await issueOrder(fixture, { ...order, contactNumber: next }, 4);
    expect((await list(`contactNumber=${buyer}`)).items).toEqual([]);
    expect(idsOf((await list(`contactNumber=${next}`)).items)).toEqual(all);
  });

  test('`asOf` is 15 s before the first page was read', async () => {
    const before = Date.now();
    const { asOf } = await list('limit=1');
    const read = Date.parse(asOf) + 15_000;
    expect(read >= before && read <= Date.now()).toBe(true);
    expect((await list(`modifiedSince=${asOf}`)).status).toBe(200);
  });

  test('a list after an interrupted replacement shows both tickets', async () => {
    const { order, id, performanceId } = await issueAndPrint(fixture);
    await leaveInterruptedReplacement(fixture, id);
    const { items } = await list(`performanceId=${performanceId}&status=printed`);
    expect(items).toMatchObject([{ replaces: id }]);
    const all = await list(`orderId=${order.orderId}`);
    expect(all.items.map(({ status }) => status).sort()).toEqual(['invalidated', 'printed']);
  });

  test('modifiedSince is inclusive and returns every change', async () => {
    const first = getFirstTicketId(await issueOrder(fixture));
    const second = getFirstTicketId(await issueOrder(fixture));
    const { updatedAt } = readTicket(await fixture.call('POST', `${PATH}/${first}/printing`));
    const { items } = await list(`modifiedSince=${updatedAt}&limit=500`);
    expect(items.map(({ id }) => id)).toContain(first);
    const later = await list(`modifiedSince=${new Date(Date.parse(updatedAt) + 1).toISOString()}`);
    expect(later.items.map(({ id }) => id)).not.toContain(first);
    expect(items.every((ticket) => ticket.updatedAt >= updatedAt || ticket.id === second)).toBe(true);
  });

  test('an unknown status, parameter, limit or cursor is invalid_parameter', async () => {
    for (const query of ['status=lost', 'nonsense=1', 'limit=0', 'limit=501', 'cursor=abc', 'modifiedSince=today'])
      expect((await list(query)).body.status).toBe('invalid_parameter');
  });
});
