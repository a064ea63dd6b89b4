import { createFixedServices, parseRows } from '@boxoffice/runtime/services';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { EXPOSED_HEADERS } from '../../src/cors/cors.ts';
import { createDocument } from '../fixtures/describe.ts';
import { ISSUER } from '../fixtures/fake-authorizer.ts';
import { type Call, waitUntil } from '../fixtures/http.ts';
import { startInstallation, useFixture } from '../fixtures/installation.ts';
import { decodeClaims } from '../fixtures/jws.ts';
import { type Answering, echo, sendJson, startUpstream, type Upstream } from '../fixtures/upstream.ts';

const CARDS = '/svc/v3/loyalty/cards';
const TERMS = '/svc/v3/loyalty/terms';
const SESSION = '/svc/v3/loyalty/session/me';
const PAGE = '/loyalty/join';
const SANDBOX = 'sandbox allow-scripts allow-forms';

const rowOf = (url: string) => ({
  name: 'loyalty',
  url,
  prefixes: ['/svc/v3/loyalty', '/loyalty'],
  domains: ['loyalty'],
  open: [`GET ${TERMS}`],
  sessions: ['/svc/v3/loyalty/session'],
  pages: ['POST /loyalty'],
  headers: ['X-Loyalty-Level'],
});

const loyalty = useFixture(() =>
  startUpstream(
    createDocument([
      [`GET ${CARDS}`, 'loyalty:read', 'listCards'],
      [`POST ${CARDS}`, 'loyalty:write', 'createCard'],
      [`GET ${TERMS}`, null, 'getTerms'],
      [`GET ${SESSION}`, null, 'getOwnSession'],
      [`GET /svc/v3/loyalty/changes`, 'loyalty:read', 'followCards'],
    ]),
  ),
);
const its = useFixture(() =>
  startInstallation({ serviceList: createFixedServices(parseRows(JSON.stringify([rowOf(loyalty.url)]))) }),
);
beforeAll(async () => {
  await waitUntil(async () => (await its.call(TERMS)).status === 200);
});
afterEach(() => {
  for (const service of [loyalty, its.contacts, its.pos]) service.answer(echo);
});

const PASSING = {
  accept: 'application/json',
  'accept-language': 'de',
  'if-none-match': '"1"',
  range: 'bytes=0-1',
  'x-request-id': 'mine',
};

/** One of each credential, and what belongs to nobody’s list. */
const SENT = {
  authorization: 'Bearer of.the.caller',
  cookie: '__Host-boxoffice-session=secret; boxoffice.language=de; other=1',
  'x-auth-token': 'session-of-a-shopper',
  'x-order-link': 'link-of-a-shopper',
  'x-api-key': 'bok_key',
  'user-agent': 'browser',
  referer: 'https://localhost/shop/secret',
  origin: 'https://localhost',
  'x-unknown': '1',
  'x-loyalty-level': 'gold',
  ...PASSING,
};

/** What each service gets beside the lists, by the gateway and by HTTP itself. */
const BY_GATEWAY = {
  host: expect.any(String),
  connection: 'keep-alive',
  traceparent: expect.any(String),
  'x-forwarded-for': '127.0.0.1',
  'x-forwarded-host': expect.any(String),
  'x-forwarded-proto': 'https',
};

const receivedBy = async (service: Upstream, path: string, call: Call = {}) => {
  const before = service.received.length;
  await its.call(path, { ...call, headers: { ...SENT, ...call.headers } });
  expect(service.received).toHaveLength(before + 1);
  return service.received.at(-1)?.headers ?? {};
};

describe('to a service of a team pass the identity, content and negotiation, and no credential', () => {
  test.each([
    ['an open operation', TERMS, {}],
    ['an operation below a session prefix', SESSION, {}],
    ['a page', PAGE, {}],
    ['a form of a page', PAGE, { method: 'POST', body: 'a=1' }],
  ])('%s', async (_, path, call) => {
    const headers = await receivedBy(loyalty, path, call);
    const length = 'body' in call ? { 'content-length': '3' } : {};
    expect(headers).toEqual({ ...BY_GATEWAY, ...PASSING, ...length, 'x-loyalty-level': 'gold' });
  });

  test('an operation with a token, also one that streams', async () => {
    const authorization = `Bearer ${its.authorizer.token(['loyalty:read'])}`;
    for (const path of [CARDS, '/svc/v3/loyalty/changes']) {
      const received = await receivedBy(loyalty, path, { headers: { authorization } });
      const { 'x-internal-identity': identity, ...headers } = received;
      expect(headers).toEqual({ ...BY_GATEWAY, ...PASSING, 'x-loyalty-level': 'gold' });
      expect(decodeClaims(identity)).toMatchObject({ aud: 'loyalty' });
    }
  });

  test('content and the key of a request', async () => {
    const authorization = `Bearer ${its.authorizer.token(['loyalty:write'])}`;
    const content = { 'content-type': 'application/json', 'content-language': 'de', 'idempotency-key': 'k1' };
    const call = { method: 'POST', body: '{}', headers: { ...content, authorization } };
    const headers = await receivedBy(loyalty, CARDS, call);
    expect(headers).toMatchObject(content);
    expect(Object.keys(headers)).not.toContain('authorization');
  });
});

