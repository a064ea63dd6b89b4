import { randomUUID } from 'node:crypto';
import { createFixedServices, parseRows } from '@boxoffice/runtime/services';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createDocument } from '../fixtures/describe.ts';
import { runAtOneMoment, waitUntil } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';
import { sendJson, startUpstream } from '../fixtures/upstream.ts';

const PRODUCTS = '/tnwr/v1/products';
const LIST = '/svc/v3/contacts/individuals';
/** Answers whoever asks, as order links do, whatever the session. */
const LINK = '/tnwr/vexp/products';

const REAL = 'a-session-that-its-service-knows';
const KNOWN = { 'X-Internal-Session': 'known' };

const limits = { client: 3, address: 100_000, session: 3 };

let its: Installation;
beforeEach(async () => {
  its = await startInstallation({ limits, trustProxy: ['127.0.0.0/8'] });
  its.pos.answer((request, response) => {
    const known: Record<string, string> = request.headers['x-auth-token'] === REAL ? KNOWN : {};
    sendJson(response, 200, { success: true, data: {} }, known);
  });
});
afterEach(() => its.close());

const statuses = async (path: string, all: readonly Record<string, string>[]): Promise<number[]> => {
  const got: number[] = [];
  for (const headers of all) got.push((await its.call(path, { headers })).status);
  return got;
};

const from = (address: string, token?: string): Record<string, string> => ({
  'x-forwarded-for': address,
  ...(token === undefined ? {} : { 'x-auth-token': token }),
});

test('invented session tokens share the limit of their address, also where any token is answered', () =>
  runAtOneMoment(async () => {
    for (const [path, first, then] of [
      [LINK, 3, 0],
      [PRODUCTS, 3, 0],
      // Pages count on their address alone, by another limit.
      ['/shop/tickets.opera.example/', 25, 3],
    ] as const) {
      const address = `192.0.2.${path.length}`;
      const invented = Array.from({ length: 25 }, () => from(address, randomUUID()));
      const answered = (all: readonly number[]): number => all.filter((status) => status === 200).length;
      expect(answered(await statuses(path, invented))).toBe(first);
      // No answer has made a token one of a session.
      expect(answered(await statuses(PRODUCTS, invented))).toBe(then);
      expect(await statuses(PRODUCTS, [from(address)])).toEqual([429]);
    }
  }));

test('a session has a limit of its own once its service has verified it, for half an hour without a request', () =>
  runAtOneMoment(async (pass) => {
    const [address, elsewhere] = ['192.0.2.7', '192.0.2.8'];
    const real = (where: string) => from(where, REAL);
    // The first request counts on the address.
    expect(await statuses(PRODUCTS, Array(5).fill(real(address)))).toEqual([200, 200, 200, 200, 429]);
    expect(await statuses(PRODUCTS, [real(elsewhere), from(address), from(address)])).toEqual([429, 200, 200]);
    pass(30 * 60_000 + 1);
    expect(await statuses(PRODUCTS, Array(3).fill(from(elsewhere)))).toEqual([200, 200, 200]);
    expect(await statuses(PRODUCTS, [real(elsewhere)])).toEqual([429]);
  }));

test('a service of a team makes no session', async () => {
  const path = '/svc/v3/loyalty/terms';
  const team = await startUpstream(createDocument([[`GET ${path}`, null, 'getTerms']]), (request, response) => {
    const token = String(request.headers['x-wanted']);
    sendJson(response, 200, { status: 'success', details: null, data: {} }, { ...KNOWN, 'X-auth-token': token });
  });
  const row = { name: 'loyalty', url: team.url, prefixes: ['/svc/v3/loyalty'], sessions: ['/svc/v3/loyalty'] };
  const serviceList = createFixedServices(parseRows(JSON.stringify([row])));
  const own = await startInstallation({ limits, trustProxy: ['127.0.0.0/8'], serviceList });
  try {
    await waitUntil(async () => (await own.call(path)).status === 200);
    const tokens = Array.from({ length: 5 }, () => randomUUID());
    const got: number[] = [];
    await runAtOneMoment(async () => {
      for (const token of tokens) {
        await own.call(path, { headers: { 'x-wanted': token } });
        got.push((await own.call(PRODUCTS, { headers: from('192.0.2.9', token) })).status);
      }
    });
    expect(got).toEqual([200, 200, 200, 429, 429]);
  } finally {
    await own.close();
    await team.close();
  }
});

test('tokens and API keys that are not valid are no caller, and open no limit', async () => {
  const headers: Record<string, string>[] = [
    { authorization: `Bearer ${its.authorizer.token(['contacts:read']).replace(/.$/, '!')}` },
    { authorization: 'Bearer invented' },
    { 'x-api-key': `bok_${'A'.repeat(43)}` },
  ];
  for (const one of headers) {
    const refused = await its.call(LIST, { headers: one });
    expect([refused.status, refused.headers['ratelimit-policy']]).toEqual([401, '"address";q=100000;w=60']);
  }
});

test('an address is that of the connection, unless a trusted proxy says it', async () => {
  const direct = await startInstallation({ limits: { client: 3, address: 2, session: 3 }, trustProxy: [] });
  try {
    const got: number[] = [];
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3'])
      got.push((await direct.call('/nowhere', { headers: from(address) })).status);
    expect(got).toEqual([404, 404, 429]);
  } finally {
    await direct.close();
  }
});
