import { type Attributes, createMetrics, type Metrics, recordSpans, type SpanStart } from '@boxoffice/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createBufferedAccessLog } from '../../src/index.ts';
import { runAtOneMoment, waitUntil } from '../fixtures/http.ts';
import { startCatalogInstallation, startInstallation, TARIFFS, useFixture } from '../fixtures/installation.ts';
import { echo } from '../fixtures/upstream.ts';

const lines: string[] = [];
const metrics = await createMetrics();
const accessLog = createBufferedAccessLog((text) => lines.push(...text.trimEnd().split('\n')));
const its = useFixture(() => startCatalogInstallation({ metrics, accessLog }));

const value = async (sample: string, of: Metrics = metrics): Promise<number> => {
  const { text } = await of.text();
  const line = text.split('\n').find((one) => one.startsWith(`${sample} `));
  return line === undefined ? Number.NaN : Number(line.slice(sample.length));
};

describe('metrics of keys and metering', () => {
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
    its.authorizer.recordsUsage = false;
    const token = its.authorizer.token(['catalog:read']);
    await its.as(token)(TARIFFS);
    expect(await value('gateway_metering_unreported_requests')).toBeGreaterThan(0);
    await waitUntil(async () => (await value('gateway_metering_lag_seconds')) > 0, 60_000);
    its.authorizer.recordsUsage = true;
    await waitUntil(async () => (await value('gateway_metering_unreported_requests')) === 0, 60_000);
    expect(await value('gateway_metering_lag_seconds')).toBe(0);
  });
});

describe('one line per request', () => {
  const lineOf = async (requestId: string): Promise<Record<string, unknown>> => {
    await waitUntil(() => lines.some((line) => line.includes(requestId)));
    const found = lines.filter((line) => line.includes(requestId));
    expect(found).toHaveLength(1);
    return JSON.parse(found[0] ?? '');
  };

  test('a line has client, operation, status and duration, and no client text', async () => {
    const token = its.authorizer.token(['contacts:write']);
    const path = '/contacts/individuals?email=ana%40example.org&allowDuplicateEmail=true';
    await its.as(token)(path, {
      method: 'POST',
      body: '{"email":"ana@example.org"}',
      headers: { 'x-request-id': 'first' },
    });
    const line = await lineOf('"first"');
    expect(line).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      level: 'info',
      service: 'gateway',
      message: 'request',
      requestId: 'first',
      client: its.authorizer.client(token).id,
      operation: 'createIndividualUnprefixed',
      method: 'POST',
      status: 200,
      durationMs: expect.any(Number),
    });
    expect(lines.join()).not.toMatch(/ana|example|eyJ/);
  });

  test('refused requests are logged too', async () => {
    await its.call('/nowhere?secret=1', { headers: { 'x-request-id': 'second' } });
    expect(await lineOf('"second"')).toMatchObject({ client: null, operation: 'none', status: 404 });
    await its.call('/svc/v3/contacts/individuals', { headers: { 'x-request-id': 'third' } });
    expect(await lineOf('"third"')).toMatchObject({ client: null, operation: 'listIndividuals', status: 401 });
    await its.call('/errors', { headers: { 'x-request-id': 'fourth' } });
    expect(await lineOf('"fourth"')).toMatchObject({ operation: 'listErrors', status: 200 });
  });

  test('no other log line contains a token', async () => {
    const token = its.authorizer.token(['contacts:read']);
    its.contacts.answer((_, response) => response.destroy());
    await its.as(token)('/svc/v3/contacts/individuals');
    its.contacts.answer(echo);
    await waitUntil(() => its.log.some(({ message }) => message === 'a service did not answer'));
    expect(JSON.stringify(its.log)).not.toContain('eyJ');
  });
});

describe('a request is a span of its trace', () => {
  interface Ended {
    readonly start: SpanStart;
    name: string;
    attributes: Attributes;
    failure: string | undefined;
  }

  const ended: Ended[] = [];
  const OWN = '00-0af7651916cd43dd8448eb211c80319c-00000000000000ff-01';
  const path = '/svc/v3/contacts/individuals';

  beforeAll(() => {
    recordSpans((start) => {
      const span: Ended = { start, name: start.name, attributes: { ...start.attributes }, failure: undefined };
      return {
        traceparent: OWN,
        rename: (name) => void Object.assign(span, { name }),
        set: (more) => void Object.assign(span.attributes, more),
        end: (failure) => void ended.push(Object.assign(span, { failure })),
      };
    });
  });
  beforeEach(() => void ended.splice(0));
  afterAll(() => recordSpans(undefined));

  const served = () => ended.filter(({ start }) => start.kind === 'server');
  const call = (headers: Record<string, string> = {}, token = its.authorizer.token(['contacts:read'])) =>
    its.as(token)(path, { headers });

  test('a client’s well-formed trace is continued, and the service receives the span', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await call({ traceparent });
    await call({ traceparent: '00-4bf92f-1' });
    expect(served().map(({ start }) => start.parent)).toEqual([traceparent, undefined]);
    expect(its.contacts.received.at(-1)?.headers.traceparent).toBe(OWN);
  });

  test('a span is named by its route, and only a status from 500 on is a failure', async () => {
    await call();
    await its.call('/svc/v3/contacts/nobody@example.org');
    await call({}, 'no token');
    await its.contacts.close();
    await call();
    const recorded = served().map(({ name, attributes, failure }) => [
      name,
      attributes['http.response.status_code'],
      failure,
    ]);
    const route = `GET ${path}`;
    expect(recorded).toEqual([
      [route, 200, undefined],
      ['GET', 404, undefined],
      [route, 401, undefined],
      [route, 503, '503'],
    ]);
    expect(JSON.stringify(ended)).not.toContain('nobody');
  });
});

test('the metrics have upstreams, breakers, caches and the expiry of the certificate', async () => {
  const own = await createMetrics();
  const its = await startInstallation({ metrics: own });
  const path = '/svc/v3/contacts/individuals';
  const call = its.as(its.authorizer.token(['contacts:read']));
  await runAtOneMoment(async () => {
    for (let count = 0; count < 3; count += 1) expect((await call(path)).status).toBe(200);
  });
  expect(await value('gateway_cache_lookups_total{cache="decisions",result="miss"}', own)).toBe(1);
  expect(await value('gateway_cache_lookups_total{cache="decisions",result="hit"}', own)).toBe(2);
  expect(await value('gateway_upstream_duration_seconds_count{service="contacts"}', own)).toBe(3);
  expect(await value('gateway_upstream_requests{service="contacts"}', own)).toBe(0);
  expect(await value('gateway_breaker_open{service="contacts"}', own)).toBe(0);
  expect(await value('gateway_breaker_open{service="authorizer_decisions"}', own)).toBe(0);
  const answers = 'http_server_request_duration_seconds_count{service="gateway",operation="listIndividuals"';
  expect(await value(`${answers},status="2xx"}`, own)).toBe(3);
  const year = 365 * 86_400;
  const until = await value('certificate_expiry_timestamp_seconds{service="gateway"}', own);
  expect(Math.abs(Number(until) - Date.now() / 1_000)).toBeLessThan(3 * year);

  await its.contacts.close();
  for (let count = 0; count < 6; count += 1) await call(path);
  expect(await value('gateway_breaker_open{service="contacts"}', own)).toBe(1);
  expect(await value(`${answers},status="5xx"}`, own)).toBe(6);
  expect(await value('gateway_requests_total{service="contacts",operation="listIndividuals",status="503"}', own)).toBe(
    6,
  );
  await its.close();
});
