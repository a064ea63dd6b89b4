// rule 4: Rule 9: cross-origin access for all domains unless restricted by configuration | gateway/src/cors/cors.ts
// rule 4: Rule 9: the methods are GET, POST, PUT, PATCH, DELETE, HEAD | gateway/src/cors/cors.ts

import { afterEach, describe, expect, test } from '@jest/globals';
import { EXPOSED_HEADERS } from '../../src/cors/cors.ts';
import { createDocument } from '../fixtures/describe.ts';
import { type Call, runAtOneMoment, waitUntil } from '../fixtures/http.ts';
import { type Installation, startInstallation, useFixture } from '../fixtures/installation.ts';
import { decodeClaims } from '../fixtures/jws.ts';
import { echo, sendJson, startUpstream } from '../fixtures/upstream.ts';

const PRODUCTS = '/tnwr/v1/products';
const SHOP = 'https://shop.example';

/** Origins by service host; an unknown host is 404. */
const HOST = 'closed.example';
const lists = new Map<string, string[]>([[HOST, [SHOP]]]);
/** Hosts of which the catalog answers nothing. */
const failing = new Set<string>();

const catalog = useFixture(() =>
  startUpstream(createDocument([['GET /svc/v3/catalog', 'catalog:read', 'getCatalog']]), ({ url }, response) => {
    const host = decodeURIComponent(url.replace('/internal/points-of-sale/', ''));
    const corsOrigins = lists.get(host);
    if (failing.has(host)) sendJson(response, 503, { status: 'service_unavailable', details: 'x', data: null });
    else if (!corsOrigins) sendJson(response, 404, { status: 'not_found', details: 'x', data: null });
    else sendJson(response, 200, { status: 'success', details: null, data: { serviceHost: host, corsOrigins } });
  }),
);
const its = useFixture(() => startInstallation({}, { services: { catalog: catalog.url } }));
afterEach(() => its.pos.answer(echo));

const from = (origin: string | undefined, host?: string, path = PRODUCTS) =>
  its.call(path, { headers: { ...(origin ? { origin } : {}), ...(host ? { 'x-service-host': host } : {}) } });

const allowed = async (origin: string, host?: string) =>
  (await from(origin, host)).headers['access-control-allow-origin'];

describe('a preflight', () => {
  test('is 204 for any origin, without a point of sale, on any path of the family', async () => {
    for (const path of [PRODUCTS, '/tnwr/v1/nowhere', '/tnwr/vexp/products']) {
      const before = its.pos.received.length;
      const reply = await its.call(path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://anybody.example',
          'access-control-request-method': 'PATCH',
          'access-control-request-headers': 'x-service-host, x-auth-token, x-order-link, content-type',
        },
      });
      expect([reply.status, reply.text]).toEqual([204, '']);
      expect(reply.headers['access-control-allow-origin']).toBe('*');
      expect(reply.headers['access-control-allow-methods']?.split(',').toSorted()).toEqual([
        'DELETE',
        'GET',
        'HEAD',
        'PATCH',
        'POST',
        'PUT',
      ]);
      expect(reply.headers['access-control-allow-headers']).toBe(
        'x-service-host, x-auth-token, x-order-link, content-type',
      );
      expect(reply.headers['access-control-allow-credentials']).toBeUndefined();
      expect(reply.headers['x-request-id']).toBeDefined();
      expect(its.pos.received.length).toBe(before);
    }
  });

  test('is not an OPTIONS without the preflight headers', async () => {
    const reply = await its.call(PRODUCTS, { method: 'OPTIONS' });
    expect([reply.status, reply.headers.allow, reply.body.errorCode]).toEqual([405, 'GET, HEAD', 'method_not_allowed']);
  });
});

describe('an answer', () => {
  test('allows every origin without a list, and exposes every header of the interface', async () => {
    lists.set('open', []);
    const reply = await from(SHOP, 'open');
    expect(reply.headers['access-control-allow-origin']).toBe('*');
    expect(reply.headers['access-control-expose-headers']?.split(',')).toEqual(EXPOSED_HEADERS);
    expect(reply.headers['access-control-allow-credentials']).toBeUndefined();
    expect(await allowed(SHOP, 'unknown-host')).toBe('*');
    expect(await allowed(SHOP)).toBe('*');
  });

  test('preserves the service’s Vary', async () => {
    its.pos.answer((_, response) =>
      sendJson(response, 200, { success: true, data: {} }, { Vary: 'Accept-Language, X-Service-Host' }),
    );
    expect((await from(SHOP, 'open')).headers.vary).toBe('Accept-Language, X-Service-Host, Origin');
  });

  test('that is an error is readable, too', async () => {
    for (const path of ['/tnwr/v1/nowhere', '/tnwr/v1/sessions']) {
      const reply = await from(SHOP, 'open', path);
      expect([reply.body.success, reply.headers['access-control-allow-origin']]).toEqual([false, '*']);
    }
  });
});

