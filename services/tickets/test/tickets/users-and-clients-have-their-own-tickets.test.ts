import { randomBytes, randomUUID } from 'node:crypto';
import type { CallerUser, ClientBounds } from '@boxoffice/identity';
import { expect, test } from '@jest/globals';
import type { Creator } from '../../src/domain/ticket.ts';
import { TICKET_RECORDED } from '../../src/events.ts';
import {
  type CallOptions,
  createBoxOfficeUser,
  createCustomerUser,
  describeOnEachEngine,
  door,
  PATH,
  readTicket,
  type TicketView,
} from '../fixture/service.ts';
import { createConfirmedOrder, getFirstTicketId, issueOrder, toCancelledOrder } from '../fixture/tickets.ts';

const UNKNOWN = 'tic_0000000000000000';
const [NORTH, SOUTH] = ['north', 'south'].map((name) => `${name}-${randomUUID()}.example`) as [string, string];

/** Every operation on a ticket, with a body that fits. */
const commands: readonly [string, string, object?][] = [
  ['GET', ''],
  ['PATCH', '', { beneficiary: { lastName: 'Taken' } }],
  ['POST', '/printing'],
  ['DELETE', '/printing'],
  ['POST', '/replacement', {}],
  ['POST', '/control', {}],
  ['DELETE', '/control'],
];

describeOnEachEngine('a user has the tickets of its role', (fixture) => {
  const order = async (contactNumber: string | null, pointOfSale?: string | null) =>
    issueOrder(fixture, {
      ...createConfirmedOrder(1, contactNumber),
      ...(pointOfSale === undefined ? {} : { pointOfSale }),
    });

  const listed = async (user: CallerUser, query = '') => {
    const { data } = await fixture.call('GET', `${PATH}?limit=500${query}`, { user });
    return (data.items as TicketView[]).map(({ id }) => id);
  };

  test('a customer has the tickets of its contact only, and reads them', async () => {
    const [mine, theirs] = [`C${randomBytes(4).toString('hex')}`, `C${randomBytes(4).toString('hex')}`];
    const [own, other] = [await order(mine), await order(theirs), await order(null)];
    const user = createCustomerUser(mine);
    expect(await listed(user)).toEqual([getFirstTicketId(own)]);
    expect(await listed(user, `&orderId=${other.orderId}`)).toEqual([]);
    expect((await fixture.call('GET', `${PATH}/${getFirstTicketId(own)}`, { user })).status).toBe(200);
    for (const [method, rest, body] of commands.slice(1))
      expect((await fixture.call(method, `${PATH}/${getFirstTicketId(own)}${rest}`, { user, body })).status).toBe(403);
    expect((await fixture.call('GET', `${PATH}/verification-key`, { user })).status).toBe(200);
  });

  test('a box office with points of sale has the tickets of their orders only, also those that replace others', async () => {
    const own = await order(null, NORTH);
    for (const other of [SOUTH, null, undefined]) await order(null, other);
    const user = createBoxOfficeUser(NORTH);
    expect(await listed(user)).toEqual([getFirstTicketId(own)]);
    const path = `${PATH}/${getFirstTicketId(own)}`;
    expect((await fixture.call('POST', `${path}/printing`, { user })).status).toBe(200);
    const next = readTicket(await fixture.call('POST', `${path}/replacement`, { user, body: {} }));
    expect(next.replaces).toBe(getFirstTicketId(own));
    expect((await fixture.call('GET', `${PATH}/${next.id}`, { user })).status).toBe(200);
    expect((await fixture.call('GET', `${PATH}/${next.id}`, { user: createBoxOfficeUser(SOUTH) })).status).toBe(404);
    expect(await listed(user)).toEqual([getFirstTicketId(own), next.id]);
  });

  test('the door has all tickets; of the writes only control and its reversal', async () => {
    const id = getFirstTicketId(await order('C1', NORTH));
    await fixture.call('POST', `${PATH}/${id}/printing`);
    const statuses: Record<string, number> = {};
    for (const [method, rest, body] of commands)
      statuses[`${method} ${rest}`] = (await fixture.call(method, `${PATH}/${id}${rest}`, { user: door, body })).status;
    expect(statuses).toEqual({
      'GET ': 200,
      'PATCH ': 403,
      'POST /printing': 403,
      'DELETE /printing': 403,
      'POST /replacement': 403,
      'POST /control': 200,
      'DELETE /control': 200,
    });
    expect(await listed(door)).toContain(id);
    const refused = await fixture.call('POST', `${PATH}/${UNKNOWN}/printing`, { user: door });
    expect(refused.text).toBe((await fixture.call('POST', `${PATH}/${id}/printing`, { user: door })).text);
  });

  test('tickets follow a new contact of their order, those that were replaced or cancelled included', async () => {
    const [before = '', after = '', last = ''] = Array.from({ length: 3 }, () => `C${randomBytes(4).toString('hex')}`);
    const fact = createConfirmedOrder(2, before);
    await issueOrder(fixture, fact, 3);
    const [first = '', second = ''] = fact.tickets.map(({ ticketId }) => ticketId);
    await fixture.call('POST', `${PATH}/${first}/printing`);
    const next = readTicket(await fixture.call('POST', `${PATH}/${first}/replacement`, { body: {} })).id;
    const all = [first, second, next].sort();
    const seen = async (contact = '') => (await listed(createCustomerUser(contact))).sort();
    expect([await seen(before), await seen(after)]).toEqual([all, []]);
    await issueOrder(fixture, { ...fact, contactNumber: after }, 5);
    expect([await seen(before), await seen(after)]).toEqual([[], all]);
    await fixture.deliver('order.cancelled', toCancelledOrder(fact), { version: 6 });
    await issueOrder(fixture, { ...fact, contactNumber: last }, 7);
    expect([await seen(after), await seen(last)]).toEqual([[], all]);
    await issueOrder(fixture, { ...fact, contactNumber: before }, 4);
    expect([await seen(before), await seen(last)]).toEqual([[], all]);
    const statuses = await Promise.all([second, next].map((id) => fixture.call('GET', `${PATH}/${id}`)));
    expect(statuses.map(({ data }) => data.status)).toEqual(['cancelled', 'cancelled']);
  });

  test('tickets that were issued without the point of sale get it when the order names it', async () => {
    const fact = createConfirmedOrder(1, null);
    await issueOrder(fixture, fact, 3);
    const user = createBoxOfficeUser(`late-${randomUUID()}.example`);
    expect(await listed(user)).toEqual([]);
    const named = { ...fact, pointOfSale: user.pointsOfSale[0] };
    // The same version: the fact was published again.
    await issueOrder(fixture, named, 3);
    expect(await listed(user)).toEqual([getFirstTicketId(fact)]);
    await issueOrder(fixture, { ...fact, pointOfSale: SOUTH }, 4);
    expect(await listed(user)).toEqual([getFirstTicketId(fact)]);
  });
});

