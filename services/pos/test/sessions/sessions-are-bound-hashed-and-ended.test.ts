// rule 2: The session's token is in the header `X-auth-token` | services/pos/src/sessions/sessions.ts
// rule 3: A session is created on the server when required | services/pos/src/cart/routes.ts
// rule 4: Rule 6: requests carry `X-auth-token`, which the server returns when it creates a session | services/pos/src/request/visit.ts
// rule 5: 2: the session token is in `X-auth-token` | services/pos/src/sessions/sessions.ts

import { randomBytes } from 'node:crypto';
import { MOST_ANSWERS_PER_SESSION } from '@boxoffice/http';
import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { type SessionDocument, sessions } from '../../src/store.ts';
import { engines, openFixture, waitUntil } from '../fixture/fixture.ts';
import { createLinkRequests, createShopper } from '../fixture/shopper.ts';

describe.each(engines)('sessions on $name', (engine) => {
  const fixture = useFixture(() => openFixture({ engine }));

  const { itemOf } = createShopper(fixture);
  const fill = (token?: string) => fixture.call('POST', '/shopping-cart/items', { body: itemOf(), token });

  test('a request that needs no session creates none', async () => {
    for (const path of ['/products', '/shopping-cart']) expect((await fixture.call('GET', path)).token).toBeNull();
    const none = await fixture.call('DELETE', '/shopping-cart');
    expect([none.status, none.token, none.data.items]).toEqual([200, null, {}]);
  });

  test('the first item creates one; its token is 256 random bits, in the header only', async () => {
    const { status, token, text } = await fill();
    expect(status).toBe(201);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(text).not.toContain(token);
    const session = await fixture.call('GET', '/sessions/current', { token: String(token) });
    expect(session.data).toMatchObject({ user: null, contactNumber: null });
    expect(session.token).toBeNull();
    const second = await fill(String(token));
    expect([second.status, second.token]).toEqual([201, null]);
    expect(Object.keys(second.data.items as object)).toHaveLength(2);
  });

  test('only a hash of the token is stored', async () => {
    const { token } = await fill();
    const stored = await fixture.store.collection(sessions).of('opera').find();
    expect(stored.length).toBeGreaterThan(0);
    expect(JSON.stringify(stored)).not.toContain(token);
  });

  test('an unknown token is 401 everywhere', async () => {
    for (const token of [randomBytes(32).toString('base64url'), 'x', '%00', `${'A'.repeat(5_000)}`]) {
      for (const [method, path] of [
        ['GET', '/products'],
        ['GET', '/shopping-cart'],
        ['POST', '/shopping-cart/items'],
        ['GET', '/tickets'],
      ] as const) {
        const { status, code } = await fixture.call(method, path, { token });
        expect([path, status, code]).toEqual([path, 401, 'session_invalid']);
      }
    }
  });

  test('the gateway hears that a session is known only of one that is, also where any token is answered', async () => {
    const { token } = await fill();
    const known = async (path: string, presented?: string, version?: 'vexp') =>
      (await fixture.call('GET', path, { token: presented, ...(version ? { version } : {}) })).headers.get(
        'x-internal-session',
      );
    expect(await known('/shopping-cart', String(token))).toBe('known');
    expect(await known('/shopping-cart')).toBeNull();
    const invented = randomBytes(32).toString('base64url');
    expect(await known('/products', invented)).toBeNull();
    const { buy, tokenOf } = createLinkRequests(fixture);
    const link = await tokenOf(await buy());
    for (const [presented, header] of [
      [String(token), 'known'],
      [invented, null],
    ] as const) {
      const read = await createLinkRequests(fixture).read(link, { token: presented });
      expect([read.status, read.headers.get('x-internal-session')]).toEqual([200, header]);
      expect(read.headers.get('x-internal-institution')).toBe('opera');
    }
    const login = await fixture.call('POST', '/sessions', {
      token: invented,
      body: { login: 'nobody', password: 'x' },
    });
    expect([login.status, login.headers.get('x-internal-session')]).toEqual([401, null]);
  });

  test('POST /sessions ignores an unknown token and creates another one', async () => {
    const user = await fixture.user();
    const planted = randomBytes(32).toString('base64url');
    const token = await fixture.logIn(user, { token: planted });
    expect(token).not.toBe(planted);
    expect((await fixture.call('GET', '/users/me', { token: planted })).status).toBe(401);
    expect((await fixture.call('GET', '/users/me', { token })).data).toEqual({
      id: expect.any(String),
      login: user.login,
      contactNumber: user.contactNumber,
    });
  });

  test('a login ends the session of the request, and the new one takes over its cart', async () => {
    const first = await fill();
    const before = String(first.token);
    const token = await fixture.logIn(await fixture.user(), { token: before });
    expect(token).not.toBe(before);
    expect((await fixture.call('GET', '/shopping-cart', { token: before })).code).toBe('session_invalid');
    expect((await fixture.call('GET', '/shopping-cart', { token })).data).toEqual(first.data);
  });

  test('a token is unknown at another point of sale, also of the same institution', async () => {
    const token = await fixture.logIn(await fixture.user());
    const { serviceHost } = fixture.catalog.pointOfSale();
    const museum = fixture.catalog.pointOfSale({ institution: 'museum' });
    for (const host of [serviceHost, museum.serviceHost])
      expect((await fixture.call('GET', '/users/me', { token, host })).code).toBe('session_invalid');
    expect((await fixture.call('GET', '/users/me', { token })).status).toBe(200);
  });

  test('DELETE /sessions/current ends it and releases the places of its cart', async () => {
    const { token, data } = await fill();
    const ended = await fixture.call('DELETE', '/sessions/current', { token: String(token) });
    expect([ended.status, ended.data]).toEqual([200, {}]);
    expect(fixture.orders.orders.get(String(data.id))?.state).toBe('cancelled');
    expect((await fixture.call('GET', '/sessions/current', { token: String(token) })).status).toBe(401);
  });

  test('if the places cannot be released, the answer reports that the user is logged out', async () => {
    const { token } = await fill();
    fixture.orders.mishaps.set('giveUpCart', 'fails');
    const { status, body } = await fixture.call('DELETE', '/sessions/current', { token: String(token) });
    fixture.orders.mishaps.clear();
    expect([status, body]).toMatchObject([500, { userLoggedOut: true, orderCancelled: false }]);
    expect((await fixture.call('GET', '/sessions/current', { token: String(token) })).status).toBe(401);
  });

  test('an operation that needs a session or a login is 401 without one', async () => {
    expect((await fixture.call('GET', '/sessions/current')).code).toBe('session_required');
    expect((await fixture.call('POST', '/orders')).code).toBe('session_required');
    const { token } = await fill();
    for (const path of ['/users/me', '/tickets', '/contacts/C1'])
      expect((await fixture.call('GET', path, { token: String(token) })).code).toBe('login_required');
  });

  test('two concurrent first items of a session are both in its cart', async () => {
    const token = await fixture.logIn(await fixture.user());
    await Promise.all([fill(token), fill(token)]);
    const { data } = await fixture.call('GET', '/shopping-cart', { token });
    expect(Object.keys(data.items as object)).toHaveLength(2);
  });

  test('each session has a limited number of idempotency records, the newest ones', async () => {
    const one = await fixture.logIn(await fixture.user());
    const other = await fixture.logIn(await fixture.user());
    // An invalid body is refused at once, and the refusal is recorded.
    const isReplayed = async (token: string, key: number) => {
      const headers = { 'idempotency-key': `key ${key}` };
      const { headers: answered } = await fixture.call('POST', '/shopping-cart/items', { token, body: {}, headers });
      return answered.get('idempotency-replayed') === 'true';
    };
    await isReplayed(other, 0);
    expect(await isReplayed(one, 0)).toBe(false);
    const startedAt = Date.now();
    // Records of the same millisecond have the same age.
    await waitUntil(() => Date.now() > startedAt);
    for (let key = 1; key <= MOST_ANSWERS_PER_SESSION; key += 50) {
      const keys = Array.from({ length: 50 }, (_, index) => key + index);
      expect(await Promise.all(keys.map((next) => isReplayed(one, next)))).not.toContain(true);
    }
    expect(await isReplayed(one, MOST_ANSWERS_PER_SESSION)).toBe(true);
    expect(await isReplayed(one, 1)).toBe(true);
    expect(await isReplayed(other, 0)).toBe(true);
    expect(await isReplayed(one, 0)).toBe(false);
  });
});