describe('a service of the product gets the credentials that it reads', () => {
  test('the point of sale: the session and the link of an order, and the cookie of its language', async () => {
    const call = { headers: { origin: [], 'x-service-host': 'shop.example' } };
    const headers = await receivedBy(its.pos, '/tnwr/v1/products', call);
    expect(headers).toEqual({
      ...BY_GATEWAY,
      ...PASSING,
      'x-auth-token': 'session-of-a-shopper',
      'x-order-link': 'link-of-a-shopper',
      'x-service-host': 'shop.example',
      cookie: 'boxoffice.language=de',
    });
  });

  test('another service: none', async () => {
    const authorization = `Bearer ${its.authorizer.token(['contacts:read'])}`;
    const headers = await receivedBy(its.contacts, '/svc/v3/contacts/individuals', { headers: { authorization } });
    expect(headers).toEqual({ ...BY_GATEWAY, ...PASSING, 'x-internal-identity': expect.any(String) });
  });

  test('the authorizer: its own cookies, and Authorization below /auth', async () => {
    const last = async (path: string, authorization: string) => {
      await its.call(path, { headers: { ...SENT, authorization } });
      return its.authorizer.received.findLast(({ url }) => url === path)?.headers ?? {};
    };
    const { authorization, origin } = SENT;
    const everywhere = { ...BY_GATEWAY, ...PASSING, cookie: '__Host-boxoffice-session=secret', origin };
    expect(await last('/auth/jwks', authorization)).toEqual({ ...everywhere, authorization });
    const token = its.authorizer.token(['clients:read']);
    const elsewhere = await last('/svc/v3/clients', `Bearer ${token}`);
    expect(elsewhere).toEqual({ ...everywhere, 'x-internal-identity': expect.any(String) });
  });
});

const EVERYTHING: Answering = (_, response) =>
  sendJson(
    response,
    200,
    {},
    {
      'Cache-Control': 'max-age=1',
      ETag: '"1"',
      'Last-Modified': 'Sat, 28 Nov 2026 00:00:00 GMT',
      Link: '</loyalty/next>; rel="next"',
      Location: '/loyalty/cards/1',
      'Retry-After': '7',
      Allow: 'GET',
      'RateLimit-Policy': '"cards";q=5;w=1',
      'X-Loyalty-Level': 'gold',
      'Set-Cookie': '__Host-boxoffice-session=fixed; Path=/; Secure',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Credentials': 'true',
      'Clear-Site-Data': '"*"',
      'Service-Worker-Allowed': '/',
      'Idempotency-Replayed': 'true',
      Deprecation: '@1',
      Sunset: 'Sat, 28 Nov 2026 00:00:00 GMT',
      'WWW-Authenticate': 'Basic',
      'Content-Security-Policy': "default-src 'self'",
      Refresh: '0; url=https://elsewhere.example',
      'X-auth-token': 'fixed',
      'X-Unknown': '1',
      Server: 'theirs',
    },
  );

const NEVER = [
  'set-cookie',
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'clear-site-data',
  'service-worker-allowed',
  'refresh',
  'server',
  'x-unknown',
];

describe('from a service of a team pass content, caching, validators, links and when to come again', () => {
  test.each([TERMS, SESSION, PAGE])('%s', async (path) => {
    loyalty.answer(EVERYTHING);
    const { headers } = await its.call(path);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'max-age=1',
      etag: '"1"',
      'last-modified': 'Sat, 28 Nov 2026 00:00:00 GMT',
      link: '</loyalty/next>; rel="next"',
      location: '/loyalty/cards/1',
      'retry-after': '7',
      allow: 'GET',
      'ratelimit-policy': expect.stringMatching(/, "cards";q=5;w=1$/),
      'x-loyalty-level': 'gold',
      'content-security-policy': SANDBOX,
    });
    for (const name of [...NEVER, 'idempotency-replayed', 'deprecation', 'sunset', 'www-authenticate', 'x-auth-token'])
      expect([name, headers[name]]).toEqual([name, undefined]);
  });

  test('each page, whatever its type and status, is outside the origin in which users sign in', async () => {
    for (const [status, type] of [
      [200, 'text/html'],
      [200, 'image/svg+xml'],
      [200, 'application/pdf'],
      [404, 'text/html'],
      [500, 'application/xhtml+xml'],
    ] as const) {
      loyalty.answer((_request, response) => {
        response.writeHead(status, { 'Content-Type': type }).end('<script>');
      });
      const reply = await its.call(PAGE);
      expect([reply.status, reply.headers['content-security-policy']]).toEqual([status, SANDBOX]);
    }
    loyalty.answer((_request, response) => void response.writeHead(304, { ETag: '"1"' }).end());
    expect((await its.call(PAGE)).headers['content-security-policy']).toBe(SANDBOX);
  });

  test('a Location within its own prefixes passes, as browsers read it; any other is 502', async () => {
    const located = async (location: string) => {
      loyalty.answer((_request, response) => {
        response.writeHead(302, { Location: location, 'Content-Length': '0' }).end();
      });
      const { status, headers } = await its.call(PAGE);
      return status === 302 ? headers.location : status;
    };
    for (const own of ['/loyalty/done', 'done', '?step=2', '/svc/v3/loyalty/cards', `${ISSUER}/loyalty`])
      expect(await located(own)).toBe(own);
    for (const foreign of [
      'https://elsewhere.example/loyalty/done',
      '//elsewhere.example/loyalty',
      '/\\elsewhere.example/loyalty',
      '/auth/authorize?client_id=1',
      '/loyalty/../auth/logout',
      '../auth/logout',
      '/loyalty/%2e%2e/auth/logout',
      '/loyaltyextra',
      `${ISSUER}/shop/`,
      'javascript:alert(1)',
      'http://localhost/loyalty',
      'https://[',
    ])
      expect([foreign, await located(foreign)]).toEqual([foreign, 502]);
    expect(its.log).toContainEqual(
      expect.objectContaining({ upstream: 'loyalty', reason: expect.stringContaining('Location is outside') }),
    );
  });
});

