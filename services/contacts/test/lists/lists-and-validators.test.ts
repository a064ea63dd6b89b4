import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines, type Fixture, openFixture } from '../fixture/service.ts';

describe.each(engines)('lists and validators, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

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
    const path = `/svc/v3/contacts/individuals/${body.data?.contactNumber}`;
    const etag = String(headers.get('etag'));
    const patch = (ifMatch: string) =>
      fixture.call('updateIndividual', 'PATCH', path, { body: { phone: '1' }, headers: { 'if-match': ifMatch } });
    expect((await patch('"nonsense"')).status).toBe(412);
    const changed = await patch(etag);
    expect(changed.status).toBe(200);
    expect((await patch(etag)).status).toBe(412);
    const get = (tag: string) => fixture.call('getIndividual', 'GET', path, { headers: { 'if-none-match': tag } });
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
    const path = `/svc/v3/contacts/individuals/${body.data?.contactNumber}`;
    const patch = (details: object) => fixture.call('updateIndividual', 'PATCH', path, { body: details });
    expect((await patch({ phone: ' +41 22 ' })).body.data).toMatchObject({ phone: '+41 22' });
    expect((await patch({ phone: '\u200b' })).body.status).toBe('validation_error');
    const needs = { body: { accessibilityNeeds: ' A wheelchair,\r\na companion. ' } };
    const { body: sensitive } = await fixture.call('replaceSensitive', 'PUT', `${path}/sensitive`, needs);
    expect(sensitive.data).toMatchObject({ accessibilityNeeds: 'A wheelchair,\na companion.' });
  });

  test('the body of a GET can be PUT back; a changed read-only member is refused', async () => {
    const { body } = await fixture.create({ lastName: 'Martin', email: `${randomUUID()}@example.org` });
    const path = `/svc/v3/contacts/individuals/${body.data?.contactNumber}`;
    const put = await fixture.call('replaceIndividual', 'PUT', path, { body: body.data ?? {} });
    expect(put.status).toBe(200);
    expect(put.body.data).toMatchObject({ ...body.data, updatedAt: expect.any(String) });
    const other = { body: { ...body.data, kind: 'structure' } };
    expect((await fixture.call('replaceIndividual', 'PUT', path, other)).status).toBe(422);
  });
});
