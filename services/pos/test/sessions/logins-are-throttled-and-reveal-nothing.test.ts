import { randomUUID } from 'node:crypto';
import { PosFault } from '@boxoffice/envelope';
import { attemptsCollection, createLoginAttempts, hashPassword, isPassword } from '@boxoffice/logins';
import { useFixture } from '@boxoffice/service/testkit';
import type { Store } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import { createLogIns, createUser, listUsers, removeUser, setPassword } from '../../src/sessions/users.ts';
import { users } from '../../src/store.ts';
import { type Call, engines, type Login, openFixture } from '../fixture/fixture.ts';

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
    const wrong = answers.filter(({ status }) => status === 401).length;
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(25 - wrong);
    // Attempts that waited too long for their turn do not count.
    for (let count = wrong; count < 10; count += 1) expect((await attempt({ login }, 'wrong', here)).status).toBe(401);
    expect((await attempt({ login }, 'wrong', here)).status).toBe(429);
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

describe('a flood from one address', () => {
  const FEW = 12;

  const fixture = useFixture(() => openFixture({ loginFailuresPerAddress: FEW }));

  const at = (address: string, host?: string) => ({
    headers: { 'x-forwarded-for': address },
    ...(host === undefined ? {} : { host }),
  });
  const unknownLogin = () => ({ login: `${randomUUID()}@example.org`, password: 'wrong' });
  const logIn = (address: string, body: { login: string; password: string }, host?: string) =>
    fixture.call('POST', '/sessions', { ...at(address, host), body: { login: body.login, password: body.password } });

  test('many unknown logins from one address do not delay right passwords from others', async () => {
    const elsewhere = fixture.catalog.pointOfSale({ institution: 'museum' });
    const [user, other] = [await fixture.user(), await fixture.user([], elsewhere)];
    let answered = 0;
    const flood = Array.from({ length: 150 }, () => logIn('192.0.2.1', unknownLogin()).finally(() => answered++));
    const [here, there] = await Promise.all([
      logIn('192.0.2.2', user),
      logIn('192.0.2.3', other, elsewhere.serviceHost),
    ]);
    expect([here.status, there.status]).toEqual([201, 201]);
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    const wrong = statuses.filter((status) => status === 401).length;
    // Attempts that waited too long do not count.
    expect(wrong).toBeGreaterThan(0);
    expect(wrong).toBeLessThanOrEqual(FEW);
    expect(statuses.filter((status) => status === 429)).toHaveLength(150 - wrong);
  });

  test('after too many wrong passwords an address is refused for every login of the institution', async () => {
    const elsewhere = fixture.catalog.pointOfSale({ institution: 'museum' });
    const [user, other] = [await fixture.user(), await fixture.user([], elsewhere)];
    for (let count = 0; count < FEW; count += 1) expect((await logIn('192.0.2.9', unknownLogin())).status).toBe(401);
    const [right, unknown] = [await logIn('192.0.2.9', user), await logIn('::ffff:192.0.2.9', unknownLogin())];
    for (const { status, code, headers } of [right, unknown]) {
      expect([status, code]).toEqual([429, 'too_many_requests']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(14 * 60);
    }
    expect(unknown.text).toBe(right.text);
    expect((await logIn('192.0.2.10', user)).status).toBe(201);
    expect((await logIn('192.0.2.9', other, elsewhere.serviceHost)).status).toBe(201);
  });

  describe.each(engines)('on $name', (engine) => {
    test('wrong passwords of an address count across instances, right ones do not', async () => {
      const { store, discard } = await engine.open();
      const [one, other] = Array.from({ length: 2 }, () =>
        createLoginAttempts(store.collection(attemptsCollection), FEW, () => 1_000_000),
      ) as [ReturnType<typeof createLoginAttempts>, ReturnType<typeof createLoginAttempts>];
      const attempt = () => ({ institution: 'opera', realm: 'shop.example', login: randomUUID(), ip: '10.0.0.1' });
      for (let count = 0; count < FEW; count += 1) {
        const counted = await (count % 2 ? one : other).count(attempt());
        expect(counted).toHaveProperty('forgive');
        if (count === 0 && typeof counted !== 'number') await counted.forgive();
      }
      expect(await one.count(attempt())).toHaveProperty('forgive');
      expect(await other.count(attempt())).toBe(15 * 60_000);
      const documents = () => store.collection(attemptsCollection).of('opera').count();
      const before = await documents();
      await one.count(attempt());
      // An attempt that the limit of the address refuses stores nothing about the login.
      expect(await documents()).toBe(before);
      await discard();
    });
  });

  test('an address over its limit is refused without waiting in the queue', async () => {
    const { store, discard } = await (engines[0] as (typeof engines)[number]).open();
    const stalled = { of: () => ({ find: () => new Promise(() => undefined) }) };
    const slow: Store = {
      ...store,
      collection: (schema) => (schema.name === users.name ? (stalled as never) : store.collection(schema)),
    };
    const logIns = createLogIns(slow, () => undefined, FEW);
    const attempt = (ip: string) => ({ institution: 'opera', realm: 'shop.example', login: randomUUID(), ip });
    const attempts = createLoginAttempts(store.collection(attemptsCollection), FEW);
    for (let count = 0; count < FEW; count += 1) await attempts.count(attempt('192.0.2.9'));
    // These two never end, so that all turns are taken.
    for (const ip of ['192.0.2.1', '192.0.2.2']) void logIns.logIn(attempt(ip), 'wrong').catch(() => undefined);
    const refused = await logIns.logIn(attempt('192.0.2.9'), 'wrong').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PosFault);
    expect(Number((refused as PosFault).headers['Retry-After'])).toBeGreaterThan(14 * 60);
    await discard();
  });
});
