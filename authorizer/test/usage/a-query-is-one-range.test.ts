import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Installation, type Json, startInstallation } from '../installation.ts';

let its: Installation;
let token: string;

beforeAll(async () => {
  its = await startInstallation();
  token = await its.tokenOf(await its.newClient(['clients:read']));
});
afterAll(() => its.close());

const usage = (query = '', as = token) => its.callAt(as, 'getUsage', 'clients:read', 'GET', `/svc/v3/usage${query}`);

interface Usage {
  readonly items: readonly Json[];
  readonly nextCursor: string | null;
  readonly totals: Json;
}

const data = async (query: string, as = token) => (await usage(query, as)).body.data as Usage;

const rows = (institution: string) =>
  Array.from({ length: 5 }, (_, index) => ({
    institution,
    minute: new Date(Date.now() - (Date.now() % 60_000)).toISOString(),
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

describe('GET /svc/v3/usage', () => {
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
    const now = new Date();
    const noon = now.toISOString();
    const { totals } = await data(`?from=${noon}&to=${new Date(now.getTime() + 1).toISOString()}&granularity=day`);
    expect(totals.requests).toBe(10);
  });

  test('needs clients:read', async () => {
    const weak = await its.tokenOf(await its.newClient(['catalog:read']));
    expect((await usage('', weak)).status).toBe(403);
  });
});
