import { randomUUID } from 'node:crypto';
import type { CallerUser, ClientBounds, Role } from '@boxoffice/identity';
import { readSettings, text } from '@boxoffice/runtime';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Composition, type Described, type Shown, startComposition } from './composition.ts';
import { type Sold, sell } from './sold.ts';
import { DECIDED, SCOPES, SELLER, type Walker } from './walkers.ts';

// Walks every operation of the services that hold data, with a user of each role and with clients that have bounds, and
// looks for anything of a record that the role or the client may not see. The roles' scopes are the authorizer's; here
// each call has the scopes that it needs.

const { mongodbUrl } = readSettings({ mongodbUrl: text('TEST_MONGODB_URL', { optional: true }) });
const engines = [
  { name: 'SQLite', server: undefined },
  ...(mongodbUrl === undefined ? [] : [{ name: 'MongoDB', server: mongodbUrl }]),
];

type Values = Readonly<Record<string, string>>;

const plainId = ({ id }: Described): string => id.replace(/Unprefixed$/, '');
const isDocument = ({ id }: Described): boolean => id.endsWith('Document');
/** The walkers that are clients with bounds. */
const clients = ['ownOrders', 'pointsOfSale'] as const;
const isClient = (walker: Walker): boolean => clients.some((one) => one === walker);
const writes = ({ scopes }: Described): boolean => scopes.some((scope) => scope.endsWith(':write'));

