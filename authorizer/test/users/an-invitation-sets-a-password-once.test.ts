import { startSweeper } from '@boxoffice/service';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { INVITATION_MS } from '../../src/domain/user.ts';
import { retention } from '../../src/retention.ts';
import { collections, invitationsOf, usersOf } from '../../src/store.ts';
import { isCommonPassword } from '../../src/users/common-passwords.ts';
import { createUsers } from '../../src/users/users.ts';
import { type Installation, type Json, startInstallation } from '../installation.ts';
import { engines, newLogin, PASSWORD, usersIn } from './fixture.ts';

let installation: Installation;
let users: ReturnType<typeof usersIn>;
let token: string;
beforeAll(async () => {
  installation = await startInstallation();
  users = usersIn(installation);
  ({ token } = await users.withAll());
});
afterAll(() => installation.close());

const invited = async () => {
  const { body } = await users.create(token, { login: newLogin(), name: 'Ann Other', role: 'manager' });
  return body.data as { userId: string; login: string; invitation: { url: string } };
};
const stateOf = async (userId: string) => ((await users.get(token, userId)).body.data as Json).state;

describe('the page of an invitation', () => {
  test('has a form that a password manager fills, without script, in no frame and no cache', async () => {
    const { login, invitation } = await invited();
    const page = await users.page(invitation.url);
    const text = await page.text();
    expect(page.status).toBe(200);
    expect(text).toContain(`value="${login}"`);
    expect(text).toContain('autocomplete="new-password"');
    expect(text).not.toContain('<script');
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('same-origin');
  });

  test('sets the password, once, and makes the user active', async () => {
    const { userId, invitation } = await invited();
    expect(await stateOf(userId)).toBe('invited');
    const saved = await users.accept(invitation.url, PASSWORD);
    expect(saved.status).toBe(200);
    expect(await saved.text()).toMatch(/<a href="https?:\/\/[^"]+\/docs">Open the application<\/a>|Ouvrir/);
    expect(await stateOf(userId)).toBe('active');
    expect((await users.accept(invitation.url, 'another one of these')).status).toBe(404);
    expect((await users.page(invitation.url)).status).toBe(404);
    const { passwordHash } = (await usersOf(installation.store).of('opera').get(userId)) ?? {};
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

  test('is in the language of the browser', async () => {
    const { invitation } = await invited();
    const path = invitation.url.slice(installation.issuer.length);
    const answer = await fetch(`${installation.url}${path}`, { headers: { 'accept-language': 'de-CH' } });
    expect([answer.headers.get('content-language'), await answer.text()]).toEqual([
      'de',
      expect.stringContaining('<html lang="de">'),
    ]);
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

test('a newer invitation ends the older one; the password stays valid until a new one is set', async () => {
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
  const key = { 'idempotency-key': newLogin() };
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

describe.each(engines)('on $name', (engine) => {
  test('of many who accept an invitation at the same time one wins; it ends after seven days and is swept', async () => {
    const { store, discard } = await engine.open();
    let now = Date.now();
    const all = createUsers(store, { publicUrl: 'https://tickets.example', now: () => now });
    const details = { name: 'A', role: 'door', contactNumber: null, pointsOfSale: [] } as const;
    const secretOf = (url: string) => new URL(url).searchParams.get('token') ?? '';
    const { user, invitation } = await all.create('opera', { ...details, login: newLogin() });
    const accepted = await Promise.all(Array.from({ length: 4 }, () => all.accept(secretOf(invitation.url), PASSWORD)));
    expect(accepted.filter((one) => one !== undefined)).toHaveLength(1);
    expect(await all.get('opera', user.id)).toMatchObject({ state: 'active', invitation: null });

    const late = await all.create('opera', { ...details, login: newLogin() });
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
    expect(await invitationsOf(store).of('opera').count()).toBe(0);
    expect((await all.get('opera', late.user.id)).invitation).toBeNull();
    await discard();
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
