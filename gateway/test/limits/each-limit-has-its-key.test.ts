import { expect, test } from '@jest/globals';
import { formatRateLimit } from '../../src/exchange/exchange.ts';
import { createLimiter } from '../../src/limits/limiters.ts';
import { waitUntil } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';
import { echo, sendJson } from '../fixtures/upstream.ts';

const LIST = '/svc/v3/contacts/individuals';

const withLimits = async (limits: object, run: (its: Installation) => Promise<void>) => {
  const plenty = { client: 1000, address: 1000, session: 1000 };
  const its = await startInstallation({ limits: { ...plenty, ...limits }, trustProxy: ['127.0.0.0/8'] });
  await run(its).finally(() => its.close());
};

const statuses = async (count: number, send: () => Promise<{ status: number }>): Promise<number[]> => {
  const all: number[] = [];
  for (let index = 0; index < count; index += 1) all.push((await send()).status);
  return all;
};

test('a limiter counts one-minute windows per key and formats the RateLimit fields', () => {
  const limiter = createLimiter('client', 2);
  const first = limiter.take('a', 0);
  expect([first.policy.field, formatRateLimit(first)]).toEqual(['"client";q=2;w=60', '"client";r=1;t=60']);
  expect(formatRateLimit(limiter.take('a', 30_500))).toBe('"client";r=0;t=30');
  expect(limiter.take('a', 59_999)).toMatchObject({ allowed: false, left: 0, resetSeconds: 1 });
  expect(limiter.take('b', 59_999).allowed).toBe(true);
  expect(limiter.take('a', 60_000).allowed).toBe(true);
});

test('every response carries the remaining quota', () =>
  withLimits({ client: 10, address: 20, session: 30 }, async ({ call, as, authorizer: authority }) => {
    const own = await call('/errors');
    expect([own.headers['ratelimit-policy'], own.headers.ratelimit]).toEqual([
      '"address";q=20;w=60',
      '"address";r=19;t=60',
    ]);
    for (const path of ['/nowhere', LIST, '/auth/jwks'])
      expect((await call(path)).headers.ratelimit).toMatch(/^"address";r=\d+;t=\d+$/);
    const client = await as(authority.token(['contacts:read']))(LIST);
    expect([client.headers['ratelimit-policy'], client.headers.ratelimit]).toEqual([
      '"client";q=10;w=60',
      '"client";r=9;t=60',
    ]);
    expect((await call('/tnwr/v1/products')).headers.ratelimit).toMatch(/^"session";r=29;t=60$/);
  }));

test('a client has one quota over all its tokens; only a verified token counts', () =>
  withLimits({ client: 3 }, async ({ as, authorizer: authority }) => {
    const token = authority.token(['contacts:read']);
    expect(await statuses(4, () => as(token)(LIST))).toEqual([200, 200, 200, 429]);
    expect(await statuses(2, () => as(token.replace(/.$/, '!'))(LIST))).toEqual([401, 401]);
    const refused = await as(token)(LIST);
    expect(refused.body).toEqual({ status: 'too_many_requests', details: expect.any(String), data: null });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect((await as(authority.token(['contacts:read']))(LIST)).status).toBe(200);
  }));

test('each user at a client has a quota of its own', () =>
  withLimits({ client: 2 }, async ({ as, authorizer: authority }) => {
    const own = authority.token(['contacts:read']);
    const { id: client_id } = authority.client(own);
    const user = (sub: string) =>
      authority.token(['contacts:read'], { client_id, sub, role: 'manager', auth_time: Math.floor(Date.now() / 1000) });
    const [ana, again, ben] = [user('usr_ana'), user('usr_ana'), user('usr_ben')];
    expect(await statuses(3, () => as(own)(LIST))).toEqual([200, 200, 429]);
    expect(await statuses(2, () => as(ana)(LIST))).toEqual([200, 200]);
    expect(await statuses(1, () => as(again)(LIST))).toEqual([429]);
    expect(await statuses(1, () => as(ben)(LIST))).toEqual([200]);
  }));

test('an address has a quota that is counted before the request is parsed, the token endpoint included', () =>
  withLimits({ address: 3 }, async ({ plain }) => {
    const from = (address: string, path: string) => () =>
      plain(path, {
        headers: { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' },
        method: path === '/auth/token' ? 'POST' : 'GET',
      });
    expect(await statuses(4, from('9.9.9.9', '/auth/token'))).toEqual([200, 200, 200, 429]);
    expect(await statuses(1, from('9.9.9.9', '/nowhere'))).toEqual([429]);
    expect(await statuses(1, from('9.9.9.8', '/nowhere'))).toEqual([404]);
    // Only the address that the trusted proxy appended counts; the client's own entries before it do not.
    expect(await statuses(1, from('1.2.3.4, 9.9.9.9', '/nowhere'))).toEqual([429]);
    // Health is requested by machines of the installation.
    expect((await plain('/health/live')).status).toBe(200);
  }));

test('in family B a session has its own quota once the service has accepted it; invented sessions count on the address', () =>
  withLimits({ session: 2 }, async ({ call, pos }) => {
    pos.answer((request, response, raw) => {
      if (request.method === 'POST') sendJson(response, 201, { success: true, data: {} }, { 'X-auth-token': 'real' });
      else if (request.headers['x-auth-token'] === 'fake') sendJson(response, 401, { success: false });
      else echo(request, response, raw);
    });
    const as = (token: string) => () => call('/tnwr/v1/sessions/current', { headers: { 'x-auth-token': token } });
    expect((await call('/tnwr/v1/sessions', { method: 'POST' })).status).toBe(201);
    expect(await statuses(3, as('real'))).toEqual([200, 200, 429]);
    expect(await statuses(2, as('fake'))).toEqual([401, 429]);
    const refused = await call('/tnwr/v1/products');
    expect([refused.status, refused.body]).toEqual([
      429,
      { success: false, errorCode: 'too_many_requests', errorMessage: expect.any(String) },
    ]);
    expect(refused.headers['retry-after']).toBeDefined();
  }));

test('of several gateways each grants the share that the authorizer answers to its reports', () =>
  withLimits({ client: 100 }, async ({ as, authorizer: authority }) => {
    const token = authority.token(['contacts:read']);
    const caller = `client ${authority.client(token).id}`;
    const reported: number[] = [];
    authority.divide = ({ rates }) => {
      const rate = rates?.find((one) => one.caller === caller);
      if (rate) reported.push(rate.used);
      return { gateways: 2, shares: rate ? { [caller]: 7 } : {} };
    };
    // The gateway hears of the other one with a report; from then on it requests a share.
    await waitUntil(async () => {
      await as(token)(LIST);
      return reported.length > 0;
    }, 60_000);
    await waitUntil(async () => (await as(token)(LIST)).status === 429, 60_000);
    const refused = await as(token)(LIST);
    expect([refused.status, refused.headers['ratelimit-policy']]).toEqual([429, '"client";q=100;w=60']);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
  }));

test("an authorizer of the release before gets no rates, and the limit is the gateway's own", () =>
  withLimits({ client: 3 }, async ({ as, authorizer: authority }) => {
    const token = authority.token(['contacts:read']);
    expect(await statuses(4, () => as(token)(LIST))).toEqual([200, 200, 200, 429]);
    await waitUntil(() => authority.usage.some(({ status }) => status === 429), 60_000);
    expect(authority.reportsWithRates).toBe(0);
  }));
