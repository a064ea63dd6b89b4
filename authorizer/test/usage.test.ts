import { randomUUID } from 'node:crypto';
import { notExercised } from '@boxoffice/service/testkit';
import type { Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createApiKeyLookup, createApiKeys } from '../src/api-keys/api-keys.ts';
import { hashSecret } from '../src/secrets.ts';
import { usageCollection } from '../src/store.ts';
import { type CountedRequests, createRecordUsage } from '../src/usage/report.ts';
import { parseUsageRange, readUsage, type UsageQuery } from '../src/usage/routes.ts';
import { engines, type Json, startInstallationForSuite } from './installation.ts';

describe.each(engines)(`reports are added once, on $name${notExercised}`, (engine) => {
  const NOW = Date.parse('2031-03-01T00:10:30Z');
  const MINUTE = 60_000;

  const row = (more: Partial<CountedRequests> = {}): CountedRequests => ({
    institution: 'opera',
    minute: '2031-03-01T00:09:00.000Z',
    apiKeyId: null,
    clientId: 'cli_1',
    userId: null,
    operation: 'getOrder',
    status: 200,
    requests: 1,
    bytes: 10,
    ...more,
  });

  let store: Store;
  let discard: () => Promise<void>;
  let institution: string;
  const gateways = { a: randomUUID(), b: randomUUID() };

  beforeAll(async () => {
    ({ store, discard } = await engine.open());
  });
  afterAll(() => discard());

  const fresh = (): string => {
    institution = `i${randomUUID()}`;
    return institution;
  };
  const reporter = (now = NOW, on = store) => {
    const record = createRecordUsage(on, () => now);
    const own = institution;
    return (gateway: string, sequence: number, rows: readonly Partial<CountedRequests>[]) =>
      record({ gateway, sequence, rows: rows.map((one) => row({ institution: own, ...one })) });
  };
  const read = (query: UsageQuery = {}, now = NOW) =>
    readUsage(store, institution, parseUsageRange(query, now), { after: undefined, limit: 500 });
  const requests = async (query: UsageQuery = {}, now = NOW) => (await read(query, now)).totals.requests;

  test('merges the reports of all gateways, in every resolution', async () => {
    fresh();
    const report = reporter();
    await report(gateways.a, 1, [{ requests: 3, bytes: 30 }, { status: 404 }]);
    await report(gateways.b, 1, [
      { requests: 4, bytes: 40 },
      { status: 503, requests: 2, bytes: 8 },
    ]);
    for (const granularity of ['minute', 'hour', 'day'] as const) {
      const { totals, items } = await read({ granularity });
      expect(totals).toEqual({ requests: 10, refused: 1, errors: 2, bytesOut: 88 });
      expect(items).toHaveLength(1);
    }
  });

  test('a key was last used when its last request was answered', async () => {
    fresh();
    const report = reporter();
    const keys = createApiKeys(store, () => NOW);
    const details = { name: 'Calendar', origins: [], ratePerMinute: 600, monthlyQuota: null, expiresAt: null };
    const { id: apiKeyId } = (await keys.create(institution, details)).apiKey;
    const lastUsedAt = async () => (await keys.get(institution, apiKeyId)).use?.lastUsedAt;
    const last = Date.parse('2031-03-01T00:09:41.318Z');
    await report(gateways.a, 1, [
      { apiKeyId, last: last - 2_000 },
      { apiKeyId, last, status: 404 },
    ]);
    expect(await lastUsedAt()).toBe('2031-03-01T00:09:41.318Z');
    await report(gateways.b, 1, [{ apiKeyId, last: last - 1_000 }]);
    expect(await lastUsedAt()).toBe('2031-03-01T00:09:41.318Z');
  });

  test('adds a repeated report once, also after later ones of the same gateway', async () => {
    fresh();
    const report = reporter();
    for (const sequence of [1, 1, 2, 1, 2, 3, 3]) await report(gateways.a, sequence, [{ requests: sequence }]);
    expect(await requests()).toBe(6);
  });

  test('adds a report once that failed halfway', async () => {
    fresh();
    let writes = 0;
    const failing: Store = {
      ...store,
      collection: (asked) => {
        const handle = store.collection(asked);
        return {
          ...handle,
          of: (tenant) => {
            const documents = handle.of(tenant);
            const counted =
              <Args extends unknown[], Result>(write: (...args: Args) => Promise<Result>) =>
              async (...args: Args): Promise<Result> => {
                writes += 1;
                if (writes === 5) throw new Error('the store is away');
                return write(...args);
              };
            return { ...documents, insert: counted(documents.insert), update: counted(documents.update) };
          },
        };
      },
    };
    const rows = [{}, { minute: '2031-02-28T23:59:00.000Z' }, { userId: 'usr_1' }, { apiKeyId: `key_${randomUUID()}` }];
    await expect(reporter(NOW, failing)(gateways.a, 1, rows)).rejects.toThrow('away');
    for (let attempt = 0; attempt < 3; attempt += 1) await reporter()(gateways.a, 1, rows);
    for (const granularity of ['minute', 'hour', 'day'] as const) expect(await requests({ granularity })).toBe(4);
  });

  test('adds concurrent reports of many gateways completely', async () => {
    fresh();
    const report = reporter();
    const many = Array.from({ length: 8 }, () => randomUUID());
    // As a gateway does: an attempt that was refused may have been carried out, and is repeated.
    const untilRecorded = async (gateway: string, sequence: number): Promise<void> => {
      await report(gateway, sequence, [{ userId: 'usr_1' }, {}]).catch(() => untilRecorded(gateway, sequence));
    };
    await Promise.all(
      many.map(async (gateway) => {
        for (const sequence of [1, 2, 2, 3]) await untilRecorded(gateway, sequence);
      }),
    );
    expect(await requests()).toBe(8 * 3 * 2);
  });

  test('keeps late reports where they are still kept', async () => {
    fresh();
    await reporter()(gateways.a, 1, [{ minute: new Date(NOW - 10 * 24 * 60 * MINUTE).toISOString() }]);
    const from = new Date(NOW - 11 * 24 * 60 * MINUTE).toISOString();
    expect(await requests({ granularity: 'minute', from })).toBe(0);
    expect(await requests({ granularity: 'hour', from })).toBe(1);
    expect(await requests({ granularity: 'day', from })).toBe(1);
    const kept = await store.collection(usageCollection).of(institution).find({});
    const days = Object.fromEntries(
      kept.map((one) => [one.resolution, (one.expiresAt - Date.parse(one.start)) / 86_400_000]),
    );
    expect([Math.floor(days.hour ?? 0), Math.floor(days.day ?? 0)]).toEqual([92, 1_099]);
  });

  test('counts users per hour and per day, not per minute', async () => {
    fresh();
    const rows = Array.from({ length: 40 }, (_, user) => ({ userId: `usr_${user}` }));
    await reporter()(gateways.a, 1, [...rows, {}]);
    const byUser = await read({ groupBy: 'user' });
    expect(byUser.items).toHaveLength(41);
    expect(byUser.items.find(({ userId }) => userId === null)?.requests).toBe(1);
    expect((await read({ granularity: 'minute' })).totals.requests).toBe(41);
    expect((await read({ granularity: 'minute', groupBy: 'client' })).items).toHaveLength(1);
  });

  test('groups by any dimensions, and its pages have every group once', async () => {
    fresh();
    const rows = Array.from({ length: 30 }, (_, index) => ({
      minute: new Date(NOW - (index % 3) * 60 * MINUTE - MINUTE).toISOString(),
      operation: `operation${index % 5}`,
      status: [200, 404][index % 2],
      requests: index + 1,
    }));
    await reporter()(gateways.a, 1, rows);
    const range = parseUsageRange({ groupBy: 'status,operation' }, NOW);
    const whole = await readUsage(store, institution, range, { after: undefined, limit: 500 });
    expect(whole.items).toHaveLength(30);
    expect(Object.keys(whole.items[0] ?? {}).slice(0, 3)).toEqual(['start', 'operation', 'status']);
    const paged = [];
    let after: { value: string | number | boolean | null; id: string } | undefined;
    do {
      const page = await readUsage(store, institution, range, { after, limit: 7 });
      expect(page.totals).toEqual(whole.totals);
      paged.push(...page.items);
      after = page.last;
    } while (after);
    expect(paged).toEqual(whole.items);
    expect(paged.reduce((sum, { requests }) => sum + requests, 0)).toBe(whole.totals.requests);
  });

  test('counts against the quota of a key what it admitted alone, and anew each month', async () => {
    fresh();
    const keys = createApiKeys(store, () => NOW);
    const details = { name: 'k', origins: [], ratePerMinute: 600, monthlyQuota: 10, expiresAt: null };
    const { apiKey, key } = await keys.create(institution, details);
    const apiKeyId = apiKey.id;
    const lookup = (now: number) => createApiKeyLookup(store, () => now).verify(hashSecret(key), gateways.a);
    expect(await lookup(NOW)).toMatchObject({ used: 0, reportedUpTo: 0, month: '2031-03' });
    const report = reporter();
    const march = { apiKeyId, clientId: null };
    await report(gateways.a, 1, [{ ...march, minute: '2031-02-28T23:59:00.000Z', requests: 100 }]);
    expect(await lookup(NOW)).toMatchObject({ used: 0, reportedUpTo: 1 });
    await report(gateways.a, 2, [
      { ...march, requests: 5 },
      { ...march, status: 429, requests: 50 },
      { ...march, status: 401, admitted: false, requests: 20 },
      { ...march, status: 403, admitted: false, requests: 20 },
    ]);
    const missing = [{ ...march, status: 404, admitted: true, requests: 2 }];
    await report(gateways.b, 1, missing);
    await report(gateways.b, 1, missing);
    expect(await lookup(NOW)).toMatchObject({ used: 7, reportedUpTo: 2 });
    // A report of the month before that comes late does not count in this month.
    await report(gateways.b, 2, [{ ...march, minute: '2031-02-28T23:59:00.000Z', requests: 100 }]);
    expect(await lookup(NOW)).toMatchObject({ used: 7 });
    expect(await lookup(NOW + 31 * 24 * 60 * MINUTE)).toMatchObject({ used: 0, month: '2031-04' });
    const { use } = await keys.get(institution, apiKeyId);
    expect(use?.lastUsedAt).toBe('2031-03-01T00:09:00.000Z');
  });
});

