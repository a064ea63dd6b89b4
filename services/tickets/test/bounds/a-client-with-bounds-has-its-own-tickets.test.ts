import { randomBytes, randomUUID } from 'node:crypto';
import type { ClientBounds } from '@boxoffice/identity';
import { expect, test } from '@jest/globals';
import { routes } from '../../src/app.ts';
import type { Creator } from '../../src/domain/ticket.ts';
import { TICKET_RECORDED } from '../../src/events.ts';
import { confirmed, firstOf, issued } from '../fixture/orders.ts';
import {
  type CallOptions,
  describeOnEachEngine,
  type Fixture,
  PATH,
  type TicketView,
  ticketOf,
} from '../fixture/service.ts';

/** Nothing is sold at the last one. */
const [NORTH, SOUTH, EMPTY] = ['north', 'south', 'empty'].map((name) => `${name}-${randomUUID()}.example`) as [
  string,
  string,
  string,
];
const OWN_ORDERS: ClientBounds = { ownOrders: true, pointsOfSale: [] };
const at = (host: string): ClientBounds => ({ ownOrders: false, pointsOfSale: [host] });

const newClient = () => `cli_${randomBytes(8).toString('hex')}`;

/** What a request may name of a ticket. */
type Named = Readonly<Record<'id' | 'orderId' | 'performanceId' | 'barcode' | 'nonce', string>>;

/** A request that names a ticket in every way that the operation knows: method, path below /svc/v3/tickets, body. */
const requests: Readonly<Record<string, (ticket: Named) => readonly (readonly [string, string, object?])[]>> = {
  listTickets: ({ id, orderId, performanceId, barcode }) =>
    [
      'limit=500',
      'limit=1&modifiedSince=2020-01-01T00:00:00Z',
      'status=printed',
      `orderId=${orderId}`,
      `performanceId=${performanceId}`,
      `contactNumber=C${id}`,
      `barcode=${encodeURIComponent(barcode)}`,
    ].map((query) => ['GET', `?${query}`]),
  getTicket: ({ id }) => [['GET', `/${id}`]],
  getVerificationKey: () => [['GET', '/verification-key']],
  getTicketDocument: ({ id }) => [['GET', `/${id}/document`]],
  updateTicket: ({ id }) => [['PATCH', `/${id}`, { beneficiary: { lastName: 'Taken' } }]],
  replaceTicket: ({ id }) => [['POST', `/${id}/replacement`, {}]],
  printOrder: ({ orderId }) => [['POST', '/printing', { orderId }]],
  printTicket: ({ id }) => [['POST', `/${id}/printing`]],
  rollBackPrinting: ({ id }) => [['DELETE', `/${id}/printing`]],
  controlBarcode: ({ barcode, performanceId }) => [
    ['POST', '/control', { barcode }],
    ['POST', '/control', { barcode, performanceId }],
  ],
  controlTicket: ({ id }) => [['POST', `/${id}/control`, {}]],
  revertControl: ({ id }) => [['DELETE', `/${id}/control`]],
  controlTickets: ({ id, barcode, nonce }) => [
    [
      'POST',
      '/controls',
      {
        items: [
          { nonce, ticketId: id },
          { nonce: `${nonce}b`, barcode },
        ],
      },
    ],
    ['POST', '/controls', { items: [{ nonce: `${nonce}c`, ticketId: `${id}_r1` }] }],
  ],
  listControls: ({ performanceId }) => [
    ['GET', '/controls?limit=500'],
    ['GET', `/controls?performanceId=${performanceId}`],
  ],
  listTicketStatuses: ({ performanceId }) => [
    ['GET', `/statuses?performanceId=${performanceId}`],
    ['GET', `/statuses?performanceId=${performanceId}&modifiedSince=2020-01-01T00:00:00Z`],
  ],
  getAdmissions: ({ performanceId }) => [['GET', `/admissions?performanceId=${performanceId}`]],
};

const VALIDATORS = ['etag', 'location', 'vary', 'content-type', 'cache-control', 'link'];

