import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { contactNumber } from '../../src/domain/contact-number.ts';
import { engines, openStand, type Stand } from '../stand/stand.ts';

describe.each(engines)('what a point of sale asks of contacts, on $name', (engine) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand(engine);
  });
  afterAll(() => stand.close());

  const own = (number: unknown, institution = 'opera', service: string | null = 'pos') =>
    stand.call('getShopContact', 'GET', `/internal/shop/contacts/${number}`, { institution, service });

  const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 19, 30, second)).toISOString();
  const guest = (number: string, body: object, asOf = at(0), institution = 'opera') =>
    stand.call('writeGuest', 'PUT', `/internal/shop/contacts/${number}`, {
      institution,
      service: 'orders',
      body: { ...body, asOf },
    });
  const newNumber = () => contactNumber(randomBytes(12));

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

  test('a guest is made once under the number of its order, whatever emails there are', async () => {
    const email = `${randomUUID()}@example.org`;
    await stand.create({ lastName: 'Martin', email });
    const [number, ana] = [newNumber(), { firstName: 'Ana', lastName: 'Martin', email }];
    const [first, again] = await Promise.all([guest(number, ana), guest(number, ana)]);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect((await own(number)).body.data).toMatchObject({ ...ana, contactNumber: number, kind: 'individual' });
    expect((await guest(newNumber(), ana)).status).toBe(200);
    expect((await guest('C1', ana)).status).toBe(404);
    expect((await guest(number, ana, at(1), 'museum')).status).toBe(404);
  });

  test('takes what it said at a later checkout, never at an earlier one, and keeps what the institution added', async () => {
    const number = newNumber();
    const said = (firstName: string, email: string) => ({ firstName, lastName: 'Martin', email });
    const [first, second] = [said('Ana', `${randomUUID()}@example.org`), said('Eva', `${randomUUID()}@example.org`)];
    await guest(number, first, at(1));
    await stand.call('updateIndividual', 'PATCH', `/svc/v3/contacts/individuals/${number}`, {
      body: { phone: '+41 22' },
    });
    await guest(number, second, at(2));
    await guest(number, first, at(1));
    expect((await own(number)).body.data).toMatchObject({ ...second, phone: '+41 22' });
    await stand.call('updateIndividual', 'PATCH', `/svc/v3/contacts/individuals/${number}`, {
      body: { firstName: 'Eve' },
    });
    await guest(number, second, at(2));
    expect((await own(number)).body.data).toMatchObject({ firstName: 'Eve' });
  });

  test('an erased contact and one that is no guest’s stay as they are', async () => {
    const [number, said] = [newNumber(), { firstName: 'Ana', lastName: 'Martin', email: 'ana@example.org' }];
    await guest(number, said);
    await stand.call('eraseIndividual', 'DELETE', `/svc/v3/contacts/individuals/${number}`);
    expect((await guest(number, said, at(9))).status).toBe(200);
    expect((await own(number)).body.data).toMatchObject({ firstName: null, email: null });
    const { body } = await stand.create({ lastName: 'Other' });
    await guest(String(body.data?.contactNumber), said, at(9));
    expect((await own(body.data?.contactNumber)).body.data).toMatchObject({ lastName: 'Other', firstName: null });
  });
});
