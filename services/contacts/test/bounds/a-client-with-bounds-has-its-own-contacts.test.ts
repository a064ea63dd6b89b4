// rule platform.8: of contacts only those that it made and that such an order names | services/contacts/src/contacts/reach.ts
import { randomBytes, randomUUID } from 'node:crypto';
import type { ClientBounds } from '@boxoffice/identity';
import { describe, expect, test } from '@jest/globals';
import { CONTACT_RECORDED } from '../../src/events.ts';
import { linksCollection } from '../../src/store.ts';
import {
  DUPLICATES_PER_MINUTE,
  describeOnEachEngine,
  type Fixture,
  type OrderOf,
  type Reply,
} from '../fixture/service.ts';

const PATH = '/svc/v3/contacts';

/** A bound, and the orders that are within it for a client. Each client of a point of sale has one of its own. */
const kinds: Readonly<Record<string, { of: (client: string) => OrderOf; bounds: (client: string) => ClientBounds }>> = {
  ownOrders: {
    of: (client) => ({ clientId: client, pointOfSale: 'anywhere.example' }),
    bounds: () => ({ ownOrders: true, pointsOfSale: [] }),
  },
  pointsOfSale: {
    of: (client) => ({ clientId: null, pointOfSale: `${client}.Example` }),
    bounds: (client) => ({ ownOrders: false, pointsOfSale: ['other.example', `${client}.example`] }),
  },
  'ownOrders and pointsOfSale': {
    of: (client) => ({ clientId: client, pointOfSale: `${client}.example` }),
    bounds: (client) => ({ ownOrders: true, pointsOfSale: [`${client}.example`] }),
  },
};
const emailOf = () => `${randomUUID()}@example.org`;
const newClient = () => `cli_${randomBytes(8).toString('hex')}`;

/** What a request may name of a contact. */
type Named = Readonly<Record<'contactNumber' | 'email', string>>;
type Requests = Readonly<Record<string, (contact: Named) => readonly (readonly [string, string, object?])[]>>;

const requestsOf = (noun: string, plural: string, details: object): Requests => ({
  [`create${noun}`]: () => [],
  [`list${noun}s`]: ({ email }) =>
    ['limit=500', 'limit=1', 'limit=1&modifiedSince=2020-01-01T00:00:00Z', `email=${email}`].map((query) => [
      'GET',
      `/${plural}?${query}`,
    ]),
  [`get${noun}`]: ({ contactNumber }) => [['GET', `/${plural}/${contactNumber}`]],
  [`replace${noun}`]: ({ contactNumber }) => [['PUT', `/${plural}/${contactNumber}`, details]],
  [`update${noun}`]: ({ contactNumber }) => [['PATCH', `/${plural}/${contactNumber}`, { phone: '+41 22 555' }]],
  [`erase${noun}`]: ({ contactNumber }) => [['DELETE', `/${plural}/${contactNumber}`]],
});

/** Requests that name a contact in every way that the operation knows: method, path below /svc/v3/contacts, body. */
const requests: Requests = {
  ...requestsOf('Individual', 'individuals', { lastName: 'Taken' }),
  ...requestsOf('Structure', 'structures', { name: 'Taken' }),
  getSensitive: ({ contactNumber }) => [['GET', `/individuals/${contactNumber}/sensitive`]],
  replaceSensitive: ({ contactNumber }) => [['PUT', `/individuals/${contactNumber}/sensitive`, {}]],
};

const HEADERS: readonly Record<string, string>[] = [{}, { 'if-match': '"1"' }, { 'if-none-match': '*' }];

const shown = ({ status, headers, text }: Reply) => ({
  status,
  headers: ['etag', 'vary', 'content-type', 'cache-control'].map((name) => headers.get(name)),
  text: text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<instant>'),
});

const numberOf = ({ data }: Reply): string => String(data?.contactNumber);

const eventsOf = async ({ store }: Fixture, number: string) => {
  const events = (await store.outbox.pending(10_000)).filter(
    ({ type, key }) => type === CONTACT_RECORDED && key === number,
  );
  return events.map(({ data }) => (data as { event: { type: string; belongsTo: object } }).event);
};

