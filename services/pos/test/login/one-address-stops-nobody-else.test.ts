import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLoginAttempts } from '../../src/login-attempts.ts';
import { loginAttempts } from '../../src/store.ts';
import { createTurnstile, type Queuer } from '../../src/turnstile.ts';
import { engines } from '../stand/engines.ts';
import { openStand, type Stand } from '../stand/stand.ts';

const FEW = 12;

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ loginFailuresPerAddress: FEW });
});
afterAll(() => stand.close());

const at = (address: string, host?: string) => ({
  headers: { 'x-forwarded-for': address },
  ...(host === undefined ? {} : { host }),
});
const madeUp = () => ({ login: `${randomUUID()}@example.org`, password: 'made up' });
const logIn = (address: string, body: { login: string; password: string }, host?: string) =>
  stand.call('POST', '/sessions', { ...at(address, host), body: { login: body.login, password: body.password } });

test('many made-up logins from one address leave right passwords from others alone', async () => {
  const elsewhere = stand.catalog.pointOfSale({ institution: 'museum' });
  const [user, other] = [await stand.user(), await stand.user([], elsewhere)];
  let answered = 0;
  const flood = Array.from({ length: 150 }, () => logIn('192.0.2.1', madeUp()).finally(() => answered++));
  const [here, there] = await Promise.all([logIn('192.0.2.2', user), logIn('192.0.2.3', other, elsewhere.serviceHost)]);
  expect([here.status, there.status]).toEqual([201, 201]);
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(FEW);
  expect(statuses.filter((status) => status === 429)).toHaveLength(150 - FEW);
});

test('an address with too many wrong passwords is refused every login of the institution, known or not, right or wrong', async () => {
  const elsewhere = stand.catalog.pointOfSale({ institution: 'museum' });
  const [user, other] = [await stand.user(), await stand.user([], elsewhere)];
  for (let count = 0; count < FEW; count += 1) expect((await logIn('192.0.2.9', madeUp())).status).toBe(401);
  const [right, unknown] = [await logIn('192.0.2.9', user), await logIn('::ffff:192.0.2.9', madeUp())];
  for (const { status, code, headers } of [right, unknown]) {
    expect([status, code]).toEqual([429, 'too_many_requests']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(14 * 60);
  }
  expect(unknown.text).toBe(right.text);
  expect((await logIn('192.0.2.10', user)).status).toBe(201);
  expect((await logIn('192.0.2.9', other, elsewhere.serviceHost)).status).toBe(201);
});

test('an IPv6 network counts as one address', async () => {
  const user = await stand.user();
  for (let count = 0; count < FEW; count += 1) await logIn(`2001:db8:7:7::${count}`, madeUp());
  expect((await logIn('2001:db8:7:7:ffff::1', user)).status).toBe(429);
  expect((await logIn('2001:db8:7:8::1', user)).status).toBe(201);
});

describe.each(engines)('on $name', (engine) => {
  test('wrong passwords of an address count in all instances together, right ones do not', async () => {
    const { store, discard } = await engine.open();
    const [one, other] = Array.from({ length: 2 }, () =>
      createLoginAttempts(store.collection(loginAttempts), FEW, () => 1_000_000),
    ) as [ReturnType<typeof createLoginAttempts>, ReturnType<typeof createLoginAttempts>];
    const attempt = () => ({ institution: 'opera', serviceHost: 'shop.example', login: randomUUID(), ip: '10.0.0.1' });
    for (let count = 0; count < FEW; count += 1) {
      const counted = await (count % 2 ? one : other).count(attempt());
      expect(counted).toHaveProperty('forgive');
      if (count === 0 && typeof counted !== 'number') await counted.forgive();
    }
    expect(await one.count(attempt())).toHaveProperty('forgive');
    expect(await other.count(attempt())).toBe(15 * 60_000);
    const documents = () => store.collection(loginAttempts).of('opera').count();
    const before = await documents();
    await one.count(attempt());
    // A login that is refused for the address alone leaves nothing behind.
    expect(await documents()).toBe(before);
    await discard();
  });
});

describe('the queue of logins', () => {
  const open = (limits: Partial<Parameters<typeof createTurnstile>[0]> = {}) => {
    const turnstile = createTurnstile({ inside: 1, waiting: 6, waitingPerAddress: 4, ...limits });
    const order: string[] = [];
    const inside: (() => void)[] = [];
    const enter = (name: string, institution = 'opera') => {
      const who: Queuer = { institution, address: name.slice(0, 1) };
      return turnstile.enter(who, async () => {
        order.push(name);
        await new Promise<void>((resolve) => inside.push(resolve));
        return name;
      });
    };
    const drain = async () => {
      while (inside.length > 0) {
        inside.shift()?.();
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    return { enter, order, drain, inside };
  };

  test('lets so many in at once, and the others in turn', async () => {
    const { enter, inside, order, drain } = open({ inside: 2 });
    const all = ['a1', 'b1', 'a2', 'a3'].map((name) => enter(name));
    expect([inside.length, order]).toEqual([2, ['a1', 'b1']]);
    await drain();
    expect(await Promise.all(all)).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  test('goes round the addresses of an institution', async () => {
    const { enter, order, drain } = open();
    const all = ['x1', 'a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => enter(name));
    await drain();
    await Promise.all(all);
    expect(order).toEqual(['x1', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  test('goes round the institutions, however many addresses one has', async () => {
    const { enter, order, drain } = open();
    const all = [enter('x1'), ...['a1', 'b1', 'c1', 'd1'].map((name) => enter(name)), enter('m1', 'museum')];
    await drain();
    await Promise.all(all);
    expect(order).toEqual(['x1', 'a1', 'm1', 'b1', 'c1', 'd1']);
  });

  test('holds so many of one address', async () => {
    const { enter, drain } = open();
    const all = ['x1', 'a1', 'a2', 'a3', 'a4', 'a5'].map((name) => enter(name));
    expect(await all.at(-1)).toBeUndefined();
    await drain();
    expect(await Promise.all(all)).toEqual(['x1', 'a1', 'a2', 'a3', 'a4', undefined]);
  });

  test('makes room at the cost of who sends most', async () => {
    const { enter, drain } = open();
    const all = ['x1', 'a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => enter(name));
    const museum = enter('m1', 'museum');
    await drain();
    expect(await Promise.all(all)).toEqual(['x1', 'a1', 'a2', undefined, undefined, 'b1', 'b2', 'c1']);
    expect(await museum).toBe('m1');
  });

  test('goes on when what it let in fails', async () => {
    const turnstile = createTurnstile({ inside: 1, waiting: 1, waitingPerAddress: 1 });
    const who = { institution: 'opera', address: 'a' };
    const failing = turnstile.enter(who, () => Promise.reject(new Error('no store')));
    const next = turnstile.enter(who, async () => 'in');
    await expect(failing).rejects.toThrow('no store');
    expect(await next).toBe('in');
  });
});