test('the list is read from the catalog with an identity for that operation, and not for every request', async () => {
  lists.set('cached', [SHOP]);
  await runAtOneMoment(() => Promise.all(Array.from({ length: 10 }, () => allowed(SHOP, 'cached'))));
  const questions = catalog.received.filter(({ url }) => url.endsWith('/cached'));
  expect(questions).toHaveLength(1);
  expect(decodeClaims(questions[0]?.headers['x-internal-identity'])).toMatchObject({
    aud: 'catalog',
    operation: 'findPointOfSale',
    service: 'gateway',
  });
});

test.concurrent('a list takes effect within three seconds of a change', async () => {
  lists.set('changing', []);
  expect(await allowed(SHOP, 'changing')).toBe('*');
  lists.set('changing', ['https://two.example']);
  await waitUntil(async () => (await allowed(SHOP, 'changing')) === undefined);
});

test.concurrent('a list stays unchanged while the catalog does not answer; without a known list no foreign origin is allowed', async () => {
  lists.set('known', [SHOP]);
  expect(await allowed(SHOP, 'known')).toBe(SHOP);
  failing.add('known').add('never-known');
  const lookups = () => catalog.received.filter(({ url }) => url.endsWith('/known')).length;
  const before = lookups();
  await waitUntil(async () => {
    expect(await allowed(SHOP, 'known')).toBe(SHOP);
    return lookups() > before;
  });
  expect(await allowed(SHOP, 'never-known')).toBeUndefined();
  const { status, body, headers } = await from(SHOP, 'never-known');
  const consequences = { userLoggedOut: false, orderCancelled: false };
  expect([status, body]).toMatchObject([500, { success: false, errorCode: 'internal_error', ...consequences }]);
  expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
  expect((await from(undefined, 'never-known')).status).toBe(200);
});

const ask = (origin: string | undefined, { headers, ...call }: Call = {}, path = PRODUCTS) => {
  const all = {
    'x-service-host': HOST,
    'content-type': 'application/json',
    ...(origin === undefined ? {} : { origin }),
  };
  return its.call(path, { ...call, headers: { ...all, ...headers } });
};

const REFUSED = { success: false, errorCode: 'origin_not_allowed', errorMessage: expect.any(String) };

const crossOriginHeaders = (headers: object) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

describe.each([
  ['GET', PRODUCTS],
  ['HEAD', PRODUCTS],
  ['GET', '/tnwr/vexp/products'],
  ['GET', '/tnwr/v1/products/p1'],
  ['POST', '/tnwr/v1/sessions'],
  ['PATCH', '/tnwr/v1/shopping-cart/items/i1'],
])('a foreign origin at %s %s', (method, path) => {
  const body = method === 'POST' || method === 'PATCH' ? '{}' : undefined;

  test.each([
    'https://evil.example',
    'null',
    'http://shop.example',
    'https://shop.example.evil.example',
    'https://shop.example:8443',
    'HTTPS://SHOP.EXAMPLE',
    '',
  ])('of “%s” is 403 origin_not_allowed, without CORS headers, and reaches no service', async (origin) => {
    const before = its.pos.started();
    const reply = await ask(origin, { method, body }, path);
    expect([reply.status, crossOriginHeaders(reply.headers), its.pos.started()]).toEqual([403, [], before]);
    if (method !== 'HEAD') expect(reply.body).toEqual(REFUSED);
    expect(reply.headers.vary).toContain('Origin');
  });

  test('is 403, but a listed one, the gateway’s own and none are served', async () => {
    const reached = its.gateway.httpsUrl.replace('127.0.0.1', 'localhost');
    for (const origin of [SHOP, 'https://boxoffice.example', its.gateway.httpsUrl, undefined]) {
      const { status, headers } = await ask(origin, { method, body }, path);
      expect([origin, status]).toEqual([origin, 200]);
      expect(headers['access-control-allow-origin']).toBe(origin);
      expect(headers.vary).toContain('Origin');
    }
    const { host } = new URL(reached);
    expect((await ask(reached, { method, body, headers: { host } }, path)).status).toBe(200);
    expect((await ask(reached, { method, body }, path)).status).toBe(403);
  });
});

