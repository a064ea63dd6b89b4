import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines, openStand, type Stand } from '../fixture/service.ts';

describe.each(engines)('sensitive data, on $name', (engine) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand(engine);
  });
  afterAll(() => stand.close());

  test('are an empty object before anything is set, then what was put, and never part of the contact', async () => {
    const { body } = await stand.create({ lastName: 'Martin' });
    const path = `/svc/v3/contacts/individuals/${body.data?.contactNumber}`;
    const read = () => stand.call('getSensitive', 'GET', `${path}/sensitive`);
    expect(await read()).toMatchObject({ status: 200, body: { status: 'success', data: {} } });
    const sensitive = { dateOfBirth: '1984-02-29' };
    await stand.call('replaceSensitive', 'PUT', `${path}/sensitive`, { body: sensitive });
    expect((await read()).body.data).toEqual(sensitive);
    expect((await stand.call('getIndividual', 'GET', path)).text).not.toContain('1984');
  });
});
