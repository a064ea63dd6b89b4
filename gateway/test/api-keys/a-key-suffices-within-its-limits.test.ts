import { describe, expect, test } from '@jest/globals';
import { createSlidingLimiter } from '../../src/limits/limiters.ts';
import { waitUntil } from '../fixtures/http.ts';
import { CATALOG, startCatalogInstallation, TARIFFS, useFixture } from '../fixtures/installation.ts';
import { decodeClaims } from '../fixtures/jws.ts';

const its = useFixture(() => startCatalogInstallation());

test.concurrent('a key ends within five seconds after it was deleted', async () => {
  const apiKey = its.authorizer.apiKey();
  expect((await its.withKey(apiKey.key)).status).toBe(200);
  apiKey.isDeleted = true;
  await waitUntil(async () => (await its.withKey(apiKey.key)).status === 401);
});

test.concurrent('a monthly quota counts what other gateways have reported, and no refused request', async () => {
  const apiKey = its.authorizer.apiKey({ monthlyQuota: 1_000_000 });
  expect((await its.withKey(apiKey.key)).status).toBe(200);
  apiKey.used = 1_000_000;
  await waitUntil(async () => (await its.withKey(apiKey.key)).status === 429);
  apiKey.used = 0;
  await waitUntil(async () => (await its.withKey(apiKey.key)).status === 200);
});

describe('a key suffices for public operations', () => {
  const identityOfLast = () =>
    decodeClaims<{ institution: string; operation: string; client?: string; public?: boolean; scope: string }>(
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

  test('an API key beside a token changes nothing: the token counts', async () => {
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

  test('the description lists the API key as an alternative', async () => {
    const { body } = await its.call('/openapi.json');
    expect(body.paths?.[CATALOG]?.get?.security).toEqual([{ oauth2: ['catalog:read'] }, { apiKey: [] }]);
  });
});

describe('a key has its own limits', () => {
  describe('ratePerMinute', () => {
    test('is 429 with RateLimit headers of the key, and other keys go on', async () => {
      const [one, other] = [its.authorizer.apiKey({ ratePerMinute: 3 }), its.authorizer.apiKey({ ratePerMinute: 3 })];
      const replies = [];
      for (let request = 0; request < 5; request += 1) replies.push(await its.withKey(one.key));
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
      const [first, , , refused] = replies;
      expect(first?.headers['ratelimit-policy']).toBe('"api_key";q=3;w=60');
      expect(first?.headers.ratelimit).toMatch(/^"api_key";r=2;t=\d+$/);
      expect(refused?.body.status).toBe('too_many_requests');
      expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
      expect((await its.withKey(other.key)).status).toBe(200);
    });

    test('holds in every minute, wherever it begins', () => {
      const limiter = createSlidingLimiter('api_key', () => undefined);
      const admitted: number[] = [];
      // Seven requests every 700 ms, for five minutes.
      for (let at = 1_000_000; at < 1_300_000; at += 100) {
        if (limiter.take('key', 10, at).allowed) admitted.push(at);
      }
      for (const from of admitted) {
        expect(admitted.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(10);
      }
      expect(admitted.length).toBeGreaterThanOrEqual(40);
    });

    test('is free again after the announced time', () => {
      const limiter = createSlidingLimiter('api_key', () => undefined);
      const start = 1_000_500;
      for (let request = 0; request < 5; request += 1) limiter.take('key', 5, start + request * 7_000);
      const refused = limiter.take('key', 5, start + 30_000);
      expect(refused.allowed).toBe(false);
      expect(limiter.take('key', 5, start + 30_000 + refused.resetSeconds * 1_000).allowed).toBe(true);
    });
  });

  describe('the announced time', () => {
    test.each([0, 1, 250, 499, 500, 999])('is at most a minute, and enough, %i ms into a second', (offset) => {
      const limiter = createSlidingLimiter('api_key', () => undefined);
      const start = 1_000_000 + offset;
      const [first, second] = [limiter.take('key', 2, start), limiter.take('key', 2, start)];
      expect([first, second].map(({ allowed, resetSeconds }) => [allowed, resetSeconds])).toEqual([
        [true, 60],
        [true, 60],
      ]);
      expect(limiter.take('key', 2, start + 59_999)).toMatchObject({ allowed: false, resetSeconds: 1 });
      expect(limiter.take('key', 2, start + 60_000).allowed).toBe(true);
    });

    test('is right after hours without a request, and after the clock was set back', () => {
      const limiter = createSlidingLimiter('api_key', () => undefined);
      expect(limiter.take('key', 1, 1_000_000).allowed).toBe(true);
      expect(limiter.take('key', 1, 50_000_000).allowed).toBe(true);
      expect(limiter.take('key', 1, 49_990_000)).toMatchObject({ allowed: false, resetSeconds: 60 });
      // By more than a minute: it begins anew, and blocks nobody until the clock is where it was.
      expect(limiter.take('key', 1, 40_000_000).allowed).toBe(true);
      expect(limiter.take('key', 1, 40_059_999).allowed).toBe(false);
      expect(limiter.take('key', 1, 40_060_000).allowed).toBe(true);
    });
  });

  describe('monthlyQuota', () => {
    test('is 429 api_key_quota_exceeded until the month ends, also before anything is reported', async () => {
      const apiKey = its.authorizer.apiKey({ monthlyQuota: 4, used: 1 });
      const replies = [];
      for (let request = 0; request < 5; request += 1) replies.push(await its.withKey(apiKey.key));
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
      const refused = replies.at(-1);
      expect(refused?.body.status).toBe('api_key_quota_exceeded');
      const now = new Date();
      const left = (Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime()) / 1_000;
      expect(Math.abs(Number(refused?.headers['retry-after']) - left)).toBeLessThan(60);
      expect(refused?.headers.ratelimit).toMatch(/^"api_key_month";r=0;t=\d+$/);
    });

    test('counts only what the key admitted: not a missing token, an unknown path, a foreign origin or the rate', async () => {
      const quota = { monthlyQuota: 3, origins: ['https://calendar.example'] };
      const apiKey = its.authorizer.apiKey(quota);
      const hasty = its.authorizer.apiKey({ monthlyQuota: 3, ratePerMinute: 1 });
      for (let request = 0; request < 5; request += 1) {
        expect((await its.withKey(apiKey.key, '/svc/v3/contacts/individuals')).status).toBe(401);
        expect((await its.withKey(apiKey.key, '/svc/v3/catalog/no-such-path')).status).toBe(404);
        expect((await its.withKey(apiKey.key, CATALOG, { headers: { origin: 'https://other.example' } })).status).toBe(
          403,
        );
        await its.withKey(hasty.key);
      }
      const statuses = [];
      for (let request = 0; request < 4; request += 1) statuses.push((await its.withKey(apiKey.key)).status);
      expect(statuses).toEqual([200, 200, 200, 429]);
      expect((await its.withKey(hasty.key)).body.status).toBe('too_many_requests');
    });

    test('counts requests in flight', async () => {
      const apiKey = its.authorizer.apiKey({ monthlyQuota: 2 });
      const replies = await Promise.all(Array.from({ length: 10 }, () => its.withKey(apiKey.key, CATALOG)));
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(2);
    });
  });
});