test('the gateway’s own origin does not depend on the Host that a client chooses', async () => {
  const status = async (host: string, origin: string) => (await ask(origin, { headers: { host } })).status;
  const { port } = new URL(its.gateway.httpsUrl);
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, '[::1]:8443', 'boxoffice.example:8443']) {
    expect([host, await status(host, `https://${host}`)]).toEqual([host, 200]);
  }
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    'localhost.evil.example',
    '203.0.113.7',
    '127.evil.example',
  ]) {
    expect([host, await status(host, `https://${host}`)]).toEqual([host, 403]);
  }
});

test('the host of the point of sale in upper case has the same list', async () => {
  const { status } = await ask('https://evil.example', { headers: { 'x-service-host': HOST.toUpperCase() } });
  expect(status).toBe(403);
});

test('a foreign origin gets no cached response either', async () => {
  its.pos.answer((_, response) => sendJson(response, 200, { success: true, data: {} }, { 'X-Internal-Keep': '1000' }));
  expect((await ask(undefined)).status).toBe(200);
  expect((await ask('https://evil.example')).body).toEqual(REFUSED);
});

test('the path, the method and the point of sale are checked first; the description needs no point of sale', async () => {
  const of = async (path: string, call: Call = {}) => {
    const { status, body } = await ask('https://evil.example', call, path);
    return [status, body.errorCode];
  };
  expect(await of('/tnwr/v1/nowhere')).toEqual([404, 'not_found']);
  expect(await of(PRODUCTS, { method: 'DELETE' })).toEqual([405, 'method_not_allowed']);
  expect(await of('/tnwr/v1/openapi.json')).toEqual([200, undefined]);
  // No list exists for these: the point-of-sale service refuses the host.
  for (const host of ['nobody.example', '']) {
    const before = its.pos.started();
    await ask('https://evil.example', { headers: { 'x-service-host': host } });
    expect([host, its.pos.started()]).toEqual([host, before + 1]);
  }
});

test('without a catalog, or while no list can be read, a foreign origin is refused before any effect', async () => {
  const services = { authorizer: its.authorizer.url, pos: its.pos.url };
  const alone = await startInstallation({ services });
  const headers = { 'x-service-host': HOST, 'content-type': 'application/json' };
  const post = (origin?: string) =>
    alone.call('/tnwr/v1/sessions', {
      method: 'POST',
      body: '{}',
      headers: { ...headers, ...(origin && { origin }) },
    });
  const before = its.pos.started();
  const reply = await post('https://evil.example');
  expect([reply.status, crossOriginHeaders(reply.headers), its.pos.started()]).toEqual([500, [], before]);
  expect(reply.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  expect((await post('https://boxoffice.example')).status).toBe(200);
  expect((await post()).status).toBe(200);
  await alone.close();
});

describe('a gateway that serves family B and cannot read the origins of points of sale', () => {
  const warnings = ({ log }: Installation) =>
    log.flatMap(({ level, message }) =>
      level === 'warn' && String(message).includes('Origin') ? [String(message)] : [],
    );

  test.each([
    ['CATALOG_URL', 'authorizer'],
    ['AUTHORIZER_URL', 'catalog'],
  ] as const)('without %s warns at its start, and names the setting', async (setting, present) => {
    const urls = { authorizer: its.authorizer.url, catalog: catalog.url };
    const services = { pos: its.pos.url, [present]: urls[present] };
    const alone = await startInstallation({ services }, { ready: false });
    expect(warnings(alone)).toEqual([expect.stringContaining(`POS_URL is set without ${setting}:`)]);
    await alone.close();
  });

  test('does not warn if it can read them, or without family B', async () => {
    expect(warnings(its)).toEqual([]);
    const alone = await startInstallation({ services: { authorizer: its.authorizer.url } }, { ready: false });
    expect(warnings(alone)).toEqual([]);
    await alone.close();
  });
});