test('a service of the product returns what the interface defines, its session, its cookies, and no others', async () => {
  its.pos.answer((request, response, raw) => {
    response.appendHeader('Set-Cookie', 'boxoffice.language=de; Path=/shop');
    EVERYTHING(request, response, raw);
  });
  const { headers } = await its.call('/shop/');
  expect(headers).toMatchObject({
    'idempotency-replayed': 'true',
    deprecation: '@1',
    sunset: 'Sat, 28 Nov 2026 00:00:00 GMT',
    'www-authenticate': 'Basic',
    'content-security-policy': "default-src 'self'",
    'x-auth-token': 'fixed',
  });
  for (const name of [...NEVER, 'x-loyalty-level']) expect([name, headers[name]]).toEqual([name, undefined]);
  its.pos.answer((_request, response) => {
    const cookies = ['boxoffice.language=de; Path=/shop', '__Host-boxoffice-session=fixed; Path=/; Secure'];
    sendJson(response, 200, {}, { 'Set-Cookie': cookies as never });
  });
  expect((await its.call('/shop/')).headers['set-cookie']).toEqual(['boxoffice.language=de; Path=/shop']);
});

test('every header that the interface defines for responses is returned by some service, or the gateway’s own', async () => {
  const own = ['X-Request-Id', 'traceparent', 'RateLimit', 'RateLimit-Policy'];
  its.pos.answer((_request, response) => {
    sendJson(response, 200, {}, Object.fromEntries(EXPOSED_HEADERS.map((name) => [name, '1'])));
  });
  const { headers } = await its.call('/tnwr/v1/products');
  for (const name of EXPOSED_HEADERS.filter((one) => !own.includes(one)))
    expect([name, headers[name.toLowerCase()]]).toEqual([name, '1']);
});

test('a cached answer has what the first one had', async () => {
  its.pos.answer((_request, response) => {
    sendJson(response, 200, {}, { 'X-Internal-Keep': '1000', 'X-Unknown': '1', 'Content-Language': 'de' });
  });
  const call = { headers: { 'x-service-host': 'cached.example' } };
  const before = its.pos.received.length;
  const replies = [await its.call('/tnwr/v1/products', call), await its.call('/tnwr/v1/products', call)];
  expect(its.pos.received).toHaveLength(before + 1);
  for (const { headers } of replies) {
    expect(headers['content-language']).toBe('de');
    for (const name of ['x-unknown', 'x-internal-keep']) expect([name, headers[name]]).toEqual([name, undefined]);
  }
});

test('a row that names a header later has it within the time of a change', async () => {
  const changing = await startUpstream(createDocument([[`GET ${TERMS}`, null, 'getTerms']]));
  type Rows = ReturnType<typeof parseRows>;
  const listeners: ((rows: Rows) => void)[] = [];
  let rows = parseRows(JSON.stringify([{ ...rowOf(changing.url), headers: [] }]));
  const onChange = (listener: (rows: Rows) => void) => void listeners.push(listener);
  const other = await startInstallation({ serviceList: { ...createFixedServices(), rows: () => rows, onChange } });
  await waitUntil(async () => (await other.call(TERMS)).status === 200);
  const level = async () => {
    await other.call(TERMS, { headers: { 'x-loyalty-level': 'gold' } });
    return changing.received.at(-1)?.headers['x-loyalty-level'];
  };
  expect(await level()).toBeUndefined();
  rows = parseRows(JSON.stringify([rowOf(changing.url)]));
  for (const listener of listeners) listener(rows);
  await waitUntil(async () => (await level()) === 'gold');
  await other.close();
  await changing.close();
});
