import { randomUUID } from 'node:crypto';
import { PosFault } from '@boxoffice/envelope';
import { attemptsCollection, createLoginAttempts } from '@boxoffice/logins';
import { useFixture } from '@boxoffice/service/testkit';
import type { Store } from '@boxoffice/store';
import { describe, expect, test } from '@jest/globals';
import { createLogIns } from '../../src/sessions/users.ts';
import { users } from '../../src/store.ts';
import { engines, openFixture } from '../fixture/fixture.ts';

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
  const [here, there] = await Promise.all([logIn('192.0.2.2', user), logIn('192.0.2.3', other, elsewhere.serviceHost)]);
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
