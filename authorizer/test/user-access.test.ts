import type { Logger } from '@boxoffice/runtime';
import { startSweeper } from '@boxoffice/service';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { retention } from '../src/app.ts';
import { INVITATION_MS } from '../src/domain/user.ts';
import { inviteApiUser, readmitApiUser, SCOPES, setApiUserState } from '../src/index.ts';
import { eraseUserContact } from '../src/reactions.ts';
import {
  collections,
  consentsCollection,
  grantsCollection,
  invitationsCollection,
  sessionsCollection,
  usersCollection,
} from '../src/store.ts';
import { createAccounts } from '../src/users/accounts.ts';
import { isCommonPassword } from '../src/users/passwords.ts';
import { createUsers } from '../src/users/users.ts';
import { createCodeVerifier, createPeopleForSuite, PASSWORD, type Person, readFormToken } from './browser.ts';
import { CALLBACK, engines, type Json, startInstallationForSuite, type TestClient } from './installation.ts';
import { createLoginName, createUserFixture } from './user-fixture.ts';

describe.each(engines)('changes count for live tokens, on $name', (engine) => {
  const known = {
    opera: { contacts: ['000123', '000777', '000888', '000999'], pointsOfSale: ['till.example', 'a.example'] },
  };
  const installation = startInstallationForSuite({ engine, known });
  const people = createPeopleForSuite(installation);
  let users: ReturnType<typeof createUserFixture>;
  let client: TestClient;
  let thirdParty: string;
  let token: string;
  beforeAll(async () => {
    users = createUserFixture(installation);
    thirdParty = await people.webClient({ thirdParty: true });
    ({ client, token } = await users.withAll());
  });

  const NEXT = 'three boats and a bridge';

  describe('a token of a user', () => {
    test('names the user to the services, with the scopes that its role has', async () => {
      const contact = { contactNumber: '000123', pointsOfSale: ['till.example'] };
      const user = await users.person({ role: 'customer', ...contact });
      const { caller } = await users.callerOf(await users.tokenOf(user, client));
      expect(caller).toMatchObject({
        client: client.clientId,
        user: { id: user.userId, role: 'customer', contact: '000123', pointsOfSale: [] },
        scopes: ['catalog:read', 'contacts:read', 'contacts:write', 'orders:read', 'tickets:read'],
      });
      const till = await users.person({ role: 'box_office', ...contact });
      expect((await users.callerOf(await users.tokenOf(till, client))).caller?.user).toEqual({
        id: till.userId,
        role: 'box_office',
        contact: null,
        pointsOfSale: ['till.example'],
      });
    });

    test('has only scopes that its client holds', async () => {
      const narrow = await installation.newClient(['orders:read', 'clients:read']);
      const user = await users.person({ role: 'manager' });
      const { caller } = await users.callerOf(await users.tokenOf(user, narrow));
      expect(caller?.scopes).toEqual(['orders:read']);
    });

    test('loses what a smaller role lacks, and follows another contact and other points of sale', async () => {
      const user = await users.person({ role: 'manager' });
      const { userId } = user;
      const own = await users.tokenOf(user, client);
      expect((await users.callerOf(own, 'orders.sensitive:write')).status).toBe(200);
      await users.patch(token, userId, { role: 'box_office', pointsOfSale: ['a.example'] });
      expect((await users.callerOf(own, 'orders.sensitive:write')).status).toBe(403);
      expect((await users.callerOf(own)).caller?.user).toMatchObject({
        role: 'box_office',
        pointsOfSale: ['a.example'],
      });
      await users.patch(token, userId, { role: 'customer', contactNumber: '000777' });
      expect((await users.callerOf(own)).caller?.user).toMatchObject({ role: 'customer', contact: '000777' });
      expect((await installation.introspect(own, client)).body).toMatchObject({ active: true, role: 'customer' });
    });

    test.each([
      ['customer', 'deleted', '000999', 401, 404],
      ['admin', 'unlinked', '000888', 200, 200],
    ] as const)('of the role %s: the user is %s when its contact is erased', async (role, outcome, ...rest) => {
      const [contactNumber, decided, read] = rest;
      const user = await users.person({ role, contactNumber });
      const own = await users.tokenOf(user, client);
      const info = jest.fn<Logger['info']>();
      const message = { institution: 'opera', data: { contactNumber } };
      const all = createUsers(installation.store, { publicUrl: installation.issuer });
      await eraseUserContact(all, { info }, message as Parameters<typeof eraseUserContact>[2]);
      expect((await users.callerOf(own)).status).toBe(decided);
      const { status, body } = await users.get(token, user.userId);
      expect(status).toBe(read);
      if (status === 200) expect(body.data).toMatchObject({ role, state: 'active', contactNumber: null });
      expect(info.mock.calls).toEqual([
        [expect.any(String), { event: `audit.user_${outcome}`, institution: 'opera', id: user.userId }],
      ]);
    });
  });

  describe('me', () => {
    test('is the user of the token; nobody for a client’s own', async () => {
      const user = await users.person({ role: 'door' });
      const { userId, login } = user;
      expect((await users.me(await users.tokenOf(user, client))).body.data).toMatchObject({ userId, login });
      expect((await users.me(token)).status).toBe(404);
      expect((await users.changePassword(token, { current: PASSWORD, new: NEXT })).status).toBe(404);
    });

    test('changes the password with the present one', async () => {
      const user = await users.person({ role: 'door' });
      const { userId } = user;
      const own = await users.tokenOf(user, client);
      const wrong = await users.changePassword(own, { current: 'not this one', new: NEXT });
      expect([wrong.status, wrong.body.status]).toEqual([403, 'user_wrong_password']);
      for (const [password, status] of [
        ['short', 400],
        ['password1234', 422],
      ] as const)
        expect((await users.changePassword(own, { current: PASSWORD, new: password })).status).toBe(status);
      const changed = await users.changePassword(own, { current: PASSWORD, new: NEXT });
      expect([changed.status, (changed.body.data as Json).userId]).toEqual([200, userId]);
    });

    test('ends with a lock, and the password with it if the user is let in again by invitation', async () => {
      const user = await users.person({ role: 'door' });
      const { login } = user;
      const own = await users.tokenOf(user, client);
      const { store, issuer } = installation;
      const named = { institution: 'opera', login, publicUrl: issuer };
      await expect(readmitApiUser(store, named)).rejects.toThrow('is not locked');
      await setApiUserState(store, named, 'locked');
      await expect(inviteApiUser(store, named)).rejects.toThrow('unlock --invite');
      const { state, invitation } = await readmitApiUser(store, named);
      expect(state).toBe('invited');

      const accounts = createAccounts(store, {
        mostPerAddress: 300,
        audit: () => undefined,
        knownScopes: () => SCOPES,
      });
      const signIn = async (password: string) =>
        (await accounts.verify({ institution: 'opera', login, ip: '192.0.2.10' }, password)).outcome;
      expect(await signIn(PASSWORD)).toBe('wrong');
      expect((await users.accept(String(invitation?.url), NEXT)).status).toBe(200);
      expect([await signIn(PASSWORD), await signIn(NEXT)]).toEqual(['wrong', 'right']);
      expect((await installation.introspect(own, client)).body).toMatchObject({ active: false });
    });

    test('is throttled like a login: ten wrong attempts of a login from an address', async () => {
      const user = await users.person({ role: 'door' });
      const own = await users.tokenOf(user, client);
      const attempt = (password: string, address?: string) =>
        users.changePassword(own, { current: password, new: NEXT }, address);
      for (let count = 0; count < 10; count += 1)
        expect((await attempt(createLoginName(), '198.51.100.1')).status).toBe(403);
      const refused = await attempt(PASSWORD, '198.51.100.1');
      expect([refused.status, refused.body.status]).toEqual([429, 'too_many_requests']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(14 * 60);
      expect((await attempt(PASSWORD, '198.51.100.2')).status).toBe(200);
    });
  });

  describe('a deleted user leaves no sign-in', () => {
    const scope = 'catalog:read offline_access';

    /** Agrees to the client, twice: one code is exchanged, the other waits. */
    const signedIn = async (person: Person) => {
      const browser = people.browser();
      const { verifier, challenge } = createCodeVerifier();
      const asked = { scope, code_challenge: challenge };
      const question = await people.signIn(browser, thirdParty, person, asked);
      const { sent } = await browser.post('/auth/authorize', { form: readFormToken(question), decision: 'allow' });
      const { body: tokens } = await people.exchange(thirdParty, sent.get('code'), verifier);
      const waiting = (await browser.visit(people.requestOf(thirdParty, asked))).sent.get('code');
      await people.users.invite('opera', person.userId);
      return { browser, tokens, waiting, verifier };
    };

    /** How much the store has of a user. */
    const left = async (userId: string) => {
      const { store } = installation;
      const counts = [
        store.collection(grantsCollection).of('opera').count({ userId }),
        store.collection(sessionsCollection).of('opera').count({ userId }),
        store.collection(consentsCollection).of('opera').count({ userId }),
      ];
      const invitations = await store.collection(invitationsCollection).of('opera').find();
      return [...(await Promise.all(counts)), invitations.filter((one) => one.userId === userId).length];
    };

    test.each([
      ['its deletion', {}, ({ userId }: Person) => people.users.remove('opera', userId)],
      [
        'the erasure of its contact',
        { role: 'customer', contactNumber: 'C-1' },
        () => people.users.eraseContact('opera', 'C-1'),
      ],
    ])('sessions, grants, consents and invitation are gone after %s', async (_name, details, end) => {
      const [person, other] = [await people.person(details), await people.person()];
      const { browser, tokens, waiting, verifier } = await signedIn(person);
      const kept = await signedIn(other);
      expect(await left(person.userId)).toEqual([2, 1, 1, 1]);
      await end(person);
      expect(await left(person.userId)).toEqual([0, 0, 0, 0]);
      expect(await people.isValid(tokens.access_token)).toBe(false);
      for (const answer of [
        await people.refresh(thirdParty, tokens.refresh_token),
        await people.exchange(thirdParty, waiting, verifier),
      ])
        expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
      expect((await people.silent(browser, thirdParty)).get('error')).toBe('login_required');

      expect(await left(other.userId)).toEqual([2, 1, 1, 1]);
      expect(await people.isValid(kept.tokens.access_token)).toBe(true);
      expect((await people.refresh(thirdParty, kept.tokens.refresh_token)).status).toBe(200);
    });

    test('a deletion that is refused signs nobody out', async () => {
      const only = await people.person({}, 'museum');
      const elsewhere = await people.webClient({ institution: 'museum' });
      const tokens = await people.tokens(elsewhere, only, 'catalog:read');
      await expect(people.users.remove('museum', only.userId)).rejects.toMatchObject({ code: 'user_last_admin' });
      expect(await people.isValid(tokens.access_token)).toBe(true);
    });

    test('the last admin stays signed in when its contact is erased', async () => {
      const only = await people.person({ contactNumber: 'C-2' }, 'theatre');
      const elsewhere = await people.webClient({ institution: 'theatre' });
      const tokens = await people.tokens(elsewhere, only, 'catalog:read');
      expect(await people.users.eraseContact('theatre', 'C-2')).toEqual([{ userId: only.userId, outcome: 'unlinked' }]);
      expect(await people.isValid(tokens.access_token)).toBe(true);
      await expect(people.users.remove('theatre', only.userId)).rejects.toMatchObject({ code: 'user_last_admin' });
    });
  });

  describe('an invitation sets a password once', () => {
    const invited = async () => {
      const { body } = await users.create(token, { login: createLoginName(), name: 'Ann Other', role: 'manager' });
      return body.data as { userId: string; login: string; invitation: { url: string } };
    };
    const stateOf = async (userId: string) => ((await users.get(token, userId)).body.data as Json).state;

    describe('the page of an invitation', () => {
      test('has a form that a password manager fills', async () => {
        const { login, invitation } = await invited();
        const page = await users.page(invitation.url);
        const text = await page.text();
        expect(page.status).toBe(200);
        expect(text).toContain(`value="${login}"`);
        expect(text).toContain('autocomplete="new-password"');
      });

      test('sets the password, once, and makes the user active', async () => {
        const { userId, invitation } = await invited();
        expect(await stateOf(userId)).toBe('invited');
        const saved = await users.accept(invitation.url, PASSWORD);
        expect(saved.status).toBe(200);
        expect(await saved.text()).toContain(`<a href="${new URL(CALLBACK).origin}">`);
        expect(await stateOf(userId)).toBe('active');
        expect((await users.accept(invitation.url, 'another one of these')).status).toBe(404);
        expect((await users.page(invitation.url)).status).toBe(404);
        const { passwordHash } = (await installation.store.collection(usersCollection).of('opera').get(userId)) ?? {};
        expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      });

      test.each([
        ['too short', 'eleven char', 'eleven char'],
        ['common', 'Password1234', 'Password1234'],
        ['typed differently', PASSWORD, `${PASSWORD}s`],
        ['absent', '', ''],
      ])('refuses a password that is %s, and can be sent again', async (_what, password, repeat) => {
        const { userId, invitation } = await invited();
        const refused = await users.accept(invitation.url, password, repeat);
        expect([refused.status, await stateOf(userId)]).toEqual([422, 'invited']);
        const text = await refused.text();
        expect(text).toContain('role="alert"');
        if (password !== '') expect(text).not.toContain(password);
        expect((await users.accept(invitation.url, PASSWORD)).status).toBe(200);
      });

      test('says the same of an unknown, a malformed and a missing invitation', async () => {
        const base = `${installation.issuer}/auth/invitation`;
        const unknown = `${base}?token=inv_${'A'.repeat(43)}`;
        const texts: string[] = [];
        for (const link of [unknown, `${base}?token=x`, base]) {
          const page = await users.page(link);
          expect(page.status).toBe(404);
          texts.push(await page.text());
        }
        expect(new Set(texts).size).toBe(1);
      });
    });

    test('a newer invitation ends the older one; the user stays active until a new password is set', async () => {
      const { userId, invitation } = await invited();
      const second = (await users.invite(token, userId)).body.data as { invitation: { url: string } };
      expect((await users.page(invitation.url)).status).toBe(404);
      expect((await users.accept(second.invitation.url, PASSWORD)).status).toBe(200);
      const lost = (await users.invite(token, userId)).body.data as { invitation: { url: string } };
      expect(await stateOf(userId)).toBe('active');
      expect((await users.accept(lost.invitation.url, 'three boats and a bridge')).status).toBe(200);
    });

    test('a repeated invitation gets the answer without the link, and the link stays valid', async () => {
      const { userId } = await invited();
      const key = { 'idempotency-key': createLoginName() };
      const first = (await users.invite(token, userId, key)).body.data as { invitation: { url: string } };
      const repeat = await users.invite(token, userId, key);
      expect([repeat.status, (repeat.body.data as Json).invitation]).toEqual([201, null]);
      expect((await users.page(first.invitation.url)).status).toBe(200);
    });

    test('a locked user cannot be invited, and locking ends the invitation', async () => {
      const { userId, invitation } = await invited();
      await users.patch(token, userId, { state: 'locked' });
      expect((await users.page(invitation.url)).status).toBe(404);
      expect((await users.invite(token, userId)).status).toBe(409);
    });

    test('of many who accept an invitation at the same time one wins; it ends after seven days and is swept', async () => {
      const { store, discard } = await engine.open();
      let now = Date.now();
      const all = createUsers(store, { publicUrl: 'https://tickets.example', now: () => now });
      const details = { name: 'A', role: 'door', contactNumber: null, pointsOfSale: [] } as const;
      const secretOf = (url: string) => new URL(url).searchParams.get('token') ?? '';
      const { user, invitation } = await all.create('opera', { ...details, login: createLoginName() });
      const accepted = await Promise.all(
        Array.from({ length: 4 }, () => all.accept(secretOf(invitation.url), PASSWORD)),
      );
      expect(accepted.filter((one) => one !== undefined)).toHaveLength(1);
      expect(await all.get('opera', user.id)).toMatchObject({ state: 'active', invitation: null });

      const late = await all.create('opera', { ...details, login: createLoginName() });
      now += INVITATION_MS - 1;
      expect(await all.invited(secretOf(late.invitation.url))).toBeDefined();
      now += 1;
      expect(await all.invited(secretOf(late.invitation.url))).toBeUndefined();
      expect(await all.accept(secretOf(late.invitation.url), PASSWORD)).toBeUndefined();
      now += 60_000;
      const logger = { warn: () => undefined };
      const sweeper = startSweeper({ store, collections, retention, logger, now: () => now });
      await sweeper.sweep();
      await sweeper.close();
      expect(await store.collection(invitationsCollection).of('opera').count()).toBe(0);
      expect((await all.get('opera', late.user.id)).invitation).toBeNull();
      await discard();
    });
  });
});

describe('common passwords', () => {
  test.each([
    'password1234',
    'Password1234',
    'P4ssw0rd12345',
    'passwordpassword',
    'password password',
    'Passw0rd-Passw0rd.',
    'p@ssword, p@ssword!',
    'qwertyuiopasdf',
    '123456789012',
    '210987654321',
    'aaaaaaaaaaaaaaa',
    'abababababab',
    '!!football2024',
    'motherfucker',
  ])('%s is one', (password) => expect(isCommonPassword(password)).toBe(true));

  test.each(['four swans on a cold lake', 'xK4-jw83-Pq91x', 'une valse à mille temps', '8362-qn-402-174'])(
    '%s is none',
    (password) => expect(isCommonPassword(password)).toBe(false),
  );

  test('the login is one', () => {
    expect(isCommonPassword('Claire.Dubois@opera.example', ['claire.dubois@opera.example'])).toBe(true);
    expect(isCommonPassword('Claire Dubois, Claire Dubois', ['Claire Dubois'])).toBe(true);
  });
});