describe('a session ends', () => {
  const fixture = useFixture(() => openFixture({ sessionIdleSeconds: 100, sessionAbsoluteSeconds: 1_000 }));
  const begin = async () => {
    const user = await fixture.user();
    const token = await fixture.logIn(user);
    const all = fixture.store.collection(sessions).of('opera');
    const stored = async () =>
      (await all.find()).find(({ contactNumber }) => contactNumber === user.contactNumber) as SessionDocument;
    return {
      stored,
      read: () => fixture.call('GET', '/sessions/current', { token }),
      /** Lets this many seconds pass for one time of the session, which is moved back. */
      pass: async (seconds: number, time: 'lastSeenAt' | 'expiresAt') => {
        const { id } = await stored();
        await all.update(id, (one) => ({ next: { ...one, [time]: one[time] - seconds * 1_000 } }));
      },
    };
  };
  const leftOf = ({ data }: { readonly data: Readonly<Record<string, unknown>> }) =>
    Date.parse(String(data.expiresAt)) - Date.now();

  test('without requests, and each request renews it', async () => {
    const { stored, read, pass } = await begin();
    await pass(50, 'lastSeenAt');
    const before = (await stored()).lastSeenAt;
    expect(leftOf(await read())).toBeGreaterThan(51_000);
    // Its use is recorded beside the answer.
    await waitUntil(async () => (await stored()).lastSeenAt > before);
    await pass(101, 'lastSeenAt');
    expect((await read()).code).toBe('session_invalid');
  });

  test('after its absolute lifetime, even if it is used', async () => {
    const { read, pass } = await begin();
    await pass(950, 'expiresAt');
    expect(leftOf(await read())).toBeLessThanOrEqual(50_000);
    await pass(51, 'expiresAt');
    expect((await read()).code).toBe('session_invalid');
  });
});
