import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createContactNumber } from '../../src/domain/contact.ts';
import { describeOnEachEngine } from '../fixture/service.ts';

describeOnEachEngine('contacts for other services', (fixture) => {
  describe('a contact for other services', () => {
    const ask = (number: unknown, institution = 'opera', service: string | null = 'orders') =>
      fixture.call('getContactInternally', 'GET', `/internal/contacts/${number}`, { institution, service });

    test('has number, kind, criteria, the time of its erasure, and whether it has an email, but no name', async () => {
      const { body } = await fixture.create({ lastName: 'Martin', criteria: ['member'] });
      const number = body.data?.contactNumber;
      const known = await ask(number);
      expect(known.body.data).toEqual({
        contactNumber: number,
        kind: 'individual',
        criteria: ['member'],
        hasEmail: false,
        erasedAt: null,
      });
      const { body: withEmail } = await fixture.create({ lastName: 'Martin', email: `${randomUUID()}@example.org` });
      expect((await ask(withEmail.data?.contactNumber)).body.data).toMatchObject({ hasEmail: true });
      await fixture.individual('DELETE', number);
      const erased = await ask(number);
      expect(erased.body.data).toMatchObject({ criteria: [], erasedAt: expect.any(String) });
    });

    test('is unknown where the query names a client that did not make it', async () => {
      const { body } = await fixture.create({ lastName: 'Martin' }, { client: 'cl_own' });
      const number = body.data?.contactNumber;
      const unknown = await ask('C000000000000?clientId=cl_own');
      expect(unknown.status).toBe(404);
      expect((await ask(`${number}?clientId=cl_other`)).text).toBe(unknown.text);
      expect((await ask(`${number}?clientId=cl_own`)).text).toBe((await ask(number)).text);
    });

    test('of another institution is unknown, and clients are refused', async () => {
      const { body } = await fixture.create({ lastName: 'Martin' });
      const foreign = await ask(body.data?.contactNumber, 'museum');
      expect(foreign.status).toBe(404);
      expect(foreign.text).toBe((await ask('C000000000000')).text);
      expect((await ask(body.data?.contactNumber, 'opera', null)).status).toBe(403);
    });
  });

  describe('contacts for a point of sale', () => {
    const own = (number: unknown, institution = 'opera', service: string | null = 'pos') =>
      fixture.call('getShopContact', 'GET', `/internal/shop/contacts/${number}`, { institution, service });

    const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 19, 30, second)).toISOString();
    const guest = (number: string, body: object, asOf = at(0), institution = 'opera') =>
      fixture.call('writeGuest', 'PUT', `/internal/shop/contacts/${number}`, {
        institution,
        service: 'orders',
        body: { ...body, asOf },
      });

    test('a contact is returned flat, without its sensitive data', async () => {
      const { body } = await fixture.create({ lastName: 'Martin', address: { city: 'Genève' }, criteria: ['member'] });
      const number = body.data?.contactNumber;
      await fixture.call('replaceSensitive', 'PUT', `/svc/v3/contacts/individuals/${number}/sensitive`, {
        body: { bankAccount: { iban: 'CH9300762011623852957' } },
      });
      const { text, body: answer } = await own(number);
      expect(answer.data).toMatchObject({ lastName: 'Martin', city: 'Genève', criteria: ['member'], email: null });
      expect(text).not.toContain('CH93');
      expect((await own(number, 'museum')).status).toBe(404);
      expect((await own(number, 'opera', null)).status).toBe(403);
    });

    test('a guest is created once per order, whatever emails exist', async () => {
      const email = `${randomUUID()}@example.org`;
      await fixture.create({ lastName: 'Martin', email });
      const [number, ana] = [createContactNumber(), { firstName: 'Ana', lastName: 'Martin', email }];
      const [first, again] = await Promise.all([guest(number, ana), guest(number, ana)]);
      expect([first.status, again.status]).toEqual([200, 200]);
      expect((await own(number)).body.data).toMatchObject({ ...ana, contactNumber: number, kind: 'individual' });
      expect((await guest(createContactNumber(), ana)).status).toBe(200);
      expect((await guest('C1', ana)).status).toBe(404);
      expect((await guest(number, ana, at(1), 'museum')).status).toBe(404);
    });

    test('a guest is updated by a later checkout, never by an earlier one, and keeps the institution’s additions', async () => {
      const number = createContactNumber();
      const said = (firstName: string, email: string) => ({ firstName, lastName: 'Martin', email });
      const [first, second] = [said('Ana', `${randomUUID()}@example.org`), said('Eva', `${randomUUID()}@example.org`)];
      await guest(number, first, at(1));
      await fixture.individual('PATCH', number, {
        body: { phone: '+41 22' },
      });
      await guest(number, second, at(2));
      await guest(number, first, at(1));
      expect((await own(number)).body.data).toMatchObject({ ...second, phone: '+41 22' });
      await fixture.individual('PATCH', number, {
        body: { firstName: 'Eve' },
      });
      await guest(number, second, at(2));
      expect((await own(number)).body.data).toMatchObject({ firstName: 'Eve' });
    });

    test('a guest may have one name, and then has no first name of an earlier checkout', async () => {
      const [number, email] = [createContactNumber(), `${randomUUID()}@example.org`];
      await guest(number, { firstName: 'Ana', lastName: 'Martin', email }, at(1));
      expect((await guest(number, { lastName: 'Suharto', email }, at(2))).status).toBe(200);
      expect((await own(number)).body.data).toMatchObject({ firstName: null, lastName: 'Suharto', email });
    });

    test('a checkout changes neither an erased contact nor one that is not a guest’s', async () => {
      const [number, said] = [
        createContactNumber(),
        { firstName: 'Ana', lastName: 'Martin', email: 'ana@example.org' },
      ];
      await guest(number, said);
      await fixture.individual('DELETE', number);
      expect((await guest(number, said, at(9))).status).toBe(200);
      expect((await own(number)).body.data).toMatchObject({ firstName: null, email: null });
      const { body } = await fixture.create({ lastName: 'Other' });
      await guest(String(body.data?.contactNumber), said, at(9));
      expect((await own(body.data?.contactNumber)).body.data).toMatchObject({ lastName: 'Other', firstName: null });
    });

    const forget = (number: string, { institution = 'opera', service = 'orders' as string | null } = {}) =>
      fixture.call('forgetGuest', 'DELETE', `/internal/shop/contacts/${number}`, { institution, service });
    const said = () => ({ firstName: 'Ana', lastName: 'Martin', email: `${randomUUID()}@example.org` });

    test('a guest without any order is erased once, with one fact', async () => {
      const number = createContactNumber();
      await guest(number, said());
      expect((await forget(number, { institution: 'museum' })).status).toBe(200);
      expect((await forget(number, { service: null })).status).toBe(403);
      expect((await own(number)).body.data).toMatchObject({ firstName: 'Ana', erasedAt: null });
      const [first, again] = await Promise.all([forget(number), forget(number)]);
      expect([first.status, again.status]).toEqual([200, 200]);
      const { body } = await own(number);
      expect(body.data).toMatchObject({ firstName: null, email: null, erasedAt: expect.any(String) });
      await forget(number);
      await guest(number, said(), at(9));
      expect((await own(number)).body.data).toEqual(body.data);
      const facts = (await fixture.store.outbox.pending(1_000)).filter(({ key }) => key === number);
      expect(facts.map(({ type }) => type).filter((type) => type === 'contact.erased')).toHaveLength(1);
    });

    test('forgetting an unknown guest has no effect, also not on a guest created later', async () => {
      const number = createContactNumber();
      expect((await forget(number)).status).toBe(200);
      expect((await own(number)).status).toBe(404);
      await guest(number, said());
      expect((await own(number)).body.data).toMatchObject({ firstName: 'Ana' });
      expect((await forget('C1')).status).toBe(404);
    });

    test.each([
      ['updateIndividual', 'PATCH', '', { phone: '+41 22' }],
      ['replaceIndividual', 'PUT', '', { lastName: 'Martin' }],
      ['replaceSensitive', 'PUT', '/sensitive', { dateOfBirth: '1984-02-29' }],
    ])(
      'a guest whom the institution has changed since (%s) is not forgotten',
      async (operation, method, below, body) => {
        const number = createContactNumber();
        await guest(number, said());
        await fixture.call(operation, method, `/svc/v3/contacts/individuals/${number}${below}`, { body });
        await guest(number, said(), at(1));
        expect((await forget(number)).status).toBe(200);
        expect((await own(number)).body.data).toMatchObject({ lastName: 'Martin', erasedAt: null });
      },
    );

    test('a contact that is not a guest’s cannot be forgotten', async () => {
      const { body } = await fixture.create({ lastName: 'Other' });
      expect((await forget(String(body.data?.contactNumber))).status).toBe(200);
      expect((await own(body.data?.contactNumber)).body.data).toMatchObject({ lastName: 'Other', erasedAt: null });
    });
  });
});
