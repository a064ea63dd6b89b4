import { randomBytes, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ClientBounds } from '@boxoffice/identity';
import { expect, test } from '@jest/globals';
import { createRoutes } from '../../src/commands.ts';
import {
  type CallOptions,
  createBoxOfficeUser,
  createCustomerUser,
  describeOnEachEngine,
  type Fixture,
  type Instance,
  openFixture,
  PATH,
  startInstance,
} from '../fixture/service.ts';
import { createConfirmedOrder, issueAndPrint, issueOrder, SHOP } from '../fixture/tickets.ts';

/** What a request may name of a ticket. */
type Named = Readonly<Record<'id' | 'orderId' | 'performanceId' | 'barcode' | 'nonce', string>>;

/** Requests that name a ticket in every way that the operation knows: method, path (below /svc/v3/tickets), body. */
type Requests = Readonly<Record<string, (ticket: Named) => readonly (readonly [string, string, object?])[]>>;

const requests: Requests = {
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
  // Before the scans: an institution lists those of its own that were refused.
  listControls: ({ performanceId }) => [
    ['GET', '/controls?limit=500'],
    ['GET', `/controls?performanceId=${performanceId}`],
  ],
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
  listTicketStatuses: ({ performanceId }) => [
    ['GET', `/statuses?performanceId=${performanceId}`],
    ['GET', `/statuses?performanceId=${performanceId}&modifiedSince=2020-01-01T00:00:00Z`],
  ],
  getAllTicketStatuses: ({ performanceId }) => [['GET', `/statuses/all?performanceId=${performanceId}`]],
  getAdmissions: ({ performanceId }) => [['GET', `/admissions?performanceId=${performanceId}`]],
};

/** What other services ask, in the name of an institution. */
const internal: Requests = {
  getOrderTickets: ({ orderId }) => [['GET', `/internal/orders/${orderId}/tickets`]],
  listShopTickets: ({ orderId }) => [['GET', `${SHOP}?orderIds=${orderId}`]],
  getShopTicket: ({ id }) => [['GET', `${SHOP}/${id}`]],
  nameShopTicket: ({ id }) => [['POST', `${SHOP}/${id}/beneficiary`, { lastName: 'Taken' }]],
};

const VALIDATORS = ['etag', 'location', 'vary', 'content-type', 'cache-control', 'link'];

const headers = (): readonly Record<string, string>[] => [
  {},
  { 'if-match': '"1"' },
  { 'if-none-match': '*' },
  { 'idempotency-key': randomUUID() },
];

/** The answer, with names for what follows from the request and the clock. */
const shown = ({ status, headers, text }: Awaited<ReturnType<Fixture['call']>>, named: Named) => ({
  status,
  headers: VALIDATORS.map((name) => headers.get(name)),
  text: Object.entries(named)
    .toSorted(([, one], [, other]) => other.length - one.length)
    .reduce((rest, [name, value]) => rest.replaceAll(value, `<${name}>`), text)
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<instant>'),
});

/** The operations whose answers to this caller about two tickets differ in more than the names, with both answers. */
const differences = async (call: Instance['call'], caller: CallOptions, one: Named, other: Named) => {
  const found: { readonly operation: string; readonly real: object; readonly same: object }[] = [];
  const asked = { ...requests, ...(caller.institution === undefined ? {} : internal) };
  for (const [operation, make] of Object.entries(asked))
    for (const [index, [method, path, body]] of make(one).entries()) {
      const [, otherPath = '', otherBody] = make(other)[index] ?? [];
      const send = async (to: string, of: Named, more: CallOptions) =>
        shown(await call(method, to.startsWith('/internal') ? to : `${PATH}${to}`, { ...caller, ...more }), of);
      const [first, second] = [headers(), headers()];
      for (const [at, sent] of first.entries()) {
        const real = await send(path, one, { body, headers: sent });
        const same = await send(otherPath, other, { body: otherBody, headers: second[at] ?? {} });
        if (!isDeepStrictEqual(real, same) || real.text.includes('"nextCursor":"'))
          found.push({ operation, real, same });
      }
    }
  return found;
};

const newId = (prefix: string) => `${prefix}_${randomBytes(8).toString('hex')}`;

/** Names that no ticket ever had. */
const never = (): Named => ({
  id: newId('tic'),
  orderId: newId('ord'),
  performanceId: newId('prf'),
  barcode: 'nonsense',
  nonce: randomUUID(),
});

const named = async (
  fixture: Fixture,
  { tickets, orderId }: ReturnType<typeof createConfirmedOrder>,
): Promise<Named> => {
  const [{ ticketId = '', performanceId = '' } = {}] = tickets;
  const { barcode } = await fixture.ticket(ticketId);
  return { id: ticketId, orderId, performanceId, barcode, nonce: randomUUID() };
};

