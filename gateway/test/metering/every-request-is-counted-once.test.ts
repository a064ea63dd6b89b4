import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { createMeter } from '../../src/telemetry/meter.ts';
import { type CountedRequests, createSpool, noSpool, type Report } from '../../src/telemetry/spool.ts';
import { waitUntil } from '../fixtures/http.ts';
import { CATALOG, startCatalogInstallation, TARIFFS, useFixture } from '../fixtures/installation.ts';

const sum = (rows: readonly CountedRequests[]) => rows.reduce((total, { requests }) => total + requests, 0);

/** The requests of each operation and status, which may be in several reports. */
const counted = (rows: readonly CountedRequests[]) =>
  Object.entries(Object.groupBy(rows, ({ operation, status }) => `${operation} ${status}`))
    .map(([what, equal = []]) => `${what} ${sum(equal)}`)
    .toSorted();

describe('a gateway', () => {
  const its = useFixture(() => startCatalogInstallation());
  let token: string;

  beforeAll(() => {
    token = its.authorizer.token(['catalog:read']);
  });

  const rowsOf = (member: 'apiKeyId' | 'clientId', id: string) =>
    its.authorizer.usage.filter((row) => row[member] === id);

  test('counts requests with a verified token or a valid key, refused ones included', async () => {
    const apiKey = its.authorizer.apiKey({ ratePerMinute: 2 });
    const client = its.authorizer.client(token).id;
    const answer = await its.as(token)(TARIFFS);
    await its.as(token)(TARIFFS, { method: 'HEAD' });
    await its.as(token)(`${CATALOG}/products/prd_1`, { method: 'PATCH', body: '{}' });
    for (let request = 0; request < 3; request += 1) await its.withKey(apiKey.key);
    await its.withKey(apiKey.key, TARIFFS);
    await its.withKey(apiKey.key, '/errors');
    await its.call(CATALOG);
    await its.as('nonsense')(CATALOG);
    await waitUntil(() => sum(rowsOf('apiKeyId', apiKey.apiKeyId)) === 5 && sum(rowsOf('clientId', client)) === 3);
    expect(counted(rowsOf('clientId', client))).toEqual(['changeProduct 403 1', 'listTariffs 200 2']);
    expect(counted(rowsOf('apiKeyId', apiKey.apiKeyId))).toEqual([
      'getCatalog 200 2',
      'getCatalog 429 1',
      'listErrors 200 1',
      'listTariffs 401 1',
    ]);
    const listed = rowsOf('clientId', client).filter(({ operation }) => operation === 'listTariffs');
    expect(listed.reduce((bytes, row) => bytes + row.bytes, 0)).toBe(Buffer.byteLength(answer.text));
    expect(its.authorizer.usage.every(({ institution }) => institution === 'opera')).toBe(true);
  });

  test('counts requests of paths and methods that do not exist, by token or key', async () => {
    const own = its.authorizer.token(['catalog:read'], { exp: Math.floor(Date.now() / 1000) + 600 });
    const client = its.authorizer.client(own).id;
    const { key, apiKeyId } = its.authorizer.apiKey();
    const headers = { 'x-api-key': key };
    expect((await its.as(own)('/svc/v3/nothing')).status).toBe(404);
    expect((await its.as(own)(`${CATALOG}//products`)).status).toBe(404);
    expect((await its.as(own)(CATALOG, { method: 'DELETE', headers })).status).toBe(405);
    expect((await its.call('/svc/v3/nothing', { headers })).status).toBe(404);
    expect((await its.as('nonsense')('/svc/v3/nothing')).status).toBe(404);
    await waitUntil(() => sum(rowsOf('clientId', client)) === 3 && sum(rowsOf('apiKeyId', apiKeyId)) === 2);
    expect(counted(rowsOf('clientId', client))).toEqual(['none 404 2', 'none 405 1']);
    expect(counted(rowsOf('apiKeyId', apiKeyId))).toEqual(['none 404 1', 'none 405 1']);
  });

  test('counts requests of open documents, and ones that are refused before their path is read, by token or key', async () => {
    const own = its.authorizer.token(['catalog:read'], { exp: Math.floor(Date.now() / 1000) + 1_200 });
    const client = its.authorizer.client(own).id;
    const { key, apiKeyId } = its.authorizer.apiKey();
    const twice = { 'idempotency-key': ['one', 'two'] };
    const credentials: Record<string, string>[] = [{ 'x-api-key': key }, { authorization: `Bearer ${own}` }];
    for (const headers of credentials) {
      expect((await its.call('/errors', { headers })).status).toBe(200);
      expect((await its.call(TARIFFS, { headers: { ...headers, ...twice } })).status).toBe(400);
    }
    expect((await its.as('nonsense')('/errors')).status).toBe(200);
    await waitUntil(() => sum(rowsOf('clientId', client)) === 2 && sum(rowsOf('apiKeyId', apiKeyId)) === 2);
    for (const rows of [rowsOf('clientId', client), rowsOf('apiKeyId', apiKeyId)])
      expect(counted(rows)).toEqual(['listErrors 200 1', 'none 400 1']);
  });

  test('counts a key beside a token only if it is of the token’s institution', async () => {
    const [own, foreign] = [its.authorizer.apiKey(), its.authorizer.apiKey({ institution: 'museum' })];
    for (const { key } of [own, foreign]) await its.as(token)(TARIFFS, { headers: { 'x-api-key': key } });
    await waitUntil(() => sum(rowsOf('apiKeyId', own.apiKeyId)) === 1);
    expect(rowsOf('apiKeyId', own.apiKeyId)[0]?.clientId).toBe(its.authorizer.client(token).id);
    expect(rowsOf('apiKeyId', foreign.apiKeyId)).toEqual([]);
  });

  test('counts a valid key beside a token that is refused', async () => {
    const { key, apiKeyId } = its.authorizer.apiKey();
    for (const authorization of ['Bearer nonsense', 'Basic bm9ib2R5Om5vdGhpbmc='])
      expect((await its.call(CATALOG, { headers: { authorization, 'x-api-key': key } })).status).toBe(401);
    await waitUntil(() => sum(rowsOf('apiKeyId', apiKeyId)) === 2);
    expect(counted(rowsOf('apiKeyId', apiKeyId))).toEqual(['getCatalog 401 2']);
    expect(rowsOf('apiKeyId', apiKeyId).every(({ clientId }) => clientId === null)).toBe(true);
  });

  test('counts a user beside the client', async () => {
    const claims = { sub: 'usr_1', role: 'admin', auth_time: 1 };
    const signedIn = its.authorizer.token(['catalog:read'], claims);
    expect((await its.as(signedIn)(TARIFFS)).status).toBe(200);
    const client = its.authorizer.client(signedIn).id;
    await waitUntil(() => rowsOf('clientId', client).length === 1);
    expect(rowsOf('clientId', client)[0]?.userId).toBe('usr_1');
  });
});