describe('GET /svc/v3/usage', () => {
  const its = startInstallationForSuite();
  let token: string;

  beforeAll(async () => {
    token = await its.tokenOf(await its.newClient(['clients:read']));
  });

  const usage = (query = '', as = token) => its.send(as, 'getUsage', {}, { query });

  interface Usage {
    readonly items: readonly Json[];
    readonly nextCursor: string | null;
    readonly totals: Json;
  }

  const data = async (query: string, as = token) => (await usage(query, as)).body.data as Usage;

  /** The present one. */
  const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000);

  const rows = (institution: string) =>
    Array.from({ length: 5 }, (_, index) => ({
      institution,
      minute: minute.toISOString(),
      apiKeyId: null,
      clientId: 'cli_1',
      userId: null,
      operation: `operation${index}`,
      status: 200,
      requests: 2,
      bytes: 5,
    }));

  const report = (institution: string, sequence: number) =>
    its.internal('/internal/usage', { gateway: `gateway of ${institution}`, sequence, rows: rows(institution) });

  test('answers the last 24 hours of the caller’s institution, per hour', async () => {
    expect((await report('opera', 1)).status).toBe(200);
    expect((await report('museum', 1)).status).toBe(200);
    const { items, nextCursor, totals } = await data('');
    expect(totals).toEqual({ requests: 10, refused: 0, errors: 0, bytesOut: 25 });
    expect([items.length, nextCursor]).toEqual([1, null]);
    expect(Object.keys(items[0] ?? {})).toEqual(['start', 'requests', 'refused', 'errors', 'bytesOut']);
    expect(String(items[0]?.start)).toMatch(/:00:00\.000Z$/);
  });

  test('goes on where a cursor says, with the totals of the whole range', async () => {
    const stranger = await its.tokenOf(await its.newClient(['clients:read'], 'museum'));
    const seen = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Usage = await data(`?groupBy=operation&limit=2${cursor && `&cursor=${cursor}`}`, stranger);
      expect(page.totals.requests).toBe(10);
      seen.push(...page.items.map(({ operation }) => operation));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(['operation0', 'operation1', 'operation2', 'operation3', 'operation4']);
    const { nextCursor } = await data('?groupBy=operation&limit=2', stranger);
    const other = await usage(`?groupBy=status&cursor=${nextCursor}`, stranger);
    expect([other.status, other.body.status]).toEqual([400, 'invalid_parameter']);
    expect((await usage(`?groupBy=operation&cursor=${nextCursor}`)).status).toBe(400);
  });

  test('refuses what it cannot answer, and names the parameter', async () => {
    const wrong: [string, string][] = [
      ['?granularity=week', 'granularity'],
      ['?groupBy=colour', 'groupBy'],
      ['?groupBy=', 'groupBy'],
      ['?granularity=minute&groupBy=client,user', 'groupBy'],
      ['?from=2031-01-02T00:00:00Z&to=2031-01-01T00:00:00Z', 'from'],
      ['?from=2031-01-01T00:00:00Z&to=2031-04-04T00:00:00Z', 'from'],
      ['?from=yesterday', 'from'],
      ['?institution=museum', 'institution'],
    ];
    for (const [query, name] of wrong) {
      const { status, body } = await usage(query);
      expect([query, status, body.status]).toEqual([query, 400, 'invalid_parameter']);
      expect(body.details).toContain(name);
    }
    expect((await usage('?from=2031-01-01T00:00:00Z&to=2031-04-03T00:00:00Z&granularity=day')).status).toBe(200);
  });

  test('widens from and to to whole intervals', async () => {
    const to = new Date(minute.getTime() + 1).toISOString();
    const { totals } = await data(`?from=${minute.toISOString()}&to=${to}&granularity=day`);
    expect(totals.requests).toBe(10);
  });

  test('needs clients:read', async () => {
    const weak = await its.tokenOf(await its.newClient(['catalog:read']));
    expect((await usage('', weak)).status).toBe(403);
  });
});
