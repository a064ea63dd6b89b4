import { createMetrics, type Metrics } from '@boxoffice/runtime';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createRecordUsage } from '../../src/index.ts';
import { type Installation, startInstallation } from '../installation.ts';
import { type People, peopleOf } from '../sign-in/browser.ts';

let metrics: Metrics;
let installation: Installation;
let people: People;

beforeAll(async () => {
  metrics = await createMetrics();
  installation = await startInstallation({ metrics });
  people = peopleOf(installation);
});
afterAll(() => installation.close());

const value = async (sample: string): Promise<number> => {
  const { text } = await metrics.text();
  const line = text.split('\n').find((one) => one.startsWith(`${sample} `));
  return line === undefined ? Number.NaN : Number(line.slice(sample.length));
};
const signIns = (outcome: string) => value(`authorizer_sign_ins_total{outcome="${outcome}"}`);
const used = (grantType: string, outcome: string) =>
  value(`authorizer_grants_used_total{grant_type="${grantType}",outcome="${outcome}"}`);

test('sign-ins are counted by outcome, from 0 on', async () => {
  expect(await signIns('throttled')).toBe(0);
  const [client, person] = [await people.webClient(), await people.person()];
  await people.signIn(people.browser(), client, person);
  await people.signIn(people.browser(), client, person, {}, 'wrong');
  await people.signIn(people.browser(), client, { login: 'nobody@example.org' });
  expect([await signIns('signed_in'), await signIns('wrong'), await signIns('throttled')]).toEqual([1, 2, 0]);
  expect(await value('authorizer_sessions')).toBe(1);
});

test('codes and refresh tokens are counted by outcome, and a replay is in the audit log', async () => {
  const [client, person] = [await people.webClient(), await people.person()];
  const { refresh_token: first } = await people.tokens(client, person, 'catalog:read offline_access');
  expect(await used('authorization_code', 'given')).toBe(1);
  const { body } = await people.refresh(client, first);
  await people.refresh(client, first);
  expect([await used('refresh_token', 'given'), await used('refresh_token', 'repeated')]).toEqual([1, 1]);
  await people.refresh(client, body.refresh_token);
  expect(await used('refresh_token', 'replayed')).toBe(0);
  await people.refresh(client, first);
  await people.refresh(client, 'nonsense');
  expect([await used('refresh_token', 'replayed'), await used('refresh_token', 'refused')]).toEqual([1, 1]);
  const audited = installation.lines.filter(({ event }) => event === 'audit.grant_replayed');
  expect(audited).toEqual([
    expect.objectContaining({
      institution: 'opera',
      client,
      type: 'refresh_token',
      id: expect.stringMatching(/^gnt_/),
    }),
  ]);
  expect(JSON.stringify(audited)).not.toContain(String(first));
});

test('a user who may no longer sign in gets nothing, which counts as refused', async () => {
  const [client, person] = [await people.webClient(), await people.person()];
  const { refresh_token: token } = await people.tokens(client, person, 'catalog:read offline_access');
  const before = await used('refresh_token', 'refused');
  await people.users.amend('opera', person.userId, { state: 'locked' });
  await people.refresh(client, token);
  expect((await used('refresh_token', 'refused')) - before).toBe(1);
});

test('the ten most used API keys have a series each', async () => {
  const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString();
  const row = { institution: 'opera', minute, clientId: null, userId: null, operation: 'getCatalog', status: 200 };
  const rows = Array.from({ length: 12 }, (_, at) => ({
    ...row,
    apiKeyId: `key_${at}`,
    requests: at + 1,
    bytes: 0,
  }));
  await createRecordUsage(installation.store, Date.now)({ gateway: 'gateway-1', sequence: 1, rows });
  const { text } = await metrics.text();
  const series = text.split('\n').filter((line) => line.startsWith('authorizer_api_key_requests{'));
  expect(series).toHaveLength(10);
  expect(series[0]).toBe('authorizer_api_key_requests{institution="opera",api_key="key_11"} 12');
});
