import { createMetrics } from '@boxoffice/runtime';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type CatalogInstallation, startCatalogInstallation, TARIFFS } from '../api-keys/catalog-fixture.ts';
import { until } from '../fixtures/http.ts';

let its: CatalogInstallation;
const metrics = await createMetrics();

beforeAll(async () => {
  its = await startCatalogInstallation({ metrics });
});
afterAll(() => its.close());

const value = async (sample: string): Promise<number> => {
  const { text } = await metrics.text();
  const line = text.split('\n').find((one) => one.startsWith(`${sample} `));
  return line === undefined ? Number.NaN : Number(line.slice(sample.length));
};

test('requests with an API key are counted by what became of the key', async () => {
  const key = its.authorizer.apiKey({ ratePerMinute: 1, origins: ['https://city.example'] });
  const spent = its.authorizer.apiKey({ monthlyQuota: 0 });
  expect((await its.withKey(key.key)).status).toBe(200);
  expect((await its.withKey(key.key)).status).toBe(429);
  expect((await its.withKey(spent.key)).status).toBe(429);
  await its.withKey(key.key, TARIFFS);
  await its.withKey(`bok_${'a'.repeat(43)}`);
  const token = its.authorizer.token(['catalog:read']);
  await its.as(token)(TARIFFS, { headers: { 'x-api-key': key.key } });
  await its.call(TARIFFS);
  const outcomes = ['admitted', 'rate', 'quota', 'not_public', 'invalid', 'counted', 'origin'];
  const counts = outcomes.map((outcome) => value(`gateway_api_key_requests_total{outcome="${outcome}"}`));
  expect(await Promise.all(counts)).toEqual([1, 1, 1, 1, 1, 1, 0]);
});

test('counted requests are unreported until the authorizer has acknowledged them', async () => {
  its.authorizer.recordsUsage = 'no';
  const token = its.authorizer.token(['catalog:read']);
  await its.as(token)(TARIFFS);
  expect(await value('gateway_metering_unreported_requests')).toBeGreaterThan(0);
  await until(async () => (await value('gateway_metering_lag_seconds')) > 0, 60_000);
  its.authorizer.recordsUsage = 'yes';
  await until(async () => (await value('gateway_metering_unreported_requests')) === 0, 60_000);
  expect(await value('gateway_metering_lag_seconds')).toBe(0);
});
