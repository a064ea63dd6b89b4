import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createReferences } from '../../src/references/references.ts';
import { createReferenceCheck } from '../../src/users/reference-check.ts';
import { engines, type Installation, type Json, type Received, startInstallation } from '../installation.ts';
import type { FakeReferences } from '../references.ts';
import { newLogin, usersIn } from './fixture.ts';

const known = {
  opera: { contacts: ['C1', 'C2', 'C3', 'C4'], pointsOfSale: ['shop.opera.example', 'till.opera.example'] },
  museum: { contacts: ['M1'], pointsOfSale: ['shop.museum.example'] },
};

describe.each(engines)('on $name', (engine) => {
  let installation: Installation;
  let references: FakeReferences;
  let users: ReturnType<typeof usersIn>;
  let token: string;
  beforeAll(async () => {
    installation = await startInstallation({ engine, known });
    references = installation.references as FakeReferences;
    users = usersIn(installation);
    ({ token } = await users.withAll());
  });
  afterAll(() => installation.close());

  const bodyOf = (more: object) => ({ login: newLogin(), name: 'Ann Other', role: 'door', ...more });

  const created = async (more: object): Promise<Json & { userId: string }> => {
    const { status, body } = await users.create(token, bodyOf(more));
    expect(status).toBe(201);
    const { invitation: _, ...user } = body.data as Json & { userId: string };
    return user;
  };

  const total = async (): Promise<number> =>
    ((await users.list(token, '?limit=500')).body.data as { items: Json[] }).items.length;

  const refusals = ({ status, body }: Received) => [status, body.status, body.details];

  describe.each([
    ['an unknown contact', { contactNumber: 'C9' }, '$.contactNumber: there is no contact C9.'],
    ['a contact of another institution', { contactNumber: 'M1' }, '$.contactNumber: there is no contact M1.'],
    [
      'an unknown point of sale',
      { pointsOfSale: ['shop.opera.example', 'Nowhere.example'] },
      '$.pointsOfSale[1]: there is no point of sale Nowhere.example.',
    ],
    [
      'a point of sale of another institution',
      { pointsOfSale: ['shop.museum.example'] },
      '$.pointsOfSale[0]: there is no point of sale shop.museum.example.',
    ],
    [
      'several of both',
      { contactNumber: 'C/9 ?', pointsOfSale: ['a.example', 'b/..'] },
      '$.contactNumber: there is no contact C/9 ?; $.pointsOfSale[0]: there is no point of sale a.example; ' +
        '$.pointsOfSale[1]: there is no point of sale b/...',
    ],
  ])('%s', (_, members, details) => {
    test('is refused in a creation, for any role, and nothing is written', async () => {
      const before = await total();
      for (const role of ['customer', 'box_office', 'door'])
        expect(refusals(await users.create(token, bodyOf({ role, contactNumber: 'C1', ...members })))).toEqual([
          422,
          'validation_error',
          details,
        ]);
      expect(await total()).toBe(before);
    });

    test('is refused in a change, and nothing is written', async () => {
      const user = await created({});
      const refused = await users.patch(token, user.userId, { name: 'B', ...members });
      expect(refusals(refused)).toEqual([422, 'validation_error', details]);
      expect((await users.get(token, user.userId)).body.data).toEqual(user);
    });
  });

  test('an erased contact is refused like one that never existed', async () => {
    references.erase('opera', 'C4');
    const customer = bodyOf({ role: 'customer', contactNumber: 'C4' });
    expect(refusals(await users.create(token, customer))).toEqual([
      422,
      'validation_error',
      '$.contactNumber: there is no contact C4.',
    ]);
  });

  test('what was read can be written back although the contact was erased and the point of sale is gone', async () => {
    const pointsOfSale = ['Till.Opera.example', 'shop.opera.example'];
    const user = await created({ role: 'customer', contactNumber: 'C2', pointsOfSale });
    references.erase('opera', 'C2');
    references.remove('till.opera.example');
    const asked = references.asked();
    const written = await users.patch(token, user.userId, user);
    expect([written.status, references.asked()]).toEqual([200, asked]);
    const kept = await users.patch(token, user.userId, { role: 'box_office', pointsOfSale: ['till.opera.example'] });
    expect([kept.status, references.asked()]).toEqual([200, asked]);
    expect((await users.patch(token, user.userId, { contactNumber: null, pointsOfSale: [] })).status).toBe(200);
    expect((await users.patch(token, user.userId, { contactNumber: 'C2' })).status).toBe(422);
  });

  test('a customer without a contact, a foreign user and a stale version are refused without a question', async () => {
    const asked = references.asked();
    expect((await users.create(token, bodyOf({ role: 'customer' }))).status).toBe(422);
    const user = await created({});
    const change = { contactNumber: 'C1' };
    expect((await users.patch(token, user.userId, { ...change, state: 'active' })).status).toBe(409);
    expect((await users.patch(token, user.userId, change, { 'if-match': '"0"' })).status).toBe(412);
    const museum = await users.withAll('museum');
    expect((await users.patch(museum.token, user.userId, change)).status).toBe(404);
    expect(references.asked()).toBe(asked);
  });

  describe.each([
    ['contacts', { contactNumber: 'C3' }],
    ['catalog', { pointsOfSale: ['shop.opera.example'] }],
  ] as const)('while %s is away', (service, members) => {
    test('nothing is written, the answer is 503, and its key can be used again', async () => {
      const user = await created({});
      const body = bodyOf(members);
      const key = { 'idempotency-key': newLogin() };
      const before = await total();
      references[service].mishaps.set('*', 'fails');
      for (const answer of [
        await users.create(token, body, key),
        await users.patch(token, user.userId, { name: 'B', ...members }),
      ]) {
        expect([answer.status, answer.body.status]).toEqual([503, 'service_unavailable']);
        expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      }
      expect(await total()).toBe(before);
      expect((await users.get(token, user.userId)).body.data).toEqual(user);
      references[service].mishaps.clear();
      expect((await users.create(token, body, key)).status).toBe(201);
    });

    test('users that name nothing there are created, and a repeated creation is answered', async () => {
      const body = bodyOf(members);
      const key = { 'idempotency-key': newLogin() };
      const first = await users.create(token, body, key);
      references[service].mishaps.set('*', 'fails');
      const asked = references.asked();
      const repeat = await users.create(token, body, key);
      expect([first.status, repeat.status, repeat.headers.get('idempotency-replayed')]).toEqual([201, 201, 'true']);
      expect(references.asked()).toBe(asked);
      await created({});
      references[service].mishaps.clear();
    });
  });
});

test('each point of sale is looked up once, and every unknown one is named', async () => {
  const asked: string[] = [];
  const check = createReferenceCheck({
    hasContact: async () => true,
    hasPointOfSale: async (_, host) => asked.push(host) % 2 === 1,
  });
  const pointsOfSale = Array.from({ length: 24 }, (_, index) => `${index}.example`);
  const fault = await check('opera', { pointsOfSale: [...pointsOfSale, '1.Example'] }).catch((error: Error) => error);
  expect(asked).toEqual(pointsOfSale);
  expect(String((fault as Error).message).match(/\$\.pointsOfSale/g)).toHaveLength(13);
});

test('where the addresses of the other services are unset, nothing can be looked up', async () => {
  const references = createReferences({
    urls: () => ({ catalog: undefined, contacts: undefined }),
    credentials: { tokenFor: async () => '' },
    logger: { warn: () => undefined },
  });
  const unavailable = { code: 'service_unavailable' };
  await expect(references.hasContact('opera', 'C1')).rejects.toMatchObject(unavailable);
  await expect(references.hasPointOfSale('opera', 'shop.opera.example')).rejects.toMatchObject(unavailable);
});
