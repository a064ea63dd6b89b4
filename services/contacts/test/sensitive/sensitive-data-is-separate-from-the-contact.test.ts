import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines, type Fixture, openFixture } from '../fixture/service.ts';

describe.each(engines)('sensitive data, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  test('are an empty object at first, then the stored values, and never part of the contact', async () => {
    const { body } = await fixture.create({ lastName: 'Martin' });
    const path = `/svc/v3/contacts/individuals/${body.data?.contactNumber}`;
    const read = () => fixture.call('getSensitive', 'GET', `${path}/sensitive`);
    expect(await read()).toMatchObject({ status: 200, body: { status: 'success', data: {} } });
    const sensitive = { dateOfBirth: '1984-02-29' };
    await fixture.call('replaceSensitive', 'PUT', `${path}/sensitive`, { body: sensitive });
    expect((await read()).body.data).toEqual(sensitive);
    expect((await fixture.call('getIndividual', 'GET', path)).text).not.toContain('1984');
  });
});
