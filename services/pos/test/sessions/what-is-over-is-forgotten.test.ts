import type { Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLoginAttempts } from '../../src/login-attempts.ts';
import { createSessions } from '../../src/sessions.ts';
import { loginAttempts, sessions } from '../../src/store.ts';
import { engines } from '../stand/engines.ts';

describe.each(engines)('on $name', (engine) => {
  let store: Store;
  let discard: () => Promise<void>;
  beforeAll(async () => {
    ({ store, discard } = await engine.open());
  });
  afterAll(() => discard());

  test('sessions that have ended go, live ones stay', async () => {
    let now = 1_000_000;
    const all = createSessions(store.collection(sessions), { idleMs: 10_000, absoluteMs: 60_000 }, () => now);
    const where = { institution: 'opera', serviceHost: 'shop.example' };
    await all.begin(where);
    now += 50_000;
    const live = await all.begin(where);
    now += 10_000;
    expect(await all.sweep(500)).toBe(1);
    expect(await all.sweep(500)).toBe(0);
    expect(await store.collection(sessions).of('opera').count()).toBe(1);
    // Idle for as long as it may be.
    expect(await all.find(where, live.token)).toBeUndefined();
  });

  test('a use is noted seldom, and keeps the session alive', async () => {
    let now = 5_000_000;
    const all = createSessions(store.collection(sessions), { idleMs: 100_000, absoluteMs: 600_000 }, () => now);
    const where = { institution: 'museum', serviceHost: 'shop.example' };
    const { session, token } = await all.begin(where);
    now += 5_000;
    expect((await all.find(where, token))?.lastSeenAt).toBe(session.lastSeenAt);
    now += 85_000;
    expect((await all.find(where, token))?.lastSeenAt).toBe(now);
    const noted = async () => (await store.collection(sessions).of('museum').get(session.id))?.lastSeenAt;
    while ((await noted()) !== now) await new Promise((resolve) => setImmediate(resolve));
    now += 99_000;
    expect(await all.find(where, token)).toBeDefined();
  });

  test('wrong passwords count for fifteen minutes', async () => {
    let now = 9_000_000;
    const attempts = createLoginAttempts(store.collection(loginAttempts), 300, () => now);
    const attempt = { institution: 'opera', serviceHost: 'shop.example', login: 'ann', ip: '10.0.0.1' };
    for (let count = 0; count < 10; count += 1) expect(await attempts.count(attempt)).toHaveProperty('forgive');
    now += 60_000;
    expect(await attempts.count(attempt)).toBe(14 * 60_000);
    now += 14 * 60_000;
    expect(await attempts.count(attempt)).toHaveProperty('forgive');
    now += 15 * 60_000;
    // One document for the address, one for the login from there, one for the login.
    expect(await attempts.sweep(500)).toBe(3);
  });

  test('a hundred for one login, from wherever they come', async () => {
    let now = 20_000_000;
    const attempts = createLoginAttempts(store.collection(loginAttempts), 300, () => now);
    const from = (count: number) => ({
      institution: 'opera',
      serviceHost: 'shop.example',
      login: 'bob',
      ip: `10.1.0.${count}`,
    });
    for (let count = 0; count < 100; count += 1) {
      now += 10;
      expect(await attempts.count(from(count))).toHaveProperty('forgive');
    }
    expect(typeof (await attempts.count(from(200)))).toBe('number');
    expect(await attempts.count({ ...from(200), serviceHost: 'other.example' })).toHaveProperty('forgive');
  });
});
