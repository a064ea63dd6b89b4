// rule 2: For `contact_duplicate_email`, `data` is the existing contact | libs/envelope/src/contact-exception.ts
// rule 4: `POST /contacts/individuals` takes `allowDuplicateEmail`; 409 `contact_duplicate_email` unless it is true | services/contacts/src/contacts/contacts.ts
// rule 4: `POST /contacts/structures` does the same, across individuals and structures | services/contacts/src/contacts/routes.ts
// rule 7: 409 `contact_duplicate_email` carries the full existing contact | services/contacts/src/contacts/contacts.ts
// rule 2: An email is unique on creation, trimmed and case-insensitive | services/contacts/src/domain/contact.ts

import { randomUUID } from 'node:crypto';
import type { CollectionHandle } from '@boxoffice/store';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { computeEmailKey } from '../../src/domain/contact.ts';
import type { ContactDocument } from '../../src/store.ts';
import { DUPLICATES_PER_MINUTE, describeOnEachEngine, type Fixture, openFixture } from '../fixture/service.ts';

const someone = () => `Ana.${randomUUID()}@example.org`;

const fiftyAtOnce = async (fixture: Fixture) => {
  const email = someone();
  const replies = await Promise.all(
    Array.from({ length: 50 }, () =>
      fixture.create({ lastName: 'Contention', email }, { institution: randomInstitution }),
    ),
  );
  return {
    created: replies.filter(({ status }) => status === 201),
    refused: replies.filter(({ status, body }) => status === 409 && body.status === 'contact_duplicate_email'),
  };
};
const randomInstitution = `opera-${randomUUID().slice(0, 8)}`;

/** Removes the unique index and lets all fifty read before any inserts: only "read, then insert" is left. */
const withoutUniqueIndex = (collection: CollectionHandle<ContactDocument>): CollectionHandle<ContactDocument> => {
  const everyoneLooked = Promise.withResolvers<void>();
  let looking = 50;
  return {
    ...collection,
    of: (institution) => {
      const documents = collection.of(institution);
      return {
        ...documents,
        async find(query) {
          const found = await documents.find(query);
          looking -= 1;
          if (looking === 0) everyoneLooked.resolve();
          await everyoneLooked.promise;
          return found;
        },
        insert: (contact, options) => documents.insert({ ...contact, uniqueEmail: randomUUID() }, options),
      };
    },
  };
};

