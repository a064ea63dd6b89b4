import { randomBytes, randomUUID } from 'node:crypto';
import type { ClientBounds } from '@boxoffice/identity';
import { expect, test } from '@jest/globals';
import type { Creator } from '../../src/domain/ticket.ts';
import { TICKET_RECORDED } from '../../src/events.ts';
import { type CallOptions, describeOnEachEngine, PATH, type TicketView, ticketOf, till } from '../fixture/service.ts';
import { confirmed, firstOf, issued } from '../fixture/tickets.ts';

const [NORTH, SOUTH] = ['north', 'south'].map((name) => `${name}-${randomUUID()}.example`) as [string, string];
const OWN_ORDERS: ClientBounds = { ownOrders: true, pointsOfSale: [] };
const at = (host: string): ClientBounds => ({ ownOrders: false, pointsOfSale: [host] });

const newClient = () => `cli_${randomBytes(8).toString('hex')}`;

describeOnEachEngine('a client with bounds has its own tickets', (fixture) => {
  const order = async (pointOfSale: string | null, createdBy?: Creator, performanceId?: string) => {
    const made = confirmed(1, null, { pointOfSale, ticketDelivery: 'electronic', ...(createdBy && { createdBy }) });
    const tickets = made.tickets.map((ticket) => ({ ...ticket, performanceId: performanceId ?? ticket.performanceId }));
    return issued(fixture, { ...made, tickets });
  };
  const listed = async (options: CallOptions, query = '') => {
    const { data } = await fixture.call('GET', `${PATH}?limit=500${query}`, options);
    return (data.items as TicketView[]).map(({ id }) => id);
  };

  test('it reads, prints, replaces and controls its own, and lists and counts these alone', async () => {
    const caller = { client: newClient(), bounds: OWN_ORDERS };
    const mine = await order(NORTH, { clientId: caller.client, userId: 'usr_1' });
    const [{ performanceId = '' } = {}] = mine.tickets;
    const theirs = firstOf(await order(NORTH, { clientId: 'cli_other' }, performanceId));
    const send = (method: string, path: string, body?: object) =>
      fixture.call(method, `${PATH}${path}`, { ...caller, body });
    const printed = await send('POST', '/printing', { orderId: mine.orderId });
    expect(printed.data).toMatchObject({ items: [{ id: firstOf(mine) }] });
    const next = ticketOf(await send('POST', `/${firstOf(mine)}/replacement`, {}));
    expect((await send('GET', `/${next.id}/document`)).status).toBe(200);
    expect(await listed(caller)).toEqual([firstOf(mine), next.id]);
    expect(await listed({ ...caller, client: newClient() })).toEqual([]);
    expect((await send('POST', '/control', { barcode: next.barcode })).status).toBe(200);
    await fixture.call('POST', `${PATH}/${theirs}/control`, { body: {} });
    const scans = await send('GET', `/controls?performanceId=${performanceId}`);
    expect(scans.data.items).toMatchObject([{ ticketId: next.id, result: 'admitted' }]);
    const admissions = await send('GET', `/admissions?performanceId=${performanceId}`);
    expect(admissions.data).toMatchObject({ issued: 1, printed: 1, controlled: 1 });
  });

  test('with pointsOfSale it has the tickets of these, whoever made the order; with an empty list those of all', async () => {
    const [north, south] = [firstOf(await order(NORTH, { pointOfSale: NORTH })), firstOf(await order(SOUTH))];
    const seen = (bounds: ClientBounds) => listed({ client: newClient(), bounds });
    expect(await seen(at(NORTH))).toContain(north);
    expect(await seen(at(NORTH))).not.toContain(south);
    expect(await seen({ ownOrders: false, pointsOfSale: [] })).toEqual(expect.arrayContaining([north, south]));
  });

  test('a user who signs in at it has the narrower of both', async () => {
    const caller = { client: newClient(), bounds: OWN_ORDERS };
    const own = { clientId: caller.client };
    const [north, south] = [firstOf(await order(NORTH, own)), firstOf(await order(SOUTH, own))];
    await order(NORTH, { clientId: 'cli_other' });
    expect(await listed({ ...caller, user: till(NORTH) })).toEqual([north]);
    expect((await listed(caller)).toSorted()).toEqual([north, south].toSorted());
  });

  test('tickets that were issued before their order named its client get it, and keep their ETag', async () => {
    const caller = { client: newClient(), bounds: OWN_ORDERS };
    const fact = await order(NORTH);
    const path = `${PATH}/${firstOf(fact)}`;
    const before = await fixture.call('GET', path);
    expect(await listed(caller)).toEqual([]);
    await fixture.deliver('order.confirmed', { ...fact, createdBy: { clientId: caller.client } }, { version: 3 });
    expect(await listed(caller)).toEqual([firstOf(fact)]);
    const after = await fixture.call('GET', path, caller);
    expect([after.text, after.headers.get('etag')]).toEqual([before.text, before.headers.get('etag')]);
  });

  test('events of a ticket, its replacement included, name the client and the point of sale', async () => {
    const createdBy = { clientId: newClient() };
    const { orderId, tickets } = await order(NORTH, createdBy);
    await fixture.call('POST', `${PATH}/${tickets[0]?.ticketId}/replacement`, { body: {} });
    await order(null, { pointOfSale: SOUTH });
    const events = (await fixture.store.outbox.pending(10_000))
      .filter(({ type }) => type === TICKET_RECORDED)
      .map(({ data }) => (data as { event: { data: { orderId: string }; belongsTo: object } }).event);
    const of = events.filter(({ data }) => data.orderId === orderId).map(({ belongsTo }) => belongsTo);
    expect(of).toEqual(of.map(() => ({ clientIds: [createdBy.clientId], pointOfSale: NORTH })));
    expect(of.length).toBe(3);
    expect(events.at(-1)?.belongsTo).toEqual({ clientIds: [], pointOfSale: null });
  });
});
