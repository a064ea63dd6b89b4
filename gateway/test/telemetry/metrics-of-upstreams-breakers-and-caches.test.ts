import { createMetrics } from '@boxoffice/runtime';
import { expect, test } from '@jest/globals';
import { startInstallation } from '../fixtures/installation.ts';

test('the metrics have upstreams, breakers, caches and the expiry of the certificate', async () => {
  const metrics = await createMetrics();
  const its = await startInstallation({ metrics });
  const value = async (sample: string): Promise<number | undefined> => {
    const { text } = await metrics.text();
    const line = text.split('\n').find((one) => one.startsWith(`${sample} `));
    return line === undefined ? undefined : Number(line.slice(sample.length));
  };
  const path = '/svc/v3/contacts/individuals';
  const call = its.as(its.authorizer.token(['contacts:read']));
  for (let count = 0; count < 3; count += 1) expect((await call(path)).status).toBe(200);
  expect(await value('gateway_cache_lookups_total{cache="decisions",result="miss"}')).toBe(1);
  expect(await value('gateway_cache_lookups_total{cache="decisions",result="hit"}')).toBe(2);
  expect(await value('gateway_upstream_duration_seconds_count{service="contacts"}')).toBe(3);
  expect(await value('gateway_upstream_requests{service="contacts"}')).toBe(0);
  expect(await value('gateway_breaker_open{service="contacts"}')).toBe(0);
  expect(await value('gateway_breaker_open{service="authorizer_decisions"}')).toBe(0);
  const answers = 'http_server_request_duration_seconds_count{service="gateway",operation="listIndividuals"';
  expect(await value(`${answers},status="2xx"}`)).toBe(3);
  const year = 365 * 86_400;
  const until = await value('certificate_expiry_timestamp_seconds{service="gateway"}');
  expect(Math.abs(Number(until) - Date.now() / 1_000)).toBeLessThan(3 * year);

  await its.contacts.close();
  for (let count = 0; count < 6; count += 1) await call(path);
  expect(await value('gateway_breaker_open{service="contacts"}')).toBe(1);
  expect(await value(`${answers},status="5xx"}`)).toBe(6);
  expect(await value('gateway_requests_total{service="contacts",operation="listIndividuals",status="503"}')).toBe(6);
  await its.close();
});