describeOnEachEngine('one email, one contact', (fixture) => {
  test('the answer to a duplicate carries the full existing contact', async () => {
    const email = someone();
    const first = await fixture.create({ lastName: 'Martin', email: ` ${email} `, address: { city: 'Genève' } });
    expect(first.status).toBe(201);
    const second = await fixture.create({ lastName: 'Other', email: email.toUpperCase() });
    expect(second.status).toBe(409);
    expect(second.body).toMatchObject({ status: 'contact_duplicate_email', data: first.body.data });
    expect(second.body.details).not.toContain(email);
  });

  test('an internationalised email is one email in any spelling, also a relay’s', async () => {
    const name = randomUUID();
    const first = await fixture.create({ lastName: 'Martin', email: `é.${name}@exämple.org` });
    expect(first.status).toBe(201);
    const again = await fixture.create({ lastName: 'Other', email: ` E\u0301.${name}@XN--EXMPLE-CUA.org ` });
    expect([again.status, again.body.data]).toEqual([409, first.body.data]);
    const relay = { firstName: 'Ana', email: 'tést@exämple.org' };
    const structure = await fixture.call('createStructure', 'POST', '/svc/v3/contacts/structures', {
      body: { name: 'École', relay },
    });
    expect([structure.status, structure.body.data]).toMatchObject([201, { relay }]);
  });

  test('individuals and structures share one space of emails', async () => {
    const email = someone();
    const structure = await fixture.call('createStructure', 'POST', '/svc/v3/contacts/structures', {
      body: { name: 'École', email },
    });
    expect(structure.status).toBe(201);
    expect((await fixture.create({ lastName: 'Martin', email })).body.data).toEqual(structure.body.data);
  });

  test('allowDuplicateEmail=true creates it; the oldest is the existing one', async () => {
    const email = someone();
    const oldest = await fixture.create({ lastName: 'First', email });
    for (const lastName of ['Second', 'Third']) {
      const allowed = await fixture.create({ lastName, email }, {}, '?allowDuplicateEmail=true');
      expect([allowed.status, allowed.data]).toMatchObject([201, { email }]);
    }
    expect((await fixture.create({ lastName: 'Third', email })).body.data).toEqual(oldest.body.data);
    expect((await fixture.create({ lastName: 'Third', email }, {}, '?allowDuplicateEmail=yes')).body.status).toBe(
      'invalid_parameter',
    );
  });

  test('another institution has its own emails', async () => {
    const email = someone();
    expect((await fixture.create({ lastName: 'Martin', email })).status).toBe(201);
    expect((await fixture.create({ lastName: 'Martin', email }, { institution: 'museum' })).status).toBe(201);
  });

  test('a changed email is checked like a new one, an unchanged one is not', async () => {
    const [taken, own] = [someone(), someone()];
    await fixture.create({ lastName: 'Martin', email: taken });
    const { body } = await fixture.create({ lastName: 'Muster', email: own });
    const path = `/svc/v3/contacts/individuals/${body.data?.contactNumber}`;
    const patch = (change: object, query = '') =>
      fixture.call('updateIndividual', 'PATCH', `${path}${query}`, { body: change });
    expect((await patch({ email: taken })).body.status).toBe('contact_duplicate_email');
    expect((await patch({ email: own.toUpperCase(), phone: '1' })).status).toBe(200);
    expect((await patch({ email: taken }, '?allowDuplicateEmail=true')).status).toBe(200);
    expect((await patch({ phone: '2' })).status).toBe(200);
    const changed = { lastName: 'Muster', email: own };
    const put = await fixture.individual('PUT', body.data?.contactNumber, { body: changed });
    expect(put.status).toBe(200);
    expect(put.body.data).not.toHaveProperty('phone');
    // A removed one is free again.
    expect((await fixture.create({ lastName: 'Other', email: own })).status).toBe(409);
    await patch({ email: null });
    expect((await fixture.create({ lastName: 'Other', email: own })).status).toBe(201);
  });

  test('fifty concurrent creations: one 201, forty-nine 409', async () => {
    const { created, refused } = await fiftyAtOnce(fixture);
    expect([created.length, refused.length]).toEqual([1, 49]);
    for (const { body } of refused) expect(body.data).toEqual(created[0]?.body.data);
  });

  describe('the answer to a duplicate email', () => {
    const email = someone();
    beforeAll(() => fixture.create({ lastName: 'Martin', email }));

    const again = (client: string, scopes: string[] = []) =>
      fixture.create({ lastName: 'Other', email }, { client, scopes });

    test('is audited for a write-only client, without the contact in the audit', async () => {
      const before = fixture.audited.length;
      expect((await again('cl_writer')).status).toBe(409);
      expect(fixture.audited.slice(before)).toEqual([
        { event: 'audit.contact_disclosed', institution: 'opera', client: 'cl_writer' },
      ]);
      expect((await again('cl_reader', ['contacts:read'])).status).toBe(409);
      expect(fixture.audited.length).toBe(before + 1);
    });

    test('is rate-limited per minute for a write-only client, and not for others', async () => {
      const replies = await Promise.all(Array.from({ length: DUPLICATES_PER_MINUTE + 5 }, () => again('cl_prober')));
      const throttled = replies.filter(({ status }) => status === 429);
      expect(replies.filter(({ status }) => status === 409)).toHaveLength(DUPLICATES_PER_MINUTE);
      expect(throttled).toHaveLength(5);
      expect(throttled[0]?.body).toEqual({ status: 'too_many_requests', details: expect.any(String), data: null });
      expect(Number(throttled[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(fixture.audited.at(-1)).toMatchObject({ event: 'audit.disclosure_throttled', client: 'cl_prober' });
      expect((await again('cl_writer')).status).toBe(409);
      expect((await again('cl_prober', ['contacts:read'])).status).toBe(409);
      expect((await fixture.create({ lastName: 'New' }, { client: 'cl_prober' })).status).toBe(201);
    });
  });
});

test('negative control: without the unique index fifty concurrent creations create more than one', async () => {
  const fixture = await openFixture(undefined, withoutUniqueIndex);
  const { created } = await fiftyAtOnce(fixture);
  await fixture.close();
  expect(created.length).toBeGreaterThan(1);
});

describe('email is trimmed and compared case-insensitively', () => {
  test('surrounding white space and case do not distinguish emails', () => {
    fc.assert(
      fc.property(fc.emailAddress(), fc.stringMatching(/^[ \t]{0,3}$/), (email, space) => {
        expect(computeEmailKey(`${space}${email.toUpperCase()}${space}`)).toBe(computeEmailKey(email));
      }),
    );
  });

  test.each([
    ['case beyond ASCII', 'tést@exämple.org', 'TÉST@EXÄMPLE.ORG'],
    ['composed and decomposed accents', 'tést@example.org', 'te\u0301st@example.org'],
    ['a domain in its letters and as DNS has it', 'a@exämple.org', 'a@xn--exmple-cua.org'],
    ['a final sigma', 'δοκιμης@example.org', 'ΔΟΚΙΜΗΣ@example.org'],
  ])('%s makes no other email', (_what, one, other) => {
    expect(computeEmailKey(other)).toBe(computeEmailKey(one));
    expect(computeEmailKey(` ${other} `)).toBe(computeEmailKey(one));
  });

  test.each([
    ['an accent', 'tést@example.org', 'test@example.org'],
    ['a letter of another script', 'a@example.org', 'а@example.org'],
    ['an accent in the domain', 'a@exämple.org', 'a@example.org'],
  ])('%s makes another email', (_what, one, other) => {
    expect(computeEmailKey(other)).not.toBe(computeEmailKey(one));
  });

  test('a malformed email has a key as well', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => typeof computeEmailKey(text) === 'string'));
  });
});
