import { loginKey } from '@boxoffice/logins';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { usersOf } from '../../src/store.ts';
import { createAccounts } from '../../src/users/accounts.ts';
import { engines, type Installation, type Json, startInstallation } from '../installation.ts';
import { newLogin, PASSWORD, usersIn } from './fixture.ts';

describe.each(engines)('on $name', (engine) => {
  let installation: Installation;
  let users: ReturnType<typeof usersIn>;
  let token: string;
  beforeAll(async () => {
    const known = { opera: { contacts: ['000123', 'C-1'], pointsOfSale: ['till.opera.example'] } };
    installation = await startInstallation({ engine, known });
    users = usersIn(installation);
    ({ token } = await users.withAll());
  });
  afterAll(() => installation.close());

  const created = async (body: object = {}) => {
    const answer = await users.create(token, { login: newLogin(), name: 'Ann Other', role: 'manager', ...body });
    expect(answer.status).toBe(201);
    return answer.body.data as Json & { userId: string; invitation: { url: string; expiresAt: string } };
  };

  describe('a user', () => {
    test('is created as invited, with a link for seven days that is shown once', async () => {
      const login = newLogin();
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

    test('is stored without the link', async () => {
      const { invitation } = await created();
      const secret = new URL(invitation.url).searchParams.get('token') ?? 'none';
      const all = await usersOf(installation.store).acrossInstitutions.find();
      expect(JSON.stringify(all)).not.toContain(secret);
    });

    test('has a login that is unique in its institution, compared case-insensitively', async () => {
      const login = newLogin();
      await created({ login });
      const again = await users.create(token, { login: login.toUpperCase(), name: 'B', role: 'door' });
      expect([again.status, again.body.status]).toEqual([409, 'user_duplicate_login']);
      const museum = await users.withAll('museum');
      expect((await users.create(museum.token, { login, name: 'B', role: 'door' })).status).toBe(201);
    });

    test('has one login in all its spellings, which all sign in', async () => {
      const name = `zoë-${newLogin().split('@', 1)[0]}`;
      const [letters, dns] = [`${name}@bücher.example`, `${name.toUpperCase()}@xn--bcher-kva.example`];
      const { userId, login, invitation } = await created({ login: letters });
      expect(login).toBe(letters);
      const isTaken = async (spelling: string) => {
        const again = await users.create(token, { login: spelling, name: 'B', role: 'door' });
        return again.body.status === 'user_duplicate_login';
      };
      expect([await isTaken(letters), await isTaken(dns)]).toEqual([true, true]);

      await users.accept(invitation.url, PASSWORD);
      const accounts = createAccounts(installation.store, { mostPerAddress: 300, audit: () => undefined });
      const signIn = async (spelling: string) =>
        (await accounts.verify({ institution: 'opera', login: spelling, ip: '192.0.2.9' }, PASSWORD)).outcome;
      expect([await signIn(letters), await signIn(dns)]).toEqual(['right', 'right']);

      // As it was stored before spellings shared a key.
      const older = { loginKey: loginKey(letters) };
      await usersOf(installation.store)
        .of('opera')
        .update(userId, (user) => ({ next: { ...user, ...older } }));
      expect([await signIn(letters), await isTaken(letters)]).toEqual(['right', true]);
    });

    test('of the role customer has a contact', async () => {
      const body = { login: newLogin(), name: 'B', role: 'customer' };
      const refused = await users.create(token, body);
      expect([refused.status, refused.body.status]).toEqual([422, 'validation_error']);
      const { userId } = await created({ role: 'customer', contactNumber: '000123' });
      expect((await users.patch(token, userId, { contactNumber: null })).status).toBe(422);
      expect((await users.patch(token, userId, { role: 'door', contactNumber: null })).status).toBe(200);
      expect((await users.patch(token, userId, { role: 'customer' })).status).toBe(422);
    });

    test.each([' ', '\u00a0\t', 'Ann\u0000Other', 'Ann\nOther', 'Ann\u001b[31m', 'Ann\u007f', 'Ann\u0085Other'])(
      'has no text that is blank or has control characters: %j',
      async (text) => {
        const { userId } = await created();
        for (const [member, value] of [
          ['name', text],
          ['contactNumber', text],
          ['pointsOfSale', [text]],
        ] as const) {
          const body = { login: newLogin(), name: 'Ann Other', role: 'box_office', [member]: value };
          for (const answer of [
            await users.create(token, body),
            await users.patch(token, userId, { [member]: value }),
          ]) {
            expect([answer.status, answer.body.status]).toEqual([400, 'validation_error']);
            expect(answer.body.details).toMatch(`$.${member}`);
          }
        }
      },
    );

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
      expect((await users.patch(token, user.userId, { login: newLogin() })).status).toBe(422);
      expect((await users.patch(token, user.userId, { state: 'active' })).status).toBe(409);
    });

    test('is locked and unlocked; one who never set a password is invited again', async () => {
      const { userId } = await created();
      expect((await users.patch(token, userId, { state: 'locked' })).body.data).toMatchObject({ state: 'locked' });
      expect((await users.patch(token, userId, { state: 'invited' })).status).toBe(422);
      expect((await users.patch(token, userId, { state: 'active' })).body.data).toMatchObject({ state: 'invited' });
      const { userId: other } = await users.active(token, 'door');
      await users.patch(token, other, { state: 'locked' });
      expect((await users.patch(token, other, { state: 'active' })).body.data).toMatchObject({ state: 'active' });
    });

    test('is gone when it is deleted, and its login is free', async () => {
      const login = newLogin();
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
    const body = { login: newLogin(), name: 'Ann Other', role: 'door' };
    const key = { 'idempotency-key': newLogin() };
    const [first, repeat] = [await users.create(token, body, key), await users.create(token, body, key)];
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(repeat.body.data).toEqual({ ...(first.body.data as Json), invitation: null });
  });
});