/** Nothing is sold at the last one. */
const [NORTH, SOUTH, EMPTY] = ['north.example', 'south.example', 'empty.example'];
const CLIENT = newId('cli');
const OTHER = { clientId: 'cli_other' };
const bounded = (bounds: Partial<ClientBounds>): CallOptions => ({
  client: newId('cli'),
  bounds: { ownOrders: false, pointsOfSale: [], ...bounds },
});

/** The other one's order beside its tickets. */
type Sold = Parameters<typeof createConfirmedOrder>[2] & { readonly contactNumber?: string };

const others: readonly (readonly [string, CallOptions, Sold])[] = [
  ['another client, with ownOrders', bounded({ ownOrders: true }), { pointOfSale: NORTH, createdBy: OTHER }],
  [
    'a shopper, with ownOrders',
    bounded({ ownOrders: true }),
    { pointOfSale: NORTH, createdBy: { pointOfSale: NORTH } },
  ],
  ['an earlier release, with ownOrders', bounded({ ownOrders: true }), { pointOfSale: NORTH }],
  [
    'another point of sale, with pointsOfSale',
    bounded({ pointsOfSale: [EMPTY] }),
    { pointOfSale: SOUTH, createdBy: OTHER },
  ],
  ['no point of sale, with pointsOfSale', bounded({ pointsOfSale: [EMPTY] }), { pointOfSale: null, createdBy: OTHER }],
  [
    'its own at another point of sale, with both',
    { ...bounded({ ownOrders: true, pointsOfSale: [NORTH] }), client: CLIENT },
    { pointOfSale: SOUTH, createdBy: { clientId: CLIENT } },
  ],
  ['another contact, for a customer', { user: createCustomerUser('C_own') }, { contactNumber: 'C_other' }],
  ['nobody, for a customer', { user: createCustomerUser('C_own') }, {}],
  ['another point of sale, for a box office', { user: createBoxOfficeUser(EMPTY) }, { pointOfSale: SOUTH }],
  ['no point of sale, for a box office', { user: createBoxOfficeUser(EMPTY) }, { pointOfSale: null }],
  ['an order without the member, for a box office', { user: createBoxOfficeUser(EMPTY) }, {}],
  ['another institution', { institution: 'museum' }, {}],
];

describeOnEachEngine('a ticket of others is as if it never existed', (fixture) => {
  test('every operation of the interface is covered here', () => {
    const ids = createRoutes(fixture.context).flatMap(({ id, access }) => (access === 'internal' ? [] : [id]));
    expect(ids.toSorted()).toEqual(Object.keys(requests).toSorted());
  });

  test.each(others)('of %s: in every answer, byte for byte, and nothing changes it', async (_of, caller, sold) => {
    const order = { ...createConfirmedOrder(1, null, { ticketDelivery: 'electronic' }), ...sold };
    await issueOrder(fixture, order);
    const foreign = await named(fixture, order);
    const scanned = { body: { items: [{ nonce: randomUUID(), ticketId: foreign.id }] } };
    expect((await fixture.call('POST', `${PATH}/controls`, scanned)).text).toContain('admitted');
    await fixture.call('DELETE', `${PATH}/${foreign.id}/control`);
    const before = await fixture.ticket(foreign.id);
    expect(await differences(fixture.call, caller, foreign, never())).toEqual([]);
    expect((await fixture.call('GET', `${PATH}/${foreign.id}`, caller)).status).toBe(404);
    expect(await fixture.ticket(foreign.id)).toEqual(before);
  });

  test('a cancellation of another institution does not change the ticket', async () => {
    const { order, id } = await issueAndPrint(fixture);
    const data = { orderId: order.orderId, hadTickets: true, override: true, placeIds: [] };
    // Its tombstone would need the id of the order, which exists already.
    await fixture.deliver('order.cancelled', data, { institution: 'museum' }).catch(() => undefined);
    expect((await fixture.call('GET', `${PATH}/${id}`)).data).toMatchObject({ status: 'printed' });
  });
});

test('negative control: without the tenant filter nearly every operation differs', async () => {
  const fixture = await openFixture();
  const { store } = fixture;
  const collection: typeof store.collection = (of) => {
    const handle = store.collection(of);
    const all = (institution: string) => {
      const { insert, insertMany, insertInOrder } = handle.of(institution);
      return { ...handle.acrossInstitutions, insert, insertMany, insertInOrder };
    };
    return { ...handle, of: all };
  };
  const leaky = await startInstance({ ...store, collection }, fixture.institution);
  const foreign = await named(fixture, (await issueAndPrint(fixture)).order);
  const found = await differences(leaky.call, { institution: 'museum' }, foreign, never());
  await leaky.close();
  await fixture.close();
  expect(found.map(({ operation }) => operation)).toEqual(
    expect.arrayContaining(['getTicket', 'listTickets', 'printOrder', ...Object.keys(internal)]),
  );
});
