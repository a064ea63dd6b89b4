import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { documentOf } from '../fixtures/describe.ts';
import type { Call } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';
import { echo, json, startUpstream, type Upstream } from '../fixtures/upstream.ts';

const PRODUCTS = '/tnwr/v1/products';
const SHOP = 'https://shop.example';
const HOST = 'closed.example';

let catalog: Upstream;
/** The services of the gateway under test, beside the catalog. */
let behind: Installation;
let its: Installation;
beforeAll(async () => {
  const document = documentOf([['GET /svc/v3/catalog', 'catalog:read', 'getCatalog']]);
  catalog = await startUpstream(document, ({ url }, response) => {
    const isListed = url === `/internal/points-of-sale/${HOST}`;
    if (!isListed) json(response, 404, { status: 'not_found', details: 'x', data: null });
    else json(response, 200, { status: 'success', details: null, data: { serviceHost: HOST, corsOrigins: [SHOP] } });
  });
  behind = await startInstallation();
  const { authorizer: authority, contacts, pos } = behind;
  const services = { authorizer: authority.url, contacts: contacts.url, pos: pos.url, catalog: catalog.url };
  its = await startInstallation({ services });
});
afterEach(() => behind.pos.answer(echo));
afterAll(async () => {
  await its.close();
  await behind.close();
  await catalog.close();
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
])('%s %s', (method, path) => {
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
    const before = behind.pos.started();
    const reply = await ask(origin, { method, body }, path);
    expect([reply.status, crossOriginHeaders(reply.headers), behind.pos.started()]).toEqual([403, [], before]);
    if (method !== 'HEAD') expect(reply.body).toEqual(REFUSED);
    expect(reply.headers.vary).toContain('Origin');
  });

  test('of a listed origin, of the gateway’s own and of none is served', async () => {
    const reached = its.gateway.httpsUrl.replace('127.0.0.1', 'localhost');
    for (const origin of [SHOP, 'https://boxoffice.example', its.gateway.httpsUrl, undefined]) {
      expect([origin, (await ask(origin, { method, body }, path)).status]).toEqual([origin, 200]);
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
  behind.pos.answer((_, response) => json(response, 200, { success: true, data: {} }, { 'X-Internal-Keep': '1000' }));
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
    const before = behind.pos.started();
    await ask('https://evil.example', { headers: { 'x-service-host': host } });
    expect([host, behind.pos.started()]).toEqual([host, before + 1]);
  }
});

test('without a catalog, or while no list can be read, a foreign origin is refused before any effect', async () => {
  const headers = { 'x-service-host': HOST, 'content-type': 'application/json' };
  const from = (origin?: string) =>
    behind.call('/tnwr/v1/sessions', {
      method: 'POST',
      body: '{}',
      headers: { ...headers, ...(origin && { origin }) },
    });
  const before = behind.pos.started();
  const reply = await from('https://evil.example');
  expect([reply.status, crossOriginHeaders(reply.headers), behind.pos.started()]).toEqual([500, [], before]);
  expect(reply.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  expect((await from('https://boxoffice.example')).status).toBe(200);
  expect((await from()).status).toBe(200);
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
    const urls = { authorizer: behind.authorizer.url, catalog: catalog.url };
    const services = { pos: behind.pos.url, [present]: urls[present] };
    const alone = await startInstallation({ services }, { ready: false });
    expect(warnings(alone)).toEqual([expect.stringContaining(`POS_URL is set without ${setting}:`)]);
    await alone.close();
  });

  test('does not warn if it can read them, or without family B', async () => {
    expect(warnings(its)).toEqual([]);
    const alone = await startInstallation({ services: { authorizer: behind.authorizer.url } }, { ready: false });
    expect(warnings(alone)).toEqual([]);
    await alone.close();
  });
});
