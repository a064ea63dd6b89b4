import { createMetrics, type Metrics } from '@boxoffice/runtime';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { basic, type Installation, startInstallation, type TestClient } from '../installation.ts';

let installation: Installation;
let client: TestClient;
let metrics: Metrics;

beforeAll(async () => {
  metrics = await createMetrics();
  installation = await startInstallation({ metrics });
  client = await installation.newClient([]);
});
afterAll(() => installation.close());

const unknown = 'cli_AAAAAAAAAAAAAAAAAAAAAA';

/** Number of client reads so far. */
const reads = async (): Promise<number> => {
  const { text } = await metrics.text();
  const samples = text.matchAll(/^store_operation_duration_seconds_count\{[^}]*collection="clients"[^}]*\} (\d+)$/gm);
  return [...samples].reduce((sum, [, count]) => sum + Number(count), 0);
};

describe('an unknown client is indistinguishable from a wrong secret', () => {
  test('both have the same answer, byte for byte, in the form and with Basic', async () => {
    const { askToken, post } = installation;
    const wrong = await askToken({ ...client, clientSecret: 'wrong' });
    for (const clientId of [unknown, 'x', 'no such client', "'; drop", '\u0000', 'ü'.repeat(500)]) {
      const answer = await askToken({ clientId, clientSecret: client.clientSecret });
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 401, text: wrong.text });
    }
    const body = { grant_type: 'client_credentials' };
    const wrongBasic = await post('/auth/token', body, { authorization: basic(client.clientId, 'wrong') });
    const unknownBasic = await post('/auth/token', body, { authorization: basic(unknown, 'wrong') });
    expect(unknownBasic.text).toBe(wrongBasic.text);
    expect([wrongBasic.status, unknownBasic.status]).toEqual([401, 401]);
  });

  test('both cause the same work: each refusal reads the store, even if the client is cached', async () => {
    const { askToken } = installation;
    await askToken(client);
    const readsFor = async (clientId: string): Promise<number> => {
      const before = await reads();
      for (let count = 0; count < 20; count += 1) await askToken({ clientId, clientSecret: 'wrong' });
      return (await reads()) - before;
    };
    expect([await readsFor(client.clientId), await readsFor(unknown)]).toEqual([20, 20]);
  });

  test('every failure is in the audit log, without secrets and without ids that may be misplaced secrets', async () => {
    const { askToken, lines } = installation;
    await askToken({ ...client, clientSecret: 'a-secret-that-nobody-may-read' });
    await askToken({ clientId: 'a-secret-in-the-wrong-place', clientSecret: 'x' });
    const audit = lines.filter(({ event }) => event === 'audit.authentication_failed').slice(-2);
    expect(audit).toMatchObject([
      { client: client.clientId, reason: 'wrong secret', requestId: expect.any(String) },
      { client: null, reason: 'unknown client' },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/nobody-may-read|in-the-wrong-place/);
    expect(JSON.stringify(lines)).not.toContain(client.clientSecret);
  });
});
