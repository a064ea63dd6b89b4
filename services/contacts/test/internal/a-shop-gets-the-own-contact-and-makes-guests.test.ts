import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines, openStand, type Stand } from '../stand/stand.ts';

describe.each(engines)('what a point of sale asks of contacts, on $name', (engine) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand(engine);
  });
  afterAll(() => stand.close());

  const own = (number: unknown, institution = 'opera', service: string | null = 'pos') =>
    stand.call('getShopContact', 'GET', `/internal/shop/contacts/${number}`, { institution, service });

  const guest = (body: object, institution = 'opera') =>
    stand.call('createGuest', 'POST', '/internal/shop/contacts', { institution, service: 'pos', body });

  test('the whole contact, flat, but not its sensitive data', async () => {
    const { body } = await stand.create({ lastName: 'Martin', address: { city: 'Genève' }, criteria: ['member'] });
    const number = body.data?.contactNumber;
    await stand.call('setIndividualSensitive', 'PUT', `/svc/v3/contacts/individuals/${number}/sensitive`, {
      body: { bankAccount: { iban: 'CH9300762011623852957' } },
    });
    const { text, body: answer } = await own(number);
    expect(answer.data).toMatchObject({ lastName: 'Martin', city: 'Genève', criteria: ['member'], email: null });
    expect(text).not.toContain('CH93');
    expect((await own(number, 'museum')).status).toBe(404);
    expect((await own(number, 'opera', null)).status).toBe(403);
  });

  test('a guest is created once per request, whatever emails there are', async () => {
    const email = `${randomUUID()}@example.org`;
    await stand.create({ lastName: 'Martin', email });
    const wanted = { requestId: randomUUID(), firstName: 'Ana', lastName: 'Martin', email };
    const [first, again] = await Promise.all([guest(wanted), guest(wanted)]);
    expect([first.status, again.body.data]).toEqual([200, first.body.data]);
    const other = await guest({ ...wanted, requestId: randomUUID() });
    expect(other.body.data?.contactNumber).not.toBe(first.body.data?.contactNumber);
    const elsewhere = await guest(wanted, 'museum');
    expect(elsewhere.body.data?.contactNumber).not.toBe(first.body.data?.contactNumber);
  });
});
