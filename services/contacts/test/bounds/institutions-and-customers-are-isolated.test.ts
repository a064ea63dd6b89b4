// rule decisions: a role `customer` learns of at most 5 an hour (409 or otherwise), then 429; each leaves an audit line | services/contacts/src/contacts/disclosure.ts
import { randomUUID } from 'node:crypto';
import type { CallerUser } from '@boxoffice/identity';
import type { CollectionHandle } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import { MOST_PER_HOUR } from '../../src/contacts/disclosure.ts';
import type { ContactDocument } from '../../src/store.ts';
import { describeOnEachEngine, type Fixture, openFixture } from '../fixture/service.ts';

const PATH = '/svc/v3/contacts/individuals';
const UNKNOWN = 'C0000000000ZZ';

/** The operations whose response for another institution's contact differs from that for an unknown number. */
const leaksToAnother = async (fixture: Fixture): Promise<string[]> => {
  const { body } = await fixture.create({ lastName: 'Private' }, { institution: 'opera' });
  const change = { lastName: 'Taken' };
  const calls: readonly [string, string, string, unknown?][] = [
    ['getIndividual', 'GET', ''],
    ['updateIndividual', 'PATCH', '', change],
    ['replaceIndividual', 'PUT', '', change],
    ['eraseIndividual', 'DELETE', ''],
    ['getSensitive', 'GET', '/sensitive'],
    ['replaceSensitive', 'PUT', '/sensitive', {}],
  ];
  const found: string[] = [];
  for (const [operation, method, rest, payload] of calls) {
    const ask = (number: unknown) =>
      fixture.call(operation, method, `${PATH}/${number}${rest}`, { institution: 'museum', body: payload });
    const [foreign, unknown] = [await ask(body.data?.contactNumber), await ask(UNKNOWN)];
    if (foreign.status !== 404 || foreign.text !== unknown.text) found.push(operation);
  }
  const list = await fixture.call('listIndividuals', 'GET', `${PATH}?limit=500`, { institution: 'museum' });
  if (list.text.includes(String(body.data?.contactNumber))) found.push('listIndividuals');
  return found;
};

const withoutTenantFilter = (collection: CollectionHandle<ContactDocument>): CollectionHandle<ContactDocument> => ({
  ...collection,
  of: (institution) => {
    const { insert, insertMany, insertInOrder } = collection.of(institution);
    return { ...collection.acrossInstitutions, insert, insertMany, insertInOrder };
  },
});

const emailOf = () => `${randomUUID()}@example.org`;

const made = async (fixture: Fixture, details: object = {}) => {
  const { data } = await fixture.create({ lastName: 'Martin', ...details });
  return data as { readonly contactNumber: string; readonly lastName: string };
};

const customerOf = (contactNumber: string): CallerUser => ({
  id: `usr_${contactNumber}`,
  role: 'customer',
  contact: contactNumber,
  pointsOfSale: [],
});

/**
 * What a customer learns of another contact of its institution: the operations that differ from an unknown number's.
 */
const leaksToCustomer = async (fixture: Fixture): Promise<string[]> => {
  const [own, other] = [await made(fixture), await made(fixture, { lastName: 'Private', email: emailOf() })];
  const user = customerOf(own.contactNumber);
  const body = { lastName: 'Taken', criteria: ['member'] };
  const found: string[] = [];
  for (const method of ['GET', 'PATCH', 'PUT'] as const) {
    const ask = (number: string, headers = {}) =>
      fixture.individual(method, number, { user, headers, ...(method !== 'GET' && { body }) });
    for (const headers of [{}, { 'if-match': '"1"' }, { 'if-none-match': '*' }]) {
      const [foreign, unknown] = [await ask(other.contactNumber, headers), await ask(UNKNOWN, headers)];
      if (foreign.status !== 404 || foreign.text !== unknown.text) found.push(method);
    }
  }
  const list = (query: string) => fixture.call('listIndividuals', 'GET', `${PATH}?${query}`, { user });
  const since = encodeURIComponent('2020-01-01T00:00:00.000Z');
  for (const query of ['limit=500', `limit=500&modifiedSince=${since}`, 'limit=1']) {
    const { text } = await list(query);
    if (text.includes('Private') || !text.includes(own.contactNumber)) found.push(`list ${query}`);
    if (!text.includes('"nextCursor":null')) found.push(`cursor of ${query}`);
  }
  return [...new Set(found)];
};

