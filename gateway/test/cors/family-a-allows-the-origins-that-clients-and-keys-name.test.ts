import { buildSharedComponents } from '@boxoffice/http';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { waitUntil } from '../fixtures/http.ts';
import { CATALOG, startCatalogInstallation, useFixture } from '../fixtures/installation.ts';

const NAMED = 'https://calendar.city.example';
const APP = 'capacitor://localhost';
const FOREIGN = 'https://elsewhere.example';

const its = useFixture(() => startCatalogInstallation());

beforeAll(async () => {
  its.authorizer.origins.push(NAMED, 'http://127.0.0.1:*', APP);
  await waitUntil(async () => (await get(NAMED)).headers['access-control-allow-origin'] === NAMED, 50_000);
});

const get = (origin: string, path = CATALOG) => its.call(path, { headers: { origin } });

const preflight = (origin: string, path: string) =>
  its.call(path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-api-key' },
  });

const corsHeaders = (headers: object): string[] =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

describe('a preflight', () => {
  test('is 204 with the methods of the path and the headers that the interface takes', async () => {
    const { status, headers, text } = await preflight(NAMED, `${CATALOG}/products/prd_1`);
    expect([status, text]).toEqual([204, '']);
    expect(headers['access-control-allow-origin']).toBe(NAMED);
    expect(headers['access-control-allow-methods']).toBe('GET, HEAD, PATCH');
    expect(headers['access-control-allow-headers']?.toLowerCase().split(', ')).toEqual(
      expect.arrayContaining(['authorization', 'x-api-key', 'content-type', 'idempotency-key', 'if-match']),
    );
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    expect(headers.vary).toBe('Origin');
  });

  test('of the origin of an app is 204, and another app cannot read the answer', async () => {
    const { status, headers } = await preflight(APP, CATALOG);
    expect([status, headers['access-control-allow-origin']]).toEqual([204, APP]);
    expect((await get(APP)).headers['access-control-allow-origin']).toBe(APP);
    for (const other of ['ionic://localhost', 'capacitor://localhost:80', 'capacitor://elsewhere'])
      expect(corsHeaders((await get(other)).headers)).toEqual([]);
  });

  test('of an origin that nobody names is 204 without a CORS header', async () => {
    const { status, headers } = await preflight(FOREIGN, CATALOG);
    expect([status, corsHeaders(headers)]).toEqual([204, []]);
  });

  test('of a path that does not exist is 404, and any other OPTIONS 405', async () => {
    expect((await preflight(NAMED, '/svc/v3/nowhere')).status).toBe(404);
    expect((await its.call(CATALOG, { method: 'OPTIONS' })).status).toBe(405);
    expect((await its.call(CATALOG, { method: 'OPTIONS', headers: { origin: NAMED } })).status).toBe(405);
  });
});

describe('a response', () => {
  test('can be read by an origin that a client or a key names, errors included', async () => {
    const { status, headers } = await get(NAMED);
    expect(status).toBe(401);
    expect(headers['access-control-allow-origin']).toBe(NAMED);
    expect(headers.vary).toBe('Origin');
    expect((await get('http://127.0.0.1:4711')).headers['access-control-allow-origin']).toBe('http://127.0.0.1:4711');
    const token = its.authorizer.token(['catalog:read']);
    const answered = await its.as(token)(CATALOG, { headers: { origin: NAMED } });
    expect([answered.status, answered.headers['access-control-allow-origin']]).toEqual([200, NAMED]);
  });

  test('has no CORS header for any other origin', async () => {
    for (const origin of [
      FOREIGN,
      'http://calendar.city.example',
      `${NAMED}.evil.example`,
      'http://localhost:1',
      'null',
    ])
      expect([origin, corsHeaders((await get(origin)).headers)]).toEqual([origin, []]);
  });

  test('exposes every header that the interface defines', async () => {
    const exposed = String((await get(NAMED)).headers['access-control-expose-headers']).split(', ');
    expect(exposed).toEqual(expect.arrayContaining(Object.keys(buildSharedComponents().headers)));
    expect(exposed).toEqual(
      expect.arrayContaining(['Link', 'X-Total-Amount', 'X-auth-token', 'Content-Language', 'Allow']),
    );
  });

  test('joins the service’s Vary in one field', async () => {
    const token = its.authorizer.token(['catalog:read']);
    its.catalog.answer((_, response) => {
      const headers = { 'Content-Type': 'application/json', 'Content-Length': 2, Vary: 'Authorization, Origin' };
      response.writeHead(200, headers).end('{}');
    });
    const { headers } = await its.as(token)(CATALOG, { headers: { origin: NAMED } });
    expect(headers.vary?.split(', ').toSorted()).toEqual(['Authorization', 'Origin']);
  });

  test('of a document without data of an institution can be read by any origin', async () => {
    for (const path of ['/openapi.json', '/errors', '/auth/jwks']) {
      const { status, headers } = await get(FOREIGN, path);
      expect([path, status, headers['access-control-allow-origin']]).toEqual([path, 200, '*']);
    }
  });
});