const HEADERS: readonly Record<string, string>[] = [{}, { 'if-match': '"1"' }, { 'if-none-match': '*' }];

/** The answer, with names for what follows from the request and the clock. */
const shown = ({ status, headers, text }: Awaited<ReturnType<Fixture['call']>>, named: Named) => ({
  status,
  headers: VALIDATORS.map((name) => headers.get(name)),
  text: Object.entries(named)
    .toSorted(([, one], [, other]) => other.length - one.length)
    .reduce((rest, [name, value]) => rest.replaceAll(value, `<${name}>`), text)
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<instant>'),
});

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

  test('every operation of the interface is covered here', () => {
    const ids = routes(fixture.context).flatMap(({ id, access }) => (access === 'internal' ? [] : [id]));
    expect(ids.toSorted()).toEqual(Object.keys(requests).toSorted());
  });

  test.each<[string, ClientBounds, string | null, Creator | undefined]>([
    ['of another client, with ownOrders', OWN_ORDERS, NORTH, { clientId: 'cli_other' }],
    ['of a shopper, with ownOrders', OWN_ORDERS, NORTH, { pointOfSale: NORTH }],
    ['of an earlier release, with ownOrders', OWN_ORDERS, NORTH, undefined],
    ['of another point of sale, with pointsOfSale', at(EMPTY), SOUTH, { clientId: 'cli_other' }],
    ['of no point of sale, with pointsOfSale', at(EMPTY), null, { clientId: 'cli_other' }],
    [
      'of its own at another point of sale, with both',
      { ...at(NORTH), ownOrders: true },
      SOUTH,
      { clientId: 'itself' },
    ],
  ])(
    'a ticket %s is in every answer, byte for byte, as if it never existed',
    async (_of, bounds, pointOfSale, maker) => {
      const caller = { client: newClient(), bounds };
      const createdBy =
        maker && 'clientId' in maker && maker.clientId === 'itself' ? { clientId: caller.client } : maker;
      const made = await order(pointOfSale, createdBy);
      const theirs = await fixture.ticket(firstOf(made));
      const { id, orderId, barcode } = theirs;
      const scanned = { body: { items: [{ nonce: randomUUID(), ticketId: id }] } };
      expect((await fixture.call('POST', `${PATH}/controls`, scanned)).text).toContain('admitted');
      await fixture.call('DELETE', `${PATH}/${id}/control`);
      const foreign: Named = {
        id,
        orderId,
        barcode,
        performanceId: `${made.tickets[0]?.performanceId}`,
        nonce: randomUUID(),
      };
      const unknown: Named = {
        id: `tic_${randomBytes(8).toString('hex')}`,
        orderId: `ord_${randomBytes(8).toString('hex')}`,
        performanceId: `prf_${randomBytes(8).toString('hex')}`,
        barcode: 'nonsense',
        nonce: randomUUID(),
      };
      const before = await fixture.ticket(id);
      for (const [operation, make] of Object.entries(requests)) {
        for (const headers of HEADERS) {
          const [about, none] = [make(foreign), make(unknown)];
          for (const [index, [method, path, body]] of about.entries()) {
            const [, otherPath = '', otherBody] = none[index] ?? [];
            const real = shown(await fixture.call(method, `${PATH}${path}`, { ...caller, body, headers }), foreign);
            const same = shown(
              await fixture.call(method, `${PATH}${otherPath}`, { ...caller, body: otherBody, headers }),
              unknown,
            );
            expect({ operation, path, ...real }).toEqual({ operation, path, ...same });
            expect(real.text).not.toContain(theirs.place.id);
            expect(real.text).not.toContain('"nextCursor":"');
          }
        }
      }
      expect(await fixture.ticket(id)).toEqual(before);
    },
  );

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
    const till = { id: 'usr_till', role: 'box_office', contact: null, pointsOfSale: [NORTH] } as const;
    expect(await listed({ ...caller, user: till })).toEqual([north]);
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