const OWN_ORDERS: ClientBounds = { ownOrders: true, pointsOfSale: [] };
const at = (host: string): ClientBounds => ({ ownOrders: false, pointsOfSale: [host] });

const newClient = () => `cli_${randomBytes(8).toString('hex')}`;

describeOnEachEngine('a client with bounds has its own tickets', (fixture) => {
  const order = async (pointOfSale: string | null, createdBy?: Creator, performanceId?: string) => {
    const made = createConfirmedOrder(1, null, {
      pointOfSale,
      ticketDelivery: 'electronic',
      ...(createdBy && { createdBy }),
    });
    const tickets = made.tickets.map((ticket) => ({ ...ticket, performanceId: performanceId ?? ticket.performanceId }));
    return issueOrder(fixture, { ...made, tickets });
  };
  const listed = async (options: CallOptions, query = '') => {
    const { data } = await fixture.call('GET', `${PATH}?limit=500${query}`, options);
    return (data.items as TicketView[]).map(({ id }) => id);
  };

  test('it reads, prints, replaces and controls its own, and lists and counts these alone', async () => {
    const caller = { client: newClient(), bounds: OWN_ORDERS };
    const mine = await order(NORTH, { clientId: caller.client, userId: 'usr_1' });
    const [{ performanceId = '' } = {}] = mine.tickets;
    const theirs = getFirstTicketId(await order(NORTH, { clientId: 'cli_other' }, performanceId));
    const send = (method: string, path: string, body?: object) =>
      fixture.call(method, `${PATH}${path}`, { ...caller, body });
    const printed = await send('POST', '/printing', { orderId: mine.orderId });
    expect(printed.data).toMatchObject({ items: [{ id: getFirstTicketId(mine) }] });
    const next = readTicket(await send('POST', `/${getFirstTicketId(mine)}/replacement`, {}));
    expect((await send('GET', `/${next.id}/document`)).status).toBe(200);
    expect(await listed(caller)).toEqual([getFirstTicketId(mine), next.id]);
    expect(await listed({ ...caller, client: newClient() })).toEqual([]);
    expect((await send('POST', '/control', { barcode: next.barcode })).status).toBe(200);
    await fixture.call('POST', `${PATH}/${theirs}/control`, { body: {} });
    const scans = await send('GET', `/controls?performanceId=${performanceId}`);
    expect(scans.data.items).toMatchObject([{ ticketId: next.id, result: 'admitted' }]);
    const admissions = await send('GET', `/admissions?performanceId=${performanceId}`);
    expect(admissions.data).toMatchObject({ issued: 1, printed: 1, controlled: 1 });
  });

  test('with pointsOfSale it has the tickets of these, whoever made the order; with an empty list those of all', async () => {
    const [north, south] = [
      getFirstTicketId(await order(NORTH, { pointOfSale: NORTH })),
      getFirstTicketId(await order(SOUTH)),
    ];
    const seen = (bounds: ClientBounds) => listed({ client: newClient(), bounds });
    expect(await seen(at(NORTH))).toContain(north);
    expect(await seen(at(NORTH))).not.toContain(south);
    expect(await seen({ ownOrders: false, pointsOfSale: [] })).toEqual(expect.arrayContaining([north, south]));
  });

  test('a user who signs in at it has the narrower of both', async () => {
    const caller = { client: newClient(), bounds: OWN_ORDERS };
    const own = { clientId: caller.client };
    const [north, south] = [getFirstTicketId(await order(NORTH, own)), getFirstTicketId(await order(SOUTH, own))];
    await order(NORTH, { clientId: 'cli_other' });
    expect(await listed({ ...caller, user: createBoxOfficeUser(NORTH) })).toEqual([north]);
    expect((await listed(caller)).toSorted()).toEqual([north, south].toSorted());
  });

  test('tickets that were issued before their order named its client get it, and keep their ETag', async () => {
    const caller = { client: newClient(), bounds: OWN_ORDERS };
    const fact = await order(NORTH);
    const path = `${PATH}/${getFirstTicketId(fact)}`;
    const before = await fixture.call('GET', path);
    expect(await listed(caller)).toEqual([]);
    await issueOrder(fixture, { ...fact, createdBy: { clientId: caller.client } }, 3);
    expect(await listed(caller)).toEqual([getFirstTicketId(fact)]);
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
