import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../fixtures/http.ts';
import { claimsOf } from '../fixtures/jws.ts';
import { CATALOG, type CatalogInstallation, startCatalogInstallation, TARIFFS } from './catalog-fixture.ts';

let its: CatalogInstallation;

beforeAll(async () => {
  its = await startCatalogInstallation();
});
afterAll(() => its.close());

const identityOfLast = () =>
  claimsOf<{ institution: string; operation: string; client?: string; public?: boolean; scope: string }>(
    its.catalog.received.at(-1)?.headers['x-internal-identity'],
  );

const UNKNOWN = `bok_${'A'.repeat(43)}`;

describe('an API key without a token', () => {
  test('identifies its institution, and nobody else, to the service of a public operation', async () => {
    const { key } = its.authorizer.apiKey({ institution: 'museum' });
    expect((await its.withKey(key)).status).toBe(200);
    const { institution, operation, client, public: isPublic, scope } = identityOfLast();
    expect({ institution, operation, client, isPublic, scope }).toEqual({
      institution: 'museum',
      operation: 'getCatalog',
      client: undefined,
      isPublic: true,
      scope: '',
    });
    expect(its.catalog.received.at(-1)?.headers['x-api-key']).toBeUndefined();
  });

  test('answers every other operation as without a key', async () => {
    const { key } = its.authorizer.apiKey();
    const without = await its.call(TARIFFS);
    for (const given of [key, UNKNOWN, 'nonsense']) {
      const reply = await its.withKey(given, TARIFFS);
      expect([reply.status, reply.body, reply.headers['www-authenticate']]).toEqual([401, without.body, 'Bearer']);
    }
    const change = await its.withKey(key, `${CATALOG}/products/prd_1`, { method: 'PATCH', body: '{}' });
    expect(change.status).toBe(401);
  });

  test('that is unknown, malformed, expired or deleted is 401', async () => {
    const expired = its.authorizer.apiKey({ expiresAt: new Date(Date.now() - 1).toISOString() });
    const deleted = its.authorizer.apiKey({ isDeleted: true });
    for (const key of [UNKNOWN, 'nonsense', '', `${UNKNOWN}A`, expired.key, deleted.key]) {
      const { status, body } = await its.withKey(key);
      expect([key, status, body.status]).toEqual([key, 401, 'unauthorized']);
    }
    expect((await its.call(CATALOG)).status).toBe(401);
  });

  test('ends within five seconds after it was deleted', async () => {
    const apiKey = its.authorizer.apiKey();
    expect((await its.withKey(apiKey.key)).status).toBe(200);
    apiKey.isDeleted = true;
    await until(async () => (await its.withKey(apiKey.key)).status === 401, 50_000);
  });

  test('is looked up once for many requests', async () => {
    const { key } = its.authorizer.apiKey();
    const before = its.authorizer.keyLookups.length;
    await Promise.all(Array.from({ length: 20 }, () => its.withKey(key)));
    expect(its.authorizer.keyLookups.length - before).toBeLessThan(5);
  });

  test('with origins is 403 to a page of another origin, and passes without Origin', async () => {
    const { key } = its.authorizer.apiKey({ origins: ['https://calendar.city.example'] });
    const from = (origin: string) => its.withKey(key, CATALOG, { headers: { origin } });
    expect((await from('https://calendar.city.example')).status).toBe(200);
    expect((await its.withKey(key)).status).toBe(200);
    const { status, body } = await from('https://elsewhere.example');
    expect([status, body.status]).toEqual([403, 'forbidden']);
  });
});

describe('an API key beside a token', () => {
  test('changes nothing: the token counts', async () => {
    const token = its.authorizer.token(['catalog:read']);
    const { key } = its.authorizer.apiKey({ ratePerMinute: 1, origins: ['https://other.example'] });
    for (let time = 0; time < 3; time += 1) {
      const reply = await its.as(token)(TARIFFS, { headers: { 'x-api-key': key, origin: 'https://a.example' } });
      expect(reply.status).toBe(200);
    }
    expect(identityOfLast().client).toBe(its.authorizer.client(token).id);
    expect((await its.as('nonsense')(CATALOG, { headers: { 'x-api-key': key } })).status).toBe(401);
    expect((await its.as(token)(TARIFFS, { headers: { 'x-api-key': 'nonsense' } })).status).toBe(200);
  });
});

describe('the description', () => {
  test('lists the API key as an alternative', async () => {
    const { body } = await its.call('/openapi.json');
    expect(body.paths?.[CATALOG]?.get?.security).toEqual([{ oauth2: ['catalog:read'] }, { apiKey: [] }]);
  });
});