describe.each(Object.entries(kinds))('by %s', (_name, kind) => {
  describeOnEachEngine('a client with bounds has its own contacts', (fixture) => {
    /** The client, with these bounds. */
    const as = (client: string) => ({ client, bounds: kind.bounds(client) });
    const name = (number: string | null, client: string, orderId?: string, version?: number) =>
      fixture.name(number, kind.of(client), orderId, version);

    const create = (kind: 'individual' | 'structure', client: string, details: object = {}) =>
      kind === 'individual'
        ? fixture.create({ lastName: 'Private', ...details }, { client })
        : fixture.call('createStructure', 'POST', `${PATH}/structures`, {
            client,
            body: { name: 'Private', ...details },
          });

    const guest = async (email: string) => {
      const number = `C${[...randomBytes(12)].map((byte) => '0123456789ABCDEF'[byte & 15]).join('')}`;
      const body = { asOf: '2026-01-01T00:00:00.000Z', lastName: 'Private', email };
      await fixture.call('writeGuest', 'PUT', `/internal/shop/contacts/${number}`, { service: 'pos', body });
      return number;
    };

    const listed = async (client: string, query = '') => {
      const { data } = await fixture.call('listIndividuals', 'GET', `${PATH}/individuals?${query}`, as(client));
      return data as unknown as { items: { contactNumber: string }[]; nextCursor: string | null };
    };
    const numbersIn = async (client: string, query = 'limit=500') =>
      (await listed(client, query)).items.map(({ contactNumber }) => contactNumber);

    test('every operation of the interface is covered here', () => {
      const ids = fixture.operations.flatMap(({ id, access }) => (access === 'internal' ? [] : [id]));
      expect(ids.toSorted()).toEqual(Object.keys(requests).toSorted());
    });

    test.each<[string, (email: string) => Promise<string>]>([
      [
        'an individual of another client',
        async (email) => numberOf(await create('individual', 'cli_other', { email })),
      ],
      ['a structure of another client', async (email) => numberOf(await create('structure', 'cli_other', { email }))],
      ['a guest of a point of sale', guest],
      [
        'one that orders of another client name',
        async (email) => {
          const number = numberOf(await create('individual', 'cli_other', { email }));
          await name(number, 'cli_third');
          return number;
        },
      ],
    ])('a contact, %s, is in every answer, byte for byte, as if it never existed', async (_of, make) => {
      const client = newClient();
      const caller = as(client);
      const email = emailOf();
      const contactNumber = await make(email);
      const before = (await fixture.store.outbox.pending(10_000)).length;
      for (const [operation, requestsOn] of Object.entries(requests)) {
        for (const headers of HEADERS) {
          const unknown = requestsOn({ contactNumber: 'C0000000000ZZ', email: emailOf() });
          for (const [index, [method, path, body]] of requestsOn({ contactNumber, email }).entries()) {
            const [, other = ''] = unknown[index] ?? [];
            const real = shown(await fixture.call(operation, method, `${PATH}${path}`, { ...caller, body, headers }));
            const same = shown(await fixture.call(operation, method, `${PATH}${other}`, { ...caller, body, headers }));
            expect({ path, ...real }).toEqual({ path, ...same });
            expect(real.text).not.toContain('Private');
            expect(real.text).not.toContain('"nextCursor":"');
          }
        }
      }
      expect((await fixture.store.outbox.pending(10_000)).length).toBe(before);
    });

    test('it reads, changes and erases what it made and what its orders name', async () => {
      const client = newClient();
      const own = numberOf(await create('individual', client));
      const named = numberOf(await create('individual', 'cli_other'));
      await name(named, client);
      const caller = as(client);
      for (const number of [own, named]) {
        const change = async (method: 'PATCH' | 'PUT', body: object) =>
          (await fixture.individual(method, number, { ...caller, body })).data;
        expect((await fixture.individual('GET', number, caller)).status).toBe(200);
        expect(await change('PATCH', { phone: '1' })).toMatchObject({ phone: '1' });
        expect(await change('PUT', { lastName: 'Ours' })).toMatchObject({ lastName: 'Ours' });
        const path = `${PATH}/individuals/${number}/sensitive`;
        const body = { dateOfBirth: '1984-02-29' };
        expect((await fixture.call('replaceSensitive', 'PUT', path, { ...caller, body })).data).toEqual(body);
        expect((await fixture.call('getSensitive', 'GET', path, caller)).data).toEqual(body);
        const erased = await fixture.individual('DELETE', number, caller);
        expect(erased.data).toMatchObject({ erasedAt: expect.any(String) });
        expect((await fixture.individual('GET', number, caller)).status).toBe(200);
      }
      expect((await numbersIn(client)).toSorted()).toEqual([own, named].toSorted());
    });

    test('lists mix both in order of creation, or of change, page by page and by email', async () => {
      const client = newClient();
      const email = emailOf();
      const numbers: string[] = [];
      for (let index = 0; index < 7; index += 1) {
        const maker = index % 2 === 0 ? client : 'cli_other';
        const details = index === 0 ? {} : { email };
        const number = numberOf(
          await fixture.create({ lastName: `N${index}`, ...details }, { client: maker }, '?allowDuplicateEmail=true'),
        );
        numbers.push(number);
        if (maker !== client) await name(number, client);
      }
      await create('structure', client);
      const walked = async (query: string) => {
        const seen: string[] = [];
        for (let cursor = ''; ; ) {
          const { items, nextCursor } = await listed(client, `limit=2${query}${cursor}`);
          seen.push(...items.map(({ contactNumber }) => contactNumber));
          if (nextCursor === null) return seen;
          cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
        }
      };
      expect(await walked('')).toEqual(numbers);
      expect(await walked(`&email=${email}`)).toEqual(numbers.slice(1));
      const [first = '', second = '', ...rest] = numbers;
      for (const number of [second, first]) await fixture.individual('PATCH', number, { body: { phone: '1' } });
      expect(await walked('&modifiedSince=2020-01-01T00:00:00Z')).toEqual([...rest, second, first]);
    });

    test('an order that names a contact, once or again, leaves the contact as it is, and shows it to that client alone', async () => {
      const client = newClient();
      const number = numberOf(await create('individual', 'cli_other'));
      const etag = async () => {
        const read = await fixture.individual('GET', number);
        return [read.text, read.headers.get('etag')];
      };
      const before = await etag();
      for (const orderId of ['ord_1', 'ord_1', 'ord_2']) await name(number, client, `${orderId}${client}`);
      expect(await etag()).toEqual(before);
      expect(await numbersIn(client)).toEqual([number]);
      expect(await numbersIn(newClient())).toEqual([]);
      const own = numberOf(await create('individual', client));
      await name(own, client);
      expect(await numbersIn(client)).toEqual([number, own]);
    });

    test('a contact that no order names any more does not exist for the client, unless the client made it', async () => {
      const client = newClient();
      const own = numberOf(await create('individual', client));
      const other = () => create('individual', 'cli_other').then(numberOf);
      const [first, second] = [await other(), await other()];
      const [one, two] = ['ord_1', 'ord_2'].map((id) => `${id}${client}`);
      const read = async (number: string) => shown(await fixture.individual('GET', number, as(client)));
      const unknown = await read('C0000000000ZZ');
      const expectSeen = async (...numbers: string[]) => {
        expect(await numbersIn(client)).toEqual([own, ...numbers]);
        for (const number of [first, second])
          if (numbers.includes(number)) expect((await read(number)).status).toBe(200);
          else expect(await read(number)).toEqual(unknown);
      };
      await name(first, client, one, 1);
      await name(first, client, two, 1);
      await name(second, client, one, 3);
      await expectSeen(first, second);
      // Late, and again.
      await name(first, client, one, 2);
      await name(first, client, one, 1);
      await name(null, client, two, 2);
      await expectSeen(second);
      await name(own, client, one, 4);
      await expectSeen();
      await name(first, client, two, 3);
      await expectSeen(first);
      // The later fact comes first.
      await name(null, client, `ord_3${client}`, 2);
      await name(own, client, `ord_4${client}`, 2);
      for (const id of ['ord_3', 'ord_4']) await name(second, client, `${id}${client}`, 1);
      await expectSeen(first);
    });

    test('a duplicate email shows the oldest contact within the bounds, and else only that there is one', async () => {
      const client = newClient();
      const email = emailOf();
      const add = (maker: string, query = '') => fixture.create({ lastName: 'Any', email }, { client: maker }, query);
      const foreign = await add('cli_other');
      const again = (more: object = {}) => fixture.create({ lastName: 'New', email }, { ...as(client), ...more });
      const refused = await again();
      expect([refused.status, refused.body.status, refused.data]).toEqual([409, 'contact_duplicate_email', null]);
      const own = await add(client, '?allowDuplicateEmail=true');
      await add(client, '?allowDuplicateEmail=true');
      const within = await again();
      expect(within.data).toEqual(own.data);
      expect(within.body.details).toBe(refused.body.details);
      await name(numberOf(foreign), client);
      expect((await again()).data).toEqual(foreign.data);
      const other = numberOf(await create('individual', client));
      const change = await fixture.individual('PATCH', other, { ...as(client), body: { email } });
      expect([change.status, change.data]).toEqual([409, foreign.data]);
    });

    test('a contact out of its bounds that a duplicate email discloses is audited, and limited', async () => {
      const client = newClient();
      const caller = { ...as(client), scopes: ['contacts:read'] };
      const [foreign, own] = [emailOf(), emailOf()];
      await create('individual', 'cli_other', { email: foreign });
      await create('individual', caller.client, { email: own });
      const before = fixture.audited.length;
      const probe = async (email: string) => (await fixture.create({ lastName: 'New', email }, caller)).status;
      for (let index = 0; index < DUPLICATES_PER_MINUTE; index += 1) await probe(foreign);
      expect([await probe(foreign), await probe(own)]).toEqual([429, 409]);
      expect(fixture.audited.length).toBe(before + DUPLICATES_PER_MINUTE + 1);
    });

    test('a user who signs in at it has the narrower of both', async () => {
      const client = newClient();
      const [own, other] = [
        numberOf(await create('individual', client)),
        numberOf(await create('individual', 'cli_other')),
      ];
      const read = async (contact: string, number: string) => {
        const user = { id: 'usr_1', role: 'customer', contact, pointsOfSale: [] } as const;
        return (await fixture.individual('GET', number, { ...as(client), user })).status;
      };
      expect([await read(own, own), await read(other, own), await read(other, other)]).toEqual([200, 404, 404]);
      const user = { id: 'usr_1', role: 'customer', contact: own, pointsOfSale: [] } as const;
      const path = `${PATH}/individuals?email=${emailOf()}`;
      expect((await fixture.call('listIndividuals', 'GET', path, { ...as(client), user })).data).toMatchObject({
        items: [],
      });
    });

    test('events name the client that made the contact, after its erasure, too', async () => {
      const client = newClient();
      const number = numberOf(await create('individual', client));
      await fixture.individual('DELETE', number);
      expect((await eventsOf(fixture, number)).map(({ type, belongsTo }) => [type, belongsTo])).toEqual([
        ['contact.created', { clientIds: [client] }],
        ['contact.erased', { clientIds: [client] }],
      ]);
      const [event] = await eventsOf(fixture, await guest(emailOf()));
      expect(event?.belongsTo).toEqual({ clientIds: [] });
    });

    test('an order out of the bounds names nobody for it', async () => {
      const client = newClient();
      const number = numberOf(await create('individual', 'cli_other'));
      const { clientId, pointOfSale } = kind.of(client);
      await name(number, newClient());
      // Own, but elsewhere; there, but of another.
      if (pointOfSale !== 'anywhere.example') await fixture.name(number, { clientId, pointOfSale: 'else.example' });
      if (clientId !== null) await fixture.name(number, { clientId: 'cli_third', pointOfSale });
      await fixture.name(number, { clientId: null, pointOfSale: null });
      expect(await numbersIn(client)).toEqual([]);
      expect((await fixture.individual('GET', number, as(client))).status).toBe(404);
      const orders = async () => {
        const { ownOrders, pointsOfSale } = kind.bounds(client);
        const hosts = pointsOfSale.length > 0 ? `&pointsOfSale=${pointsOfSale.join(',')}` : '';
        const path = `/internal/contacts/${number}?clientId=${client}&ownOrders=${ownOrders}${hosts}`;
        return (await fixture.call('getContactInternally', 'GET', path, { service: 'orders' })).status;
      };
      expect(await orders()).toBe(404);
      await name(number, client);
      expect(await numbersIn(client)).toEqual([number]);
      expect(await orders()).toBe(200);
    });

    test('it gives and changes no criteria', async () => {
      const caller = as(newClient());
      const member = { lastName: 'Any', criteria: ['member'] };
      const made = await fixture.create(member, caller);
      expect([made.status, made.body.status]).toEqual([403, 'forbidden']);
      const number = numberOf(await fixture.create({ lastName: 'Any', criteria: [] }, caller));
      const change = (body: object, method: 'PATCH' | 'PUT' = 'PATCH') =>
        fixture.individual(method, number, { ...caller, body });
      expect([(await change({ criteria: ['member'] })).status, (await change(member, 'PUT')).status]).toEqual([
        403, 403,
      ]);
      // The institution does; the client leaves them.
      await fixture.individual('PATCH', number, { body: { criteria: ['member', 'student'] } });
      expect((await change({ criteria: null })).status).toBe(403);
      expect((await change({ criteria: ['student', 'member'], phone: '1' })).data).toMatchObject({ phone: '1' });
    });

    test('a link of 0.3, which knows the client alone, learns the point of sale when it is published again', async () => {
      const client = newClient();
      const number = numberOf(await create('individual', 'cli_other'));
      const { clientId } = kind.of(client);
      const id = `ord_${client}`;
      await fixture.store
        .collection(linksCollection)
        .of('opera')
        .insert({ id, clientId: clientId ?? 'cli_other', contactNumber: number, asOf: 1 });
      await name(number, client, id, 1);
      expect(await numbersIn(client)).toEqual([number]);
    });

    test('bounds that restrict nothing leave it the contacts of its institution, and no criteria', async () => {
      const number = numberOf(await create('individual', 'cli_other'));
      const bounds: ClientBounds = { ownOrders: false, pointsOfSale: [] };
      expect((await fixture.individual('GET', number, { bounds })).status).toBe(200);
      const body = { criteria: ['member'] };
      expect((await fixture.individual('PATCH', number, { bounds, body })).status).toBe(403);
    });
  });
});
