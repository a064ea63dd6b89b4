import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines, type Fixture, openFixture } from '../fixture/service.ts';

describe.each(engines)('an erasure, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const path = (number: unknown) => `/svc/v3/contacts/individuals/${number}`;
  const erase = (number: unknown) => fixture.call('eraseIndividual', 'DELETE', path(number));

  test('leaves number, kind and dates; a second one changes nothing; a change after it is 412', async () => {
    const email = `${randomUUID()}@example.org`;
    const { body } = await fixture.create({ lastName: 'Martin', email, phone: '1' });
    const number = body.data?.contactNumber;
    await fixture.call('replaceSensitive', 'PUT', `${path(number)}/sensitive`, { body: { dateOfBirth: '1984-02-29' } });
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
    expect((await fixture.call('updateIndividual', 'PATCH', path(number), change)).status).toBe(412);
    expect((await fixture.call('replaceIndividual', 'PUT', path(number), change)).status).toBe(412);
    const sensitive = await fixture.call('getSensitive', 'GET', `${path(number)}/sensitive`);
    expect(sensitive.body.data).toEqual({});
    expect((await fixture.create({ lastName: 'Free again', email })).status).toBe(201);
  });

  test('publishes a fact with the contact number and without a name', async () => {
    const { body } = await fixture.create({ lastName: 'Martin' });
    await erase(body.data?.contactNumber);
    const events = await fixture.store.outbox.pending(100);
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
    const erased = await fixture.call('eraseIndividual', 'DELETE', path(body.data?.contactNumber), { institution });
    const since = encodeURIComponent(String(erased.body.data?.erasedAt));
    const list = await fixture.call('listIndividuals', 'GET', `/svc/v3/contacts/individuals?modifiedSince=${since}`, {
      institution,
    });
    expect(list.body.data?.items).toEqual([erased.body.data]);
  });
});
