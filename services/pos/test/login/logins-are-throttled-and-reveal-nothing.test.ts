import { randomUUID } from 'node:crypto';
import { hashPassword, isPassword } from '@boxoffice/logins';
import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { createUser, listUsers, removeUser, setPassword } from '../../src/sessions/users.ts';
import { users } from '../../src/store.ts';
import { type Call, type Login, openFixture } from '../fixture/fixture.ts';

const fixture = useFixture(() => openFixture());

const ip = () => `10.0.${Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}`;
const from = (address: string): Call => ({ headers: { 'x-forwarded-for': address } });

const attempt = ({ login }: Pick<Login, 'login'>, password: string, call: Call = {}) =>
  fixture.call('POST', '/sessions', { ...call, body: { login, password } });

describe('a login', () => {
  test('returns the session and its Location', async () => {
    const user = await fixture.user();
    const { status, headers, data } = await attempt(user, user.password);
    expect([status, headers.get('location')]).toEqual([201, '/tnwr/v1/sessions/current']);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(data).toEqual({
      id: expect.stringMatching(/^ses_/),
      user: user.login,
      contactNumber: user.contactNumber,
      expiresAt: expect.any(String),
    });
  });

  test('is compared trimmed and case-insensitively', async () => {
    const user = await fixture.user();
    expect((await attempt({ login: ` ${user.login.toUpperCase()} ` }, user.password)).status).toBe(201);
  });

  test('is valid at its own point of sale only', async () => {
    const user = await fixture.user();
    const { serviceHost } = fixture.catalog.pointOfSale();
    expect((await attempt(user, user.password, { host: serviceHost })).code).toBe('login_failed');
  });

  test('is stored as Argon2id, without the password', async () => {
    const user = await fixture.user();
    const stored = await fixture.store.collection(users).of('opera').find({});
    expect(JSON.stringify(stored)).not.toContain(user.password);
    for (const { passwordHash } of stored) expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  test('ends with its user or a change of the password', async () => {
    const user = await fixture.user();
    const token = await fixture.logIn(user);
    const { serviceHost } = fixture.pointOfSale;
    const next = randomUUID();
    expect(await setPassword(fixture.store, 'opera', serviceHost, user.login, next)).toBe(true);
    expect((await fixture.call('GET', '/users/me', { token })).status).toBe(401);
    expect((await attempt(user, user.password)).status).toBe(401);
    expect((await attempt(user, next)).status).toBe(201);
    const listed = await listUsers(fixture.store, 'opera', serviceHost);
    expect(JSON.stringify(listed)).not.toContain('argon2');
    expect(await removeUser(fixture.store, 'opera', serviceHost, user.login)).toBe(true);
    expect((await attempt(user, next)).code).toBe('login_failed');
  });

  test('is unique per point of sale and needs a valid password', async () => {
    const user = await fixture.user();
    const { institution, serviceHost } = fixture.pointOfSale;
    const wanted = { institution, serviceHost, contactNumber: 'C1', password: 'long enough' };
    await expect(createUser(fixture.store, { ...wanted, login: user.login.toUpperCase() })).rejects.toThrow('taken');
    await expect(createUser(fixture.store, { ...wanted, login: 'x', password: 'short' })).rejects.toThrow(RangeError);
  });
});

describe('wrong passwords', () => {
  test('an unknown login and a wrong password have the same answer', async () => {
    const user = await fixture.user();
    const wrong = await attempt(user, 'wrong');
    const unknown = await attempt({ login: `${randomUUID()}@example.org` }, 'wrong');
    expect([wrong.status, wrong.code]).toEqual([401, 'login_failed']);
    expect(unknown.text).toBe(wrong.text);
    const shape = ({ headers }: typeof wrong) => [...headers.keys()].sort();
    expect(shape(unknown)).toEqual(shape(wrong));
  });

  test('an unknown login and a wrong password both hash a password', async () => {
    const user = await fixture.user();
    const timeOf = async (login: string): Promise<number> => {
      // biome-ignore lint/plugin: compares the refusal of an unknown login with that of a known one
      const startedAt = performance.now();
      await attempt({ login }, 'wrong', from(ip()));
      // biome-ignore lint/plugin: as above
      return performance.now() - startedAt;
    };
    await timeOf(user.login);
    // In turns, and the shortest of each: other work on the machine makes a time longer, never shorter.
    let [known, unknown] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let round = 0; round < 8; round += 1) {
      known = Math.min(known, await timeOf(user.login));
      unknown = Math.min(unknown, await timeOf(randomUUID()));
    }
    // Without the hash an unknown login would take a fraction of the time.
    expect(unknown).toBeGreaterThan(known / 3);
  });

  test('after ten within 15 minutes the login is refused from that address, even with the right password', async () => {
    const user = await fixture.user();
    for (const login of [user.login, `${randomUUID()}@example.org`]) {
      const here = from(ip());
      for (let count = 0; count < 10; count += 1) expect((await attempt({ login }, 'wrong', here)).status).toBe(401);
      const refused = await attempt({ login }, user.password, here);
      expect([refused.status, refused.code]).toEqual([429, 'too_many_requests']);
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(14 * 60);
      expect(wait).toBeLessThanOrEqual(15 * 60);
    }
    expect((await attempt(user, user.password, from(ip()))).status).toBe(201);
  });

  test('an IPv6 address counts as its network', async () => {
    const login = `${randomUUID()}@example.org`;
    for (let count = 0; count < 10; count += 1)
      await attempt({ login }, 'wrong', from(`2001:db8:1:2::${count.toString(16)}`));
    expect((await attempt({ login }, 'wrong', from('2001:db8:1:2:ffff::1'))).status).toBe(429);
    expect((await attempt({ login }, 'wrong', from('2001:db8:1:3::1'))).status).toBe(401);
  });

  test('right passwords do not count', async () => {
    const user = await fixture.user();
    const here = from(ip());
    for (let count = 0; count < 12; count += 1) expect((await attempt(user, user.password, here)).status).toBe(201);
  });

  test('concurrent attempts are limited like sequential ones', async () => {
    const login = `${randomUUID()}@example.org`;
    const here = from(ip());
    const answers = await Promise.all(Array.from({ length: 25 }, () => attempt({ login }, 'wrong', here)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
  });

  test('are logged without login and password, and not as an error', () => {
    expect(fixture.errors).toEqual([]);
  });
});

test('hashing a password does not delay other requests', async () => {
  let [turns, isOver] = [0, false];
  const hashing = hashPassword('long enough').finally(() => {
    isOver = true;
  });
  // A hash in the thread pool takes thousands of turns; on the event loop it would end within the first.
  for (; !isOver; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  await hashing;
  expect(turns).toBeGreaterThan(20);
});

test('a hash matches its own password only and is salted', async () => {
  const [one, other] = await Promise.all([hashPassword('Zoë 1984'), hashPassword('Zoë 1984')]);
  expect(one).not.toBe(other);
  expect(await isPassword('Zoë 1984', one)).toBe(true);
  expect(await isPassword('Zoe\u0308 1984', one)).toBe(true);
  expect(await isPassword('zoë 1984', one)).toBe(false);
  await expect(isPassword('x', 'plain')).rejects.toThrow('PHC');
});
