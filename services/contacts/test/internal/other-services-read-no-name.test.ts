import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines, type Fixture, openFixture } from '../fixture/service.ts';

describe.each(engines)('a contact for other services, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const ask = (number: unknown, institution = 'opera', service: string | null = 'orders') =>
    fixture.call('getContactInternally', 'GET', `/internal/contacts/${number}`, { institution, service });

  test('has number, kind, criteria and the time of its erasure, but no name', async () => {
    const { body } = await fixture.create({ lastName: 'Martin', criteria: ['member'] });
    const number = body.data?.contactNumber;
    const known = await ask(number);
    expect(known.body.data).toEqual({
      contactNumber: number,
      kind: 'individual',
      criteria: ['member'],
      erasedAt: null,
    });
    await fixture.call('eraseIndividual', 'DELETE', `/svc/v3/contacts/individuals/${number}`);
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