describeOnEachEngine('isolation', (fixture) => {
  describe('each institution its own contacts', () => {
    test('another institution’s contact gets the same bytes as an unknown one, in every operation', async () => {
      expect(await leaksToAnother(fixture)).toEqual([]);
    });
  });

  describe('a customer has its own contact alone', () => {
    test('another contact is answered, byte for byte, like one that never existed', async () => {
      expect(await leaksToCustomer(fixture)).toEqual([]);
    });

    test('it reads, lists, replaces and changes its own, and writes back what it has read', async () => {
      const email = emailOf();
      const { contactNumber } = await made(fixture, { email, criteria: ['member', 'student'] });
      const user = customerOf(contactNumber);
      const read = await fixture.individual('GET', contactNumber, { user });
      expect(read.data).toMatchObject({ contactNumber, email });
      const found = await fixture.call('listIndividuals', 'GET', `${PATH}?email=${email}`, { user });
      expect(found.data).toMatchObject({ items: [read.data] });
      const changed = await fixture.individual('PATCH', contactNumber, { user, body: { phone: '+41 22 555' } });
      expect(changed.data).toMatchObject({ phone: '+41 22 555', criteria: ['member', 'student'] });
      expect((await fixture.individual('PUT', contactNumber, { user, body: changed.data })).status).toBe(200);
      const body = { lastName: 'Martin-Rey', criteria: ['student', 'member'] };
      const replaced = await fixture.individual('PUT', contactNumber, { user, body });
      expect([replaced.status, replaced.data]).toMatchObject([200, body]);
    });

    test.each([
      ['PATCH', { criteria: ['member', 'staff'] }],
      ['PATCH', { criteria: null }],
      ['PATCH', { criteria: [] }],
      ['PUT', { lastName: 'Martin' }],
      ['PUT', { lastName: 'Martin', criteria: ['staff'] }],
    ] as const)('%s with other criteria is forbidden: %j', async (method, body) => {
      const { contactNumber } = await made(fixture, { criteria: ['member'] });
      const answer = await fixture.individual(method, contactNumber, { user: customerOf(contactNumber), body });
      expect(answer.body).toEqual({
        status: 'forbidden',
        details: 'A user of the role customer may not change $.criteria.',
        data: null,
      });
      expect((await fixture.individual('GET', contactNumber)).data).toMatchObject({ criteria: ['member'] });
    });

    test('a duplicate email does not say whose it is, and allowDuplicateEmail is forbidden, for any contact', async () => {
      const email = emailOf();
      await made(fixture, { email, lastName: 'Private' });
      const { contactNumber } = await made(fixture);
      const user = customerOf(contactNumber);
      const change = (number: string, query = '') =>
        fixture.call('updateIndividual', 'PATCH', `${PATH}/${number}${query}`, { user, body: { email } });
      const refused = await change(contactNumber);
      expect([refused.status, refused.body]).toEqual([
        409,
        { status: 'contact_duplicate_email', details: 'Another contact has this email.', data: null },
      ]);
      const allowing = await change(contactNumber, '?allowDuplicateEmail=true');
      expect([allowing.status, allowing.body.status]).toEqual([403, 'forbidden']);
      expect((await change(UNKNOWN, '?allowDuplicateEmail=true')).text).toBe(allowing.text);
      expect((await change(contactNumber, '?allowDuplicateEmail=false')).status).toBe(409);
    });

    describe('learns of at most 5 existing emails an hour', () => {
      const prober = async () => {
        const email = emailOf();
        await made(fixture, { email });
        const { contactNumber } = await made(fixture);
        const user = { ...customerOf(contactNumber), id: `usr_${randomUUID()}` };
        const change = (body: object, method: 'PATCH' | 'PUT' = 'PATCH') =>
          fixture.individual(method, contactNumber, { user, body });
        return { email, user, change };
      };
      const auditOf = (user: { readonly id: string }) =>
        (fixture.audited as { event: string; user?: string }[])
          .filter((one) => one.user === user.id)
          .map(({ event }) => event);

      test('by PATCH and PUT together; each is audited, also when it is refused', async () => {
        const { email, user, change } = await prober();
        const statuses: number[] = [];
        for (let index = 0; index < MOST_PER_HOUR + 3; index += 1) {
          const { status } = index % 2 ? await change({ email }) : await change({ lastName: 'Martin', email }, 'PUT');
          statuses.push(status);
        }
        expect(statuses).toEqual([409, 409, 409, 409, 409, 429, 429, 429]);
        expect(auditOf(user)).toEqual([
          ...Array.from({ length: MOST_PER_HOUR }, () => 'audit.contact_disclosed'),
          ...Array.from({ length: 3 }, () => 'audit.disclosure_throttled'),
        ]);
      });

      test('after them an email that nobody has is refused as well, and nothing else', async () => {
        const { email, change } = await prober();
        for (let index = 0; index < MOST_PER_HOUR; index += 1) await change({ email });
        const [taken, free] = [await change({ email }), await change({ email: emailOf() })];
        expect(free.text).toBe(taken.text);
        expect([free.status, free.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
        expect((await change({ phone: '+41 22 555' })).status).toBe(200);
      });

      test('at once, too; a change of its email that tells of nobody does not count', async () => {
        const { email, user, change } = await prober();
        for (let index = 0; index < 2 * MOST_PER_HOUR; index += 1)
          expect((await change({ email: emailOf() })).status).toBe(200);
        const statuses = (await Promise.all(Array.from({ length: 12 }, () => change({ email })))).map(
          ({ status }) => status,
        );
        expect(statuses.filter((status) => status === 409)).toHaveLength(MOST_PER_HOUR);
        expect(auditOf(user)).toHaveLength(12);
      });
    });

    test('creation, erasure and sensitive data are forbidden, before any look at the contact', async () => {
      const { contactNumber } = await made(fixture);
      const user = customerOf(contactNumber);
      const refused: readonly [string, string, string, unknown?][] = [
        ['createIndividual', 'POST', PATH, { lastName: 'Martin' }],
        ['createStructure', 'POST', '/svc/v3/contacts/structures', { name: 'Martin SA' }],
        ...[contactNumber, UNKNOWN].flatMap((number): [string, string, string, unknown?][] => [
          ['eraseIndividual', 'DELETE', `${PATH}/${number}`],
          ['getSensitive', 'GET', `${PATH}/${number}/sensitive`],
          ['replaceSensitive', 'PUT', `${PATH}/${number}/sensitive`, {}],
        ]),
      ];
      const texts = new Set<string>();
      for (const [operation, method, path, body] of refused) {
        const { status, text } = await fixture.call(operation, method, path, { user, body });
        expect([operation, status]).toEqual([operation, 403]);
        texts.add(text);
      }
      expect(texts.size).toBe(1);
    });

    test('a repeat after the user was tied to another contact shows nothing of the first', async () => {
      const [first, second] = [await made(fixture), await made(fixture)];
      const key = randomUUID();
      const change = (contact: string) =>
        fixture.individual('PATCH', first.contactNumber, {
          user: { ...customerOf(contact), id: 'usr_moved' },
          body: { phone: '+41 22 000' },
          headers: { 'idempotency-key': key },
        });
      expect((await change(first.contactNumber)).status).toBe(200);
      expect((await change(first.contactNumber)).headers.get('idempotency-replayed')).toBe('true');
      const after = await change(second.contactNumber);
      expect(after.status).toBe(422);
      expect(after.text).not.toContain(first.contactNumber);
    });

    test.each(['box_office', 'manager'] as const)('a user of the role %s sees every contact', async (role) => {
      const { contactNumber } = await made(fixture);
      const user: CallerUser = { id: 'usr_1', role, contact: null, pointsOfSale: ['tickets.opera.example'] };
      expect((await fixture.individual('GET', contactNumber, { user })).status).toBe(200);
    });
  });
});

test('negative control: without the tenant filter the operations leak', async () => {
  const fixture = await openFixture(undefined, withoutTenantFilter);
  const found = await leaksToAnother(fixture);
  await fixture.close();
  expect(found).toContain('getIndividual');
  expect(found).toContain('listIndividuals');
});

test('negative control: without the bounds of documents the operations leak', async () => {
  const withoutBounds = (collection: CollectionHandle<ContactDocument>): CollectionHandle<ContactDocument> => ({
    ...collection,
    of: (institution) => {
      const documents = collection.of(institution);
      // As if the conditions that bound a caller were forgotten.
      const find: typeof documents.find = ({ where: { id: _, ...where } = {}, ...query } = {}) =>
        documents.find({ ...query, where });
      return { ...documents, find };
    },
  });
  const fixture = await openFixture(undefined, withoutBounds);
  const found = await leaksToCustomer(fixture);
  await fixture.close();
  expect(found).toContain('list limit=500');
});
