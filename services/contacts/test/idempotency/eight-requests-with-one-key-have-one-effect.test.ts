import { randomUUID } from 'node:crypto';
import { sendEightAtOnce } from '@boxoffice/service/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines, type Fixture, openFixture } from '../fixture/service.ts';

describe.each(engines)('of eight requests with one key, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

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