describe('a meter', () => {
  const request = {
    ...{ institution: 'opera', apiKeyId: 'key_1', clientId: null, userId: null, operation: 'getCatalog' },
    ...{ status: 200, admitted: false, bytes: 7 },
  };

  /** A meter with its clock, what it has sent, and what of that was accepted: nothing while the authorizer is away. */
  const open = (spool = noSpool) => {
    const its = {
      now: Date.parse('2031-01-01T00:00:00Z'),
      isAway: false,
      sent: [] as string[],
      accepted: [] as Report[],
    };
    const meter = createMeter({
      send: async (report) => {
        its.sent.push(JSON.stringify(report));
        if (its.isAway) throw new Error('the authorizer is away');
        its.accepted.push(report);
      },
      spool,
      logger: { info: () => undefined, warn: () => undefined },
      now: () => its.now,
    });
    return { its, meter };
  };

  test('repeats a report unchanged until it is acknowledged, and adds nothing to it', async () => {
    const { its, meter } = open();
    its.isAway = true;
    for (const _ of [1, 2]) {
      meter.record(request);
      expect(await meter.flush()).toBe(false);
    }
    its.isAway = false;
    expect(await meter.flush()).toBe(true);
    expect(its.sent.slice(1, 3)).toEqual([its.sent[0], its.sent[0]]);
    expect(its.accepted.map(({ sequence, rows }) => [sequence, rows[0]?.requests])).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });

  test('reports when the last of equal requests was answered', async () => {
    const { its, meter } = open();
    for (const ms of [1_000, 40_318]) {
      its.now += ms;
      meter.record(request);
    }
    await meter.flush();
    expect(its.accepted[0]?.rows).toMatchObject([{ requests: 2, last: its.now }]);
  });

  test('holds as many rows as there are different requests a minute, however long the store is away', async () => {
    const { its, meter } = open();
    its.isAway = true;
    for (let minute = 0; minute < 60; minute += 1) {
      for (let each = 0; each < 1_000; each += 1) meter.record(request);
      await meter.flush();
      its.now += 60_000;
    }
    its.isAway = false;
    await meter.flush();
    const rows = its.accepted.flatMap((report) => report.rows);
    expect([rows.length, sum(rows)]).toEqual([60, 60_000]);
    expect(rows.reduce((total, { bytes }) => total + bytes, 0)).toBe(420_000);
  });

  test('splits many rows into reports of bounded size', async () => {
    const { its, meter } = open();
    for (let key = 0; key < 5_000; key += 1) meter.record({ ...request, apiKeyId: `key_${key}` });
    expect(await meter.flush()).toBe(true);
    expect(its.accepted.map(({ sequence, rows }) => [sequence, rows.length])).toEqual([
      [1, 2_000],
      [2, 2_000],
      [3, 1_000],
    ]);
  });

  test('leaves to the next process what it cannot report when it stops', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'boxoffice-spool-'));
    try {
      const stopping = open(createSpool(folder));
      stopping.its.isAway = true;
      stopping.meter.record(request);
      await stopping.meter.flush();
      stopping.meter.record(request);
      await stopping.meter.close();

      const next = open(createSpool(folder));
      next.meter.start();
      await next.meter.close();
      const { gateway } = stopping.meter;
      const reports = next.its.accepted.filter(({ rows }) => rows.length > 0);
      expect(reports).toMatchObject([
        { gateway, sequence: 1 },
        { gateway, sequence: 2 },
      ]);
      expect(JSON.stringify(reports[0])).toBe(stopping.its.sent[0]);
      expect(createSpool(folder).listUnsent()).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
