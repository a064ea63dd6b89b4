// rule 4: Rule 9: cross-origin access for all domains unless restricted by configuration | gateway/src/cors/cors.ts
// rule 4: Rule 9: the methods are GET, POST, PUT, PATCH, DELETE, HEAD | gateway/src/cors/cors.ts

import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { EXPOSED_HEADERS } from '../../src/cors/institution-cors.ts';
import { documentOf } from '../fixtures/describe.ts';
import { until } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';
import { claimsOf } from '../fixtures/jws.ts';
import { echo, json, startUpstream, type Upstream } from '../fixtures/upstream.ts';

const PRODUCTS = '/tnwr/v1/products';
const SHOP = 'https://shop.example';

let catalog: Upstream;
/** The services of the gateway under test, beside the catalog. */
let first: Installation;
let its: Installation;
/** Origins by service host; an unknown host is 404. */
const lists = new Map<string, string[]>();
let catalogFails = false;

beforeAll(async () => {
  catalog = await startUpstream(
    documentOf([['GET /svc/v3/catalog', 'catalog:read', 'getCatalog']]),
    ({ url }, response) => {
      const host = decodeURIComponent(url.replace('/internal/points-of-sale/', ''));
      const corsOrigins = lists.get(host);
      if (catalogFails) json(response, 503, { status: 'service_unavailable', details: 'x', data: null });
      else if (!corsOrigins) json(response, 404, { status: 'not_found', details: 'x', data: null });
      else json(response, 200, { status: 'success', details: null, data: { serviceHost: host, corsOrigins } });
    },
  );
  first = await startInstallation();
  const services = {
    authorizer: first.authorizer.url,
    contacts: first.contacts.url,
    pos: first.pos.url,
    catalog: catalog.url,
  };
  its = await startInstallation({ services });
});
afterEach(() => {
  catalogFails = false;
});
afterAll(async () => {
  await its.close();
  await first.close();
  await catalog.close();
});

const from = (origin: string | undefined, host?: string, path = PRODUCTS) =>
  its.call(path, { headers: { ...(origin ? { origin } : {}), ...(host ? { 'x-service-host': host } : {}) } });

const allowed = async (origin: string, host?: string) =>
  (await from(origin, host)).headers['access-control-allow-origin'];

describe('a preflight', () => {
  test('is 204 for any origin, without a point of sale, on any path of the family', async () => {
    for (const path of [PRODUCTS, '/tnwr/v1/nowhere', '/tnwr/vexp/products']) {
      const before = first.pos.received.length;
      const reply = await its.call(path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://anybody.example',
          'access-control-request-method': 'PATCH',
          'access-control-request-headers': 'x-service-host, x-auth-token, content-type',
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
      expect(reply.headers['access-control-allow-headers']).toBe('x-service-host, x-auth-token, content-type');
      expect(reply.headers['access-control-allow-credentials']).toBeUndefined();
      expect(reply.headers['x-request-id']).toBeDefined();
      expect(first.pos.received.length).toBe(before);
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

  test('allows the listed origins and no others; every answer varies by Origin', async () => {
    lists.set('closed', [SHOP, 'https://two.example']);
    const [listed, other, none] = [
      await from(SHOP, 'closed'),
      await from('https://evil.example', 'closed'),
      await from(undefined, 'closed'),
    ];
    expect([listed, other, none].map(({ status }) => status)).toEqual([200, 403, 200]);
    expect([listed, other, none].map(({ headers }) => headers['access-control-allow-origin'])).toEqual([
      SHOP,
      undefined,
      undefined,
    ]);
    for (const { headers } of [listed, other, none]) expect(headers.vary).toContain('Origin');
  });

  test('preserves the service’s Vary', async () => {
    first.pos.answer((_, response) =>
      json(response, 200, { success: true, data: {} }, { Vary: 'Accept-Language, X-Service-Host' }),
    );
    expect((await from(SHOP, 'open')).headers.vary).toBe('Accept-Language, X-Service-Host, Origin');
    first.pos.answer(echo);
  });

  test('that is an error is readable, too', async () => {
    for (const path of ['/tnwr/v1/nowhere', '/tnwr/v1/sessions']) {
      const reply = await from(SHOP, 'open', path);
      expect([reply.body.success, reply.headers['access-control-allow-origin']]).toEqual([false, '*']);
    }
  });

  test('in family A has no cross-origin headers', async () => {
    const reply = await from(SHOP, 'open', '/svc/v3/contacts/individuals');
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('the list', () => {
  test('is read from the catalog with an identity for that operation, and not for every request', async () => {
    lists.set('cached', [SHOP]);
    await Promise.all(Array.from({ length: 10 }, () => allowed(SHOP, 'cached')));
    const questions = catalog.received.filter(({ url }) => url.endsWith('/cached'));
    expect(questions).toHaveLength(1);
    expect(claimsOf(questions[0]?.headers['x-internal-identity'])).toMatchObject({
      aud: 'catalog',
      operation: 'findPointOfSale',
      service: 'gateway',
    });
  });

  test('takes effect within three seconds of a change', async () => {
    lists.set('changing', []);
    expect(await allowed(SHOP, 'changing')).toBe('*');
    lists.set('changing', ['https://two.example']);
    await until(async () => (await allowed(SHOP, 'changing')) === undefined, 10 * 3_000);
  });

  test('stays unchanged while the catalog does not answer; without a known list no foreign origin is allowed', async () => {
    lists.set('known', [SHOP]);
    expect(await allowed(SHOP, 'known')).toBe(SHOP);
    catalogFails = true;
    const lookups = () => catalog.received.filter(({ url }) => url.endsWith('/known')).length;
    const before = lookups();
    await until(async () => {
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
});