describe.each(engines)('every operation with a user of each role, on $name', ({ server }) => {
  let its: Composition;
  let own: Sold;
  let other: Sold;
  beforeAll(async () => {
    its = await startComposition(server);
    const call: Composition['call'] = (id, options) => its.call(id, { ...options, client: SELLER });
    [own, other] = [await sell({ call }, 'north'), await sell(its, 'south')];
  });
  afterAll(() => its?.close());

  const users = (): Readonly<Record<Role, CallerUser>> => {
    const user = (role: Role, more: Partial<CallerUser> = {}): CallerUser => ({
      id: `usr_${role}`,
      role,
      contact: null,
      pointsOfSale: [],
      ...more,
    });
    return {
      admin: user('admin'),
      manager: user('manager'),
      box_office: user('box_office', { pointsOfSale: [own.pointOfSale] }),
      door: user('door'),
      customer: user('customer', { contact: own.contactNumber }),
    };
  };

  /** The identity of a walker. */
  const identityOf = (walker: Walker) => {
    const bounded = (bounds: ClientBounds) => ({ client: SELLER, bounds, user: null });
    if (walker === 'ownOrders') return bounded({ ownOrders: true, pointsOfSale: [] });
    if (walker === 'pointsOfSale') return bounded({ ownOrders: false, pointsOfSale: [own.pointOfSale] });
    return { user: users()[walker] };
  };

  const reachable = (role: Walker): readonly Described[] => {
    const most = SCOPES[role];
    return most === 'all'
      ? its.operations
      : its.operations.filter(({ scopes }) => scopes.every((one) => most.includes(one)));
  };

  const mayNot = (role: Walker, operation: Described): boolean =>
    role === 'customer' && operation.service === 'catalog'
      ? !operation.isPublic
      : (DECIDED[role]?.mayNot.includes(plainId(operation)) ?? false);

  /** What must not be in any answer to the role. */
  const secretsOf = (role: Walker): readonly string[] =>
    SCOPES[role] === 'all' ? [] : [own.discountCode, other.discountCode, ...secretsBeside(role)];

  const secretsBeside = (role: Walker): readonly string[] => {
    if (role === 'customer')
      return [...other.ofSale, ...other.ofContact, ...[own, other].flatMap(({ ofInstitution }) => ofInstitution)];
    if (role === 'door') return [own.barcode, other.barcode, '"barcode"'];
    if (isClient(role)) return [...other.ofSale, ...other.ofContact];
    return role === 'box_office' ? other.ofSale : [];
  };

  const leaksIn = (role: Walker, { text, headers }: Shown): string[] =>
    secretsOf(role).filter((secret) => text.includes(secret) || headers.includes(secret));

  /** Whether the path names a record that the role may be kept from. */
  const namesRecord = (role: Walker, { path }: Described): boolean =>
    role === 'customer' || isClient(role)
      ? /\{(orderId|ticketId|contactNumber)\}/.test(path)
      : role === 'box_office' && /\{(orderId|ticketId)\}/.test(path);

  test.each(['door', 'customer'] as const)('%s: every operation within its scopes is decided', (role) => {
    const { may = [], mayNot = [] } = DECIDED[role] ?? {};
    const open = reachable(role).filter((one) =>
      role === 'customer' ? one.service !== 'catalog' : writes(one) || isDocument(one),
    );
    expect([...new Set(open.map(plainId))].sort()).toEqual([...may, ...mayNot].sort());
  });

  test.each(['door', 'customer'] as const)(
    '%s: what it may not do at all is 403, whatever the record is',
    async (role) => {
      const user = users()[role];
      const refusals = new Set<string>();
      for (const operation of reachable(role).filter((one) => mayNot(role, one))) {
        for (const { params } of [own, other, own.unknown]) {
          const { status, text } = await its.call(operation.id, { params, user });
          expect([operation.id, status]).toEqual([operation.id, 403]);
          refusals.add(text);
        }
      }
      expect(refusals.size).toBe(1);
    },
  );

  test.each(['customer', 'box_office', 'ownOrders', 'pointsOfSale'] as const)(
    '%s: a record out of bounds is answered, byte for byte, like one that never existed',
    async (role) => {
      const as = identityOf(role);
      const named = reachable(role).filter((one) => namesRecord(role, one) && !mayNot(role, one));
      expect(named.length).toBeGreaterThan(0);
      for (const { id, method } of named) {
        const conditions: Values[] = [{}, { 'if-match': '"1"' }, { 'if-none-match': '*' }];
        const keyed: Values[] = method === 'POST' || method === 'PATCH' ? [{ 'idempotency-key': randomUUID() }] : [];
        for (const headers of [...conditions, ...keyed]) {
          const foreign = await its.call(id, { params: other.params, ...as, headers });
          // A key belongs to one request.
          const same = 'idempotency-key' in headers ? { 'idempotency-key': randomUUID() } : headers;
          const unknown = await its.call(id, { params: own.unknown.params, ...as, headers: same });
          expect([id, foreign]).toEqual([id, unknown]);
          expect([id, foreign.status]).toEqual([id, 404]);
        }
      }
    },
  );

  test.each(['customer', 'box_office', 'door', 'ownOrders', 'pointsOfSale'] as const)(
    '%s: no list shows, counts or continues over others',
    async (role) => {
      const as = identityOf(role);
      const filters: Readonly<Record<string, string>> = {
        contactNumber: other.contactNumber,
        orderId: other.params.orderId,
        externalReference: other.externalReference,
        barcode: other.barcode,
        email: other.email,
      };
      for (const { id, query } of reachable(role).filter((one) => one.query.includes('cursor') && !mayNot(role, one))) {
        const wanted: Values[] = [{}, { limit: '1' }, { modifiedSince: '2020-01-01T00:00:00.000Z' }];
        const asked = wanted.filter((one) => Object.keys(one).every((name) => query.includes(name)));
        for (const [name, value] of Object.entries(filters)) if (query.includes(name)) asked.push({ [name]: value });
        for (const one of asked) {
          for (let cursor: string | undefined; cursor !== null; ) {
            const query = { ...one, ...(cursor && { cursor }) };
            const shown = await its.call(id, { params: own.params, query, ...as });
            expect([id, one, leaksIn(role, shown)]).toEqual([id, one, []]);
            // A cursor names the last record of its page.
            cursor = shown.data.nextCursor;
            const position = Buffer.from(cursor ?? '', 'base64url').toString('latin1');
            expect(secretsOf(role).filter((secret) => position.includes(secret))).toEqual([]);
          }
        }
      }
    },
  );

  test.each(['customer', 'box_office', 'door', 'ownOrders', 'pointsOfSale'] as const)(
    '%s: no answer to any operation, about whatever record, has anything of others, and none changes them',
    async (role) => {
      const as = identityOf(role);
      const before = await other.read();
      for (const { id, method, body } of reachable(role)) {
        for (const { params } of [own, other, own.unknown]) {
          // The own records are only read: others of these tests need them as they are.
          if (params === own.params && method !== 'GET') continue;
          const shown = await its.call(id, { params, ...as, body });
          expect([id, leaksIn(role, shown)]).toEqual([id, []]);
          expect([id, shown.status < 500]).toEqual([id, true]);
        }
      }
      const after = await other.read();
      if (role !== 'door') expect(after.sale).toEqual(before.sale);
      if (role === 'customer' || isClient(role)) expect(after.contact).toEqual(before.contact);
    },
  );

  test.each(['manager', 'box_office', 'door', 'customer', 'ownOrders', 'pointsOfSale'] as const)(
    '%s: reads what is its own',
    async (role) => {
      const as = identityOf(role);
      const reads = reachable(role).filter(({ method }) => method === 'GET');
      for (const operation of reads.filter(
        (one) => !mayNot(role, one) && !/Structure|Refund|OrderChange$/.test(one.id),
      )) {
        const { status, text } = await its.call(operation.id, { params: own.params, ...as });
        expect([operation.id, status, status === 200 ? '' : text]).toEqual([operation.id, 200, '']);
      }
    },
  );

  test('a customer quotes within its bounds: what is hidden reads like what never existed', async () => {
    const user = users().customer;
    const { performanceId, tariffId } = own.params;
    const { seatCategories } = (await its.call('getPerformance', { params: own.params, user })).data;
    const item = { performanceId, seatCategoryId: seatCategories[0].id, tariffId };
    const staff = await its.call('createTariff', { body: { code: randomUUID(), name: { fr: 'Personnel' } } });
    const prices = [
      { seatCategory: 'A', tariffId, amount: 1_000 },
      { seatCategory: 'A', tariffId: staff.data.id, amount: 1 },
    ];
    expect((await its.call('changePerformance', { params: own.params, body: { prices } })).status).toBe(200);
    const quote = async (change: object, contactNumber = own.contactNumber, by: CallerUser | null = user) =>
      its.call('quoteOrder', { user: by, body: { contactNumber, items: [{ ...item, ...change }] } });
    expect((await quote({ quantity: 19 })).data).toMatchObject({ available: true, total: 19_000 });
    expect((await quote({ quantity: 50 })).data.available).toBe(true);
    expect((await quote({ quantity: 50 }, own.contactNumber, null)).data.available).toBe(false);
    const foreign = await quote({}, other.contactNumber);
    const { contactNumber: never } = own.unknown.params;
    expect(foreign.text.replaceAll(other.contactNumber, never ?? '')).toBe((await quote({}, never)).text);
    const hidden = await quote({ tariffId: staff.data.id });
    expect(hidden.text.replaceAll(staff.data.id, 'trf_never')).toBe((await quote({ tariffId: 'trf_never' })).text);
    expect((await quote({ tariffId: staff.data.id }, own.contactNumber, null)).data.total).toBe(1);
    const [line] = (await its.call('getOrder', { params: own.params, user })).data.lines;
    const quoteChange = async (id: string | undefined, by: CallerUser | null = user) => {
      const body = { exchanges: [{ ...item, lineId: line.id, tariffId: id }] };
      return its.call('quoteOrderChange', { params: own.params, user: by, body });
    };
    const unseen = await quoteChange(staff.data.id);
    expect(unseen.data.difference).toBeNull();
    expect(unseen.text.replaceAll(staff.data.id, 'trf_never')).toBe((await quoteChange('trf_never')).text);
    expect((await quoteChange(tariffId)).data.difference).toEqual(expect.any(Number));
    expect((await quoteChange(staff.data.id, null)).data.difference).toEqual(expect.any(Number));
  });

  test.each(clients)('%s: an order or a quote names no contact but those that exist for it', async (walker) => {
    const as = identityOf(walker);
    const { performanceId, tariffId } = own.params;
    const { contactNumber: never = '' } = own.unknown.params;
    const { seatCategories } = (await its.call('getPerformance', { params: own.params })).data;
    const items = [{ performanceId, tariffId, seatCategoryId: seatCategories[0].id }];
    const wanted = { items, pointOfSale: own.pointOfSale };
    for (const id of ['createOrder', 'quoteOrder', 'updateOrder']) {
      const name = (contactNumber: string) =>
        its.call(id, { params: own.params, ...as, body: { contactNumber, ...(id !== 'updateOrder' && wanted) } });
      const [foreign, unknown] = [await name(other.contactNumber), await name(never)];
      expect(foreign.text.replaceAll(other.contactNumber, never)).toBe(unknown.text);
      expect(unknown.text).toContain('there is no contact');
      expect((await name(own.contactNumber)).text).not.toContain('there is no contact');
    }
  });

  test("a remembered answer is its user's alone", async () => {
    const key = { 'idempotency-key': randomUUID() };
    const body = { externalReference: randomUUID() };
    const change = (user: CallerUser | null) =>
      its.call('updateOrder', { params: own.params, user, body, headers: key });
    const [first, repeated] = [await change(users().box_office), await change(users().box_office)];
    expect([first.status, repeated.headers.includes('idempotency-replayed: true')]).toEqual([200, true]);
    const moved = await change({ ...users().box_office, pointsOfSale: [other.pointOfSale] });
    expect(moved.status).toBe(422);
    expect(moved.text).not.toContain(own.params.orderId);
    for (const user of [null, users().manager])
      expect((await change(user)).headers).toContain('idempotency-replayed: null');
  });

  test('an order and its tickets follow their contact, at once', async () => {
    const moving = await sell(its, 'moving');
    const to: CallerUser = { ...users().customer, id: 'usr_new', contact: other.contactNumber };
    const from: CallerUser = { ...users().customer, id: 'usr_old', contact: moving.contactNumber };
    const seen = async (user: CallerUser) => [
      (await its.call('getOrder', { params: moving.params, user })).status,
      (await its.call('getTicket', { params: moving.params, user })).status,
    ];
    expect([await seen(from), await seen(to)]).toEqual([
      [200, 200],
      [404, 404],
    ]);
    await its.call('updateOrder', { params: moving.params, body: { contactNumber: other.contactNumber } });
    expect([await seen(from), await seen(to)]).toEqual([
      [404, 404],
      [200, 200],
    ]);
  });

  test('negative control: with the eyes of a manager the walk finds what a customer must not see', async () => {
    const { manager: user } = users();
    const found = new Set<string>();
    for (const { id } of reachable('customer').filter(({ method }) => method === 'GET'))
      if (leaksIn('customer', await its.call(id, { params: other.params, user })).length > 0) found.add(id);
    const ofSale = ['getOrder', 'listOrders', 'getTicket', 'listTickets'];
    const ofContact = ['getIndividual', 'listIndividuals'];
    const ofInstitution = ['getProduct', 'listProducts', 'getPointOfSale'];
    expect([...found]).toEqual(expect.arrayContaining([...ofSale, ...ofContact, ...ofInstitution]));
  });
});
