import type { Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ROLES, type Role, type Scope, selectRoleScopes } from '../src/domain/scopes.ts';
import { SCOPES } from '../src/index.ts';
import { createAccounts } from '../src/users/accounts.ts';
import { createReferenceCheck, createReferences } from '../src/users/references.ts';
import { createUsers, type Users } from '../src/users/users.ts';
import { PASSWORD } from './browser.ts';
import { engines, type Json, type Received, startInstallationForSuite } from './installation.ts';
import type { FakeReferences } from './references.ts';
import { createLoginName, createUserFixture } from './user-fixture.ts';

const known = {
  opera: {
    contacts: ['000123', 'C-1', 'C1', 'C2', 'C3', 'C4'],
    pointsOfSale: ['shop.opera.example', 'till.opera.example'],
  },
  museum: { contacts: ['M1'], pointsOfSale: ['shop.museum.example'] },
};

describe.each(engines)('users are administered, on $name', (engine) => {
  const installation = startInstallationForSuite({ engine, known });
  let references: FakeReferences;
  let users: ReturnType<typeof createUserFixture>;
  let token: string;
  beforeAll(async () => {
    references = installation.references as FakeReferences;
    users = createUserFixture(installation);
    ({ token } = await users.withAll());
  });

  const created = async (body: object = {}) => {
    const answer = await users.create(token, {
      login: createLoginName(),
      name: 'Ann Other',
      role: 'manager',
      ...body,
    });
    expect(answer.status).toBe(201);
    return answer.body.data as Json & { userId: string; invitation: { url: string; expiresAt: string } };
  };

  describe('a user', () => {
    test('is created as invited, with a link for seven days that is shown once', async () => {
      const login = createLoginName();
      const answer = await users.create(token, { login: ` ${login} `, name: 'Ann Other', role: 'manager' });
      expect(answer.status).toBe(201);
      const { invitation, ...user } = answer.body.data as Json & { userId: string; invitation: Json };
      expect(user).toEqual({
        userId: expect.stringMatching(/^usr_/),
        login,
        name: 'Ann Other',
        role: 'manager',
        state: 'invited',
        contactNumber: null,
        pointsOfSale: [],
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        lastSignInAt: null,
      });
      expect(invitation.url).toMatch(new RegExp(`^${installation.issuer}/auth/invitation\\?token=inv_`));
      const days = (Date.parse(String(invitation.expiresAt)) - Date.parse(String(user.createdAt))) / 86_400_000;
      expect(days).toBeCloseTo(7, 3);
      expect((await users.get(token, user.userId)).body.data).toEqual(user);
      expect(answer.headers.get('location')).toBe(`/svc/v3/users/${user.userId}`);
    });

    test('has a login that is unique in its institution, compared case-insensitively', async () => {
      const login = createLoginName();
      await created({ login });
      const again = await users.create(token, { login: login.toUpperCase(), name: 'B', role: 'door' });
      expect([again.status, again.body.status]).toEqual([409, 'user_duplicate_login']);
      const museum = await users.withAll('museum');
      expect((await users.create(museum.token, { login, name: 'B', role: 'door' })).status).toBe(201);
    });

    test('has one login in all its spellings, which all sign in', async () => {
      const name = `zoë-${createLoginName().split('@', 1)[0]}`;
      const [letters, dns] = [`${name}@bücher.example`, `${name.toUpperCase()}@xn--bcher-kva.example`];
      const { login, invitation } = await created({ login: letters });
      expect(login).toBe(letters);
      const isTaken = async (spelling: string) => {
        const again = await users.create(token, { login: spelling, name: 'B', role: 'door' });
        return again.body.status === 'user_duplicate_login';
      };
      expect([await isTaken(letters), await isTaken(dns)]).toEqual([true, true]);

      await users.accept(invitation.url, PASSWORD);
      const accounts = createAccounts(installation.store, {
        mostPerAddress: 300,
        audit: () => undefined,
        knownScopes: () => SCOPES,
      });
      const signIn = async (spelling: string) =>
        (await accounts.verify({ institution: 'opera', login: spelling, ip: '192.0.2.9' }, PASSWORD)).outcome;
      expect([await signIn(letters), await signIn(dns)]).toEqual(['right', 'right']);
    });

    test('of the role customer has a contact', async () => {
      const body = { login: createLoginName(), name: 'B', role: 'customer' };
      const refused = await users.create(token, body);
      expect([refused.status, refused.body.status]).toEqual([422, 'validation_error']);
      const { userId } = await created({ role: 'customer', contactNumber: '000123' });
      expect((await users.patch(token, userId, { contactNumber: null })).status).toBe(422);
      expect((await users.patch(token, userId, { role: 'door', contactNumber: null })).status).toBe(200);
      expect((await users.patch(token, userId, { role: 'customer' })).status).toBe(422);
    });

    test.each([' ', 'Ann\u0085Other'])('has no text that is blank or has control characters: %j', async (text) => {
      const { userId } = await created();
      for (const [member, value] of [
        ['name', text],
        ['contactNumber', text],
        ['pointsOfSale', [text]],
      ] as const) {
        const body = { login: createLoginName(), name: 'Ann Other', role: 'box_office', [member]: value };
        for (const answer of [await users.create(token, body), await users.patch(token, userId, { [member]: value })]) {
          expect([answer.status, answer.body.status]).toEqual([400, 'validation_error']);
          expect(answer.body.details).toMatch(`$.${member}`);
        }
      }
    });

    test('has texts without surrounding white space, in any script', async () => {
      const { userId } = await created({ name: ' Zoë 王 ', contactNumber: ' C-1 ' });
      const read = (await users.get(token, userId)).body.data;
      expect(read).toMatchObject({ name: 'Zoë 王', contactNumber: 'C-1' });
    });

    test('can be written back as it was read, and only what another operation changes is refused', async () => {
      const { invitation: _, ...user } = await created({ pointsOfSale: ['Till.Opera.example'] });
      expect(user.pointsOfSale).toEqual(['till.opera.example']);
      const same = await users.patch(token, user.userId, user);
      expect([same.status, (same.body.data as Json).login]).toEqual([200, user.login]);
      expect((await users.patch(token, user.userId, { login: createLoginName() })).status).toBe(422);
      expect((await users.patch(token, user.userId, { state: 'active' })).status).toBe(409);
    });

    test('is locked and unlocked; one who never set a password is invited again', async () => {
      const { userId } = await created();
      expect((await users.patch(token, userId, { state: 'locked' })).body.data).toMatchObject({ state: 'locked' });
      expect((await users.patch(token, userId, { state: 'invited' })).status).toBe(422);
      expect((await users.patch(token, userId, { state: 'active' })).body.data).toMatchObject({ state: 'invited' });
      const { userId: other } = await users.person({ role: 'door' });
      await users.patch(token, other, { state: 'locked' });
      expect((await users.patch(token, other, { state: 'active' })).body.data).toMatchObject({ state: 'active' });
    });

    test('is gone when it is deleted, and its login is free', async () => {
      const login = createLoginName();
      const { userId } = await created({ login });
      const unknown = await users.get(token, 'usr_unknown');
      expect((await users.remove(token, userId)).body.data).toMatchObject({ userId, login });
      const gone = await users.get(token, userId);
      expect([gone.status, gone.text]).toEqual([404, unknown.text]);
      expect((await users.remove(token, userId)).status).toBe(404);
      await created({ login });
    });

    test('changes only from the version that If-Match names', async () => {
      const { userId } = await created();
      const etag = String((await users.get(token, userId)).headers.get('etag'));
      expect((await users.patch(token, userId, { name: 'C' }, { 'if-match': etag })).status).toBe(200);
      expect((await users.patch(token, userId, { name: 'D' }, { 'if-match': etag })).status).toBe(412);
    });

    test('of another institution does not exist', async () => {
      const museum = await users.withAll('museum');
      const { userId } = await created();
      const unknown = await users.get(museum.token, 'usr_unknown');
      for (const answer of [
        await users.get(museum.token, userId),
        await users.patch(museum.token, userId, { name: 'X' }),
        await users.remove(museum.token, userId),
        await users.invite(museum.token, userId),
      ])
        expect([answer.status, answer.text]).toEqual([404, unknown.text]);
      const { items } = (await users.list(museum.token, '?limit=500')).body.data as { items: Json[] };
      expect(items.map((one) => one.userId)).not.toContain(userId);
    });
  });

  test('the list is filtered by role and state', async () => {
    const { userId } = await created({ role: 'door' });
    const of = async (query: string) =>
      ((await users.list(token, `?limit=500&${query}`)).body.data as { items: Json[] }).items;
    const doors = await of('role=door&state=invited');
    expect(doors.map((one) => one.userId)).toContain(userId);
    for (const one of doors) expect(one).toMatchObject({ role: 'door', state: 'invited' });
    expect((await of('state=locked')).map((one) => one.userId)).not.toContain(userId);
    expect((await users.list(token, '?role=director')).status).toBe(400);
  });

  test('a repeated creation gets the same user without the link', async () => {
    const body = { login: createLoginName(), name: 'Ann Other', role: 'door' };
    const key = { 'idempotency-key': createLoginName() };
    const [first, repeat] = [await users.create(token, body, key), await users.create(token, body, key)];
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(repeat.body.data).toEqual({ ...(first.body.data as Json), invitation: null });
  });

  describe('a caller gives only roles whose scopes it holds', () => {
    const USER_SCOPES: readonly Scope[] = ['users:read', 'users:write', 'users.sensitive:write'];
    const tokenWith = async (scopes: readonly Scope[]) => installation.tokenOf(await installation.newClient(scopes));

    test('the roles have these scopes at most', () => {
      expect(selectRoleScopes('admin', SCOPES)).toEqual(SCOPES);
      expect(SCOPES.filter((scope) => !selectRoleScopes('manager', SCOPES).includes(scope))).toEqual([
        'clients:read',
        'clients:write',
        'clients.sensitive:read',
        'clients.sensitive:write',
        'users:read',
        'users:write',
        'users.sensitive:write',
        'events:write',
      ]);
      for (const role of ROLES) for (const scope of selectRoleScopes(role, SCOPES)) expect(SCOPES).toContain(scope);
    });

    describe('a caller without a scope of the role', () => {
      const door = [...USER_SCOPES, ...(selectRoleScopes('door', SCOPES) as readonly Scope[])];

      test('creates no user with it', async () => {
        const token = await tokenWith(door);
        const body = { login: createLoginName(), name: 'A' };
        expect((await users.create(token, { ...body, role: 'door' })).status).toBe(201);
        const refused = await users.create(token, { ...body, login: createLoginName(), role: 'box_office' });
        expect([refused.status, refused.body.status]).toEqual([403, 'forbidden']);
        expect(refused.headers.get('www-authenticate')).toContain('orders.sensitive:read');
      });

      test('changes, deletes and invites none who has it, and gives it to none', async () => {
        const { token: all } = await users.withAll();
        const token = await tokenWith(door);
        const manager = (await users.create(all, { login: createLoginName(), name: 'A', role: 'manager' })).body
          .data as Json;
        const own = (await users.create(all, { login: createLoginName(), name: 'A', role: 'door' })).body.data as Json;
        const id = String(manager.userId);
        for (const answer of [
          await users.patch(token, id, { name: 'B' }),
          await users.patch(token, id, { role: 'door' }),
          await users.remove(token, id),
          await users.invite(token, id),
          await users.patch(token, String(own.userId), { role: 'admin' }),
        ])
          expect(answer.status).toBe(403);
        expect((await users.get(all, id)).body.data).toMatchObject({ name: 'A', role: 'manager' });
        expect((await users.patch(token, String(own.userId), { name: 'B' })).status).toBe(200);
      });
    });

    test('each operation needs its own scope', async () => {
      const reader = await tokenWith(['users:read']);
      const writer = await tokenWith(['users:write', ...(selectRoleScopes('door', SCOPES) as readonly Scope[])]);
      const created = await users.create(writer, { login: createLoginName(), name: 'A', role: 'door' });
      const { userId } = created.body.data as { userId: string };
      expect((await users.get(reader, userId)).status).toBe(200);
      expect((await users.get(writer, userId)).status).toBe(403);
      expect((await users.patch(reader, userId, { name: 'B' })).status).toBe(403);
      expect((await users.invite(writer, userId)).status).toBe(403);
    });
  });

  describe('a user refers only to what exists', () => {
    const bodyOf = (more: object) => ({ login: createLoginName(), name: 'Ann Other', role: 'door', ...more });

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
      ['a contact of another institution', { contactNumber: 'M1' }, '$.contactNumber: there is no contact M1.'],
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
      const kept = await users.patch(token, user.userId, {
        role: 'box_office',
        pointsOfSale: ['till.opera.example'],
      });
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
        const key = { 'idempotency-key': createLoginName() };
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
        const key = { 'idempotency-key': createLoginName() };
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
});

describe.each(engines)('the last active admin stays, on $name', (engine) => {
  const LAST = { code: 'user_last_admin' };

  let opened: Awaited<ReturnType<typeof engine.open>>;
  let store: Store;
  let users: Users;
  let institution = '';
  let count = 0;
  beforeAll(async () => {
    opened = await engine.open();
    ({ store } = opened);
    users = createUsers(store, { publicUrl: 'https://tickets.example' });
  });
  afterAll(() => opened.discard());

  const active = async (role: Role = 'admin'): Promise<string> => {
    const details = { name: 'A', role, contactNumber: null, pointsOfSale: [] };
    const { invitation, user } = await users.create(institution, { ...details, login: createLoginName() });
    await users.accept(new URL(invitation.url).searchParams.get('token') ?? '', 'four swans on a cold lake');
    return user.id;
  };
  const fresh = () => {
    count += 1;
    institution = `house-${count}`;
  };
  const admins = async () => users.documents(institution).count({ role: 'admin', state: 'active' });

  test('it cannot be deleted, locked or demoted', async () => {
    fresh();
    const [admin] = [await active(), await active('manager')];
    await expect(users.remove(institution, admin)).rejects.toMatchObject(LAST);
    await expect(users.amend(institution, admin, { state: 'locked' })).rejects.toMatchObject(LAST);
    await expect(users.amend(institution, admin, { role: 'manager' })).rejects.toMatchObject(LAST);
    expect(await users.amend(institution, admin, { name: 'B' })).toMatchObject({ name: 'B', role: 'admin' });
  });

  test('one who is invited or locked does not count', async () => {
    fresh();
    const [admin, other] = [await active(), await active()];
    const invited = await users.create(institution, {
      login: createLoginName(),
      name: 'A',
      role: 'admin',
      contactNumber: null,
      pointsOfSale: [],
    });
    await users.amend(institution, other, { state: 'locked' });
    await expect(users.remove(institution, admin)).rejects.toMatchObject(LAST);
    await users.remove(institution, invited.user.id);
    await users.amend(institution, other, { state: 'active' });
    await users.remove(institution, admin);
    expect(await admins()).toBe(1);
  });

  test('of many who are removed at the same time by several instances, one stays', async () => {
    fresh();
    const ids = [await active(), await active(), await active(), await active()];
    const others = createUsers(store, { publicUrl: 'https://tickets.example' });
    const results = await Promise.allSettled(
      ids.map((id, index) => {
        const instance = index % 2 === 0 ? users : others;
        return index < 2 ? instance.remove(institution, id) : instance.amend(institution, id, { role: 'manager' });
      }),
    );
    expect(await admins()).toBeGreaterThanOrEqual(1);
    expect(results.filter(({ status }) => status === 'rejected').length).toBe(await admins());
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject(LAST);
  });

  test('a login is unique although two instances create it at the same time', async () => {
    fresh();
    const login = createLoginName();
    const details = { name: 'A', role: 'door', contactNumber: null, pointsOfSale: [], login } as const;
    const results = await Promise.allSettled([1, 2, 3].map(() => users.create(institution, details)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await users.documents(institution).count({})).toBe(1);
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
