import { randomUUID } from 'node:crypto';
import { findExampleFaults } from '@boxoffice/http';
import { sendEightAtOnce } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { describeOnEachEngine, type Fixture } from '../fixture/service.ts';

const sensitivePath = (number: unknown) => `/svc/v3/contacts/individuals/${number}/sensitive`;

describeOnEachEngine('contacts', (fixture) => {
  test('every operation has examples, and they fit its schemas', () => {
    expect(findExampleFaults(fixture.operations)).toEqual([]);
  });

  describe('lists and validators', () => {
    const list = (query: string, institution: string) =>
      fixture.call('listIndividuals', 'GET', `/svc/v3/contacts/individuals${query}`, { institution });

    test('pages follow each other in order of creation, without gap or repeat', async () => {
      const institution = `club-${randomUUID().slice(0, 8)}`;
      const numbers: unknown[] = [];
      for (let index = 0; index < 7; index += 1)
        numbers.push((await fixture.create({ lastName: `N${index}` }, { institution })).body.data?.contactNumber);
      const seen: unknown[] = [];
      const instants = new Set<string>();
      let cursor = '';
      do {
        const { body } = await list(`?limit=3${cursor}`, institution);
        const { items, nextCursor, asOf } = body.data as {
          items: { contactNumber: string }[];
          nextCursor: string | null;
          asOf: string;
        };
        instants.add(asOf);
        seen.push(...items.map(({ contactNumber }) => contactNumber));
        cursor = nextCursor === null ? '' : `&cursor=${encodeURIComponent(nextCursor)}`;
      } while (cursor !== '');
      expect(seen.sort()).toEqual(numbers.sort());
      expect(instants.size).toBe(1);
    });

    test('asOf of a list is 15 s before its first page was read', async () => {
      const before = Date.now();
      const { asOf } = (await list('?limit=1', 'opera')).body.data as { asOf: string };
      const read = Date.parse(asOf) + 15_000;
      expect(read >= before && read <= Date.now()).toBe(true);
      expect((await list(`?modifiedSince=${asOf}`, 'opera')).status).toBe(200);
    });

    test('the email filter is trimmed and case-insensitive', async () => {
      const email = `${randomUUID()}@example.org`;
      const { body } = await fixture.create({ lastName: 'Martin', email });
      const found = await list(`?email=%20${email.toUpperCase()}`, 'opera');
      expect(found.body.data?.items).toEqual([body.data]);
    });

    test('a wrong limit, a foreign cursor and an unknown parameter are invalid_parameter', async () => {
      for (const query of ['?limit=0', '?limit=501', '?limit=x', '?cursor=abc', '?nonsense=1', '?limit=1&limit=2'])
        expect((await list(query, 'opera')).body.status).toBe('invalid_parameter');
    });

    test('If-Match with another version is 412; If-None-Match with the current one is 304', async () => {
      const { body, headers } = await fixture.create({ lastName: 'Martin' });
      const number = body.data?.contactNumber;
      const etag = String(headers.get('etag'));
      const patch = (ifMatch: string) =>
        fixture.individual('PATCH', number, { body: { phone: '1' }, headers: { 'if-match': ifMatch } });
      expect((await patch('"nonsense"')).status).toBe(412);
      const changed = await patch(etag);
      expect(changed.status).toBe(200);
      expect((await patch(etag)).status).toBe(412);
      const get = (tag: string) => fixture.individual('GET', number, { headers: { 'if-none-match': tag } });
      expect((await get(String(changed.headers.get('etag')))).status).toBe(304);
      expect((await get(etag)).status).toBe(200);
    });

    test('texts are stored trimmed and in NFC; blank ones and control characters are refused', async () => {
      const address = { street: ' Rue du Rho\u0302ne 1 ', city: 'Gene\u0300ve\t' };
      const { body } = await fixture.create({ lastName: '  Martin\t', title: ' Dr ', address });
      expect(body.data).toMatchObject({
        lastName: 'Martin',
        title: 'Dr',
        address: { street: 'Rue du Rhône 1', city: 'Genève' },
      });
      for (const lastName of ['', ' ', '\u200b', '\u3164', '\u2800', 'Mar\u0000tin', 'Mar\ntin'])
        expect((await fixture.create({ lastName })).body.status).toBe('validation_error');
      const number = body.data?.contactNumber;
      const patch = (details: object) => fixture.individual('PATCH', number, { body: details });
      expect((await patch({ phone: ' +41 22 ' })).body.data).toMatchObject({ phone: '+41 22' });
      expect((await patch({ phone: '\u200b' })).body.status).toBe('validation_error');
      const needs = { body: { accessibilityNeeds: ' A wheelchair,\r\na companion. ' } };
      const { body: sensitive } = await fixture.call('replaceSensitive', 'PUT', sensitivePath(number), needs);
      expect(sensitive.data).toMatchObject({ accessibilityNeeds: 'A wheelchair,\na companion.' });
    });

    test('the body of a GET can be PUT back; a changed read-only member is refused', async () => {
      const { body } = await fixture.create({ lastName: 'Martin', email: `${randomUUID()}@example.org` });
      const number = body.data?.contactNumber;
      const put = await fixture.individual('PUT', number, { body: body.data ?? {} });
      expect(put.status).toBe(200);
      expect(put.body.data).toMatchObject({ ...body.data, updatedAt: expect.any(String) });
      const other = { body: { ...body.data, kind: 'structure' } };
      expect((await fixture.individual('PUT', number, other)).status).toBe(422);
    });
  });

  describe('an erasure', () => {
    const erase = (number: unknown) => fixture.individual('DELETE', number);

    test('leaves number, kind and dates; a second one changes nothing; a change after it is 412', async () => {
      const email = `${randomUUID()}@example.org`;
      const { body } = await fixture.create({ lastName: 'Martin', email, phone: '1' });
      const number = body.data?.contactNumber;
      await fixture.call('replaceSensitive', 'PUT', sensitivePath(number), {
        body: { dateOfBirth: '1984-02-29' },
      });
      const erased = await erase(number);
      expect(Object.keys(erased.body.data ?? {}).sort()).toEqual([
        'contactNumber',
        'createdAt',
        'erasedAt',
        'kind',
        'updatedAt',
      ]);
      expect((await erase(number)).text).toBe(erased.text);
      const change = { body: { lastName: 'Back' } };
      expect((await fixture.individual('PATCH', number, change)).status).toBe(412);
      expect((await fixture.individual('PUT', number, change)).status).toBe(412);
      const sensitive = await fixture.call('getSensitive', 'GET', sensitivePath(number));
      expect(sensitive.body.data).toEqual({});
      expect((await fixture.create({ lastName: 'Free again', email })).status).toBe(201);
    });

    test('publishes a fact with the contact number and without a name', async () => {
      const { body } = await fixture.create({ lastName: 'Martin' });
      await erase(body.data?.contactNumber);
      const events = await fixture.store.outbox.pending(10_000);
      const facts = events.filter(({ key }) => key === body.data?.contactNumber);
      expect(facts.map(({ type }) => type)).toEqual(['contact.recorded', 'contact.erased', 'contact.recorded']);
      expect(facts[1]).toMatchObject({ type: 'contact.erased', institution: 'opera' });
      expect(JSON.stringify(facts)).not.toContain('Martin');
    });

    test('deletes stored idempotent answers that contain the contact', async () => {
      const email = `${randomUUID()}@example.org`;
      const headers = { 'idempotency-key': randomUUID() };
      const first = await fixture.create({ lastName: 'Remembered', email }, { headers });
      const replay = await fixture.create({ lastName: 'Remembered', email }, { headers });
      expect(replay.headers.get('idempotency-replayed')).toBe('true');
      expect(replay.text).toBe(first.text);
      const other = { 'idempotency-key': randomUUID() };
      const duplicate = { lastName: 'Other', email };
      expect((await fixture.create(duplicate, { headers: other })).status).toBe(409);
      await erase(first.body.data?.contactNumber);
      for (const [body, key] of [
        [{ lastName: 'Remembered', email }, headers],
        [duplicate, other],
      ] as const) {
        const after = await fixture.create(body, { headers: key });
        expect(after.headers.get('idempotency-replayed')).toBeNull();
        expect(after.text).not.toContain(String(first.body.data?.contactNumber));
      }
    });

    test('leaves the contact in lists, so that modifiedSince returns it', async () => {
      const institution = `opera-${randomUUID().slice(0, 8)}`;
      const { body } = await fixture.create({ lastName: 'Martin' }, { institution });
      const erased = await fixture.individual('DELETE', body.data?.contactNumber, { institution });
      const since = encodeURIComponent(String(erased.body.data?.erasedAt));
      const list = await fixture.call('listIndividuals', 'GET', `/svc/v3/contacts/individuals?modifiedSince=${since}`, {
        institution,
      });
      expect(list.body.data?.items).toEqual([erased.body.data]);
    });
  });

  describe('sensitive data', () => {
    test('are an empty object at first, then the stored values, and never part of the contact', async () => {
      const { body } = await fixture.create({ lastName: 'Martin' });
      const number = body.data?.contactNumber;
      const read = () => fixture.call('getSensitive', 'GET', sensitivePath(number));
      expect(await read()).toMatchObject({ status: 200, body: { status: 'success', data: {} } });
      const sensitive = { dateOfBirth: '1984-02-29' };
      await fixture.call('replaceSensitive', 'PUT', sensitivePath(number), { body: sensitive });
      expect((await read()).body.data).toEqual(sensitive);
      expect((await fixture.individual('GET', number)).text).not.toContain('1984');
    });
  });

  describe('of eight requests with one key', () => {
    const send = (operation: string, method: string, path: string, body: object) =>
      sendEightAtOnce([fixture], (on: Fixture, key) =>
        on.call(operation, method, `/svc/v3/contacts${path}`, { body, headers: { 'idempotency-key': key } }),
      );

    test('one makes the contact, although they share its email', async () => {
      const email = `${randomUUID()}@example.org`;
      const made = await send('createIndividual', 'POST', '/individuals', { lastName: 'Lovelace', email });
      expect(made.status).toBe(201);
      const changed = await send('updateIndividual', 'PATCH', `/individuals/${made.data?.contactNumber}`, {
        lastName: 'King',
      });
      expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"']);
      const { body } = await send('createIndividual', 'POST', '/individuals', { lastName: 'Byron', email });
      expect(body.status).toBe('contact_duplicate_email');
    });
  });
});
