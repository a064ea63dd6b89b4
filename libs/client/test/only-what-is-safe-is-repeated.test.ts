import { type BoxofficeClient, ConnectionError, createClient } from '@boxoffice/client';
import { describe, expect, test } from '@jest/globals';
import { createRepetitions } from '../src/http/transport.ts';
import { createRefusalReply, createSuccessReply, type Reply, startInstallation } from './installation.ts';

const path = { orderId: 'ord_1' };
const calls = {
  'a GET': (client: BoxofficeClient) => client.getOrder({ path }),
  'a POST with a key': (client: BoxofficeClient) => client.confirmOrder({ path }),
  'a PUT': (client: BoxofficeClient) => client.replaceProduct({ path: { productId: 'prd_1' }, body: {} as never }),
  'a DELETE with If-Match': (client: BoxofficeClient) =>
    client.removeLine({ path: { ...path, lineId: 'lin_1' }, ifMatch: '"1"' }),
  'a POST without a key': (client: BoxofficeClient) =>
    client.changeMyPassword({ body: { current: 'old', new: 'new' } }),
};
const failures: Record<string, Reply> = {
  'a broken connection': null,
  429: createRefusalReply(429, 'too_many_requests', { 'retry-after': '0' }),
  502: createRefusalReply(502, 'bad_gateway'),
  503: createRefusalReply(503, 'service_unavailable', { 'retry-after': '0' }),
  'a success without JSON': { body: '<h1>' },
  500: createRefusalReply(500, 'internal_error'),
  409: createRefusalReply(409, 'conflict'),
};
const REPEATED: Readonly<Record<keyof typeof calls, readonly string[]>> = {
  'a GET': ['a broken connection', '429', '502', '503', 'a success without JSON'],
  'a POST with a key': ['a broken connection', '429', '502', '503', 'a success without JSON'],
  'a PUT': ['a broken connection', '429', '502', '503', 'a success without JSON'],
  'a DELETE with If-Match': ['429'],
  'a POST without a key': [],
};

describe.each(Object.keys(calls) as (keyof typeof calls)[])('%s', (name) => {
  test.each(Object.keys(failures))('after %s', async (failure) => {
    const { client, received } = await startInstallation((_, count) =>
      count === 0 ? (failures[failure] as Reply) : createSuccessReply({ id: 'ord_1' }),
    );
    const isRepeated = REPEATED[name].includes(failure);
    const outcome = await calls[name](client).then(
      () => 'success',
      () => 'failure',
    );
    expect([outcome, received.length]).toEqual(isRepeated ? ['success', 2] : ['failure', 1]);
    expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });
});

test('a key whose first request is still running is repeated until that is answered', async () => {
  const { client, received } = await startInstallation((_, count) => {
    if (count === 0) return null;
    return count === 1 ? createRefusalReply(409, 'idempotency_in_progress') : createSuccessReply({ id: 'ord_1' });
  });
  expect((await client.confirmOrder({ path })).id).toBe('ord_1');
  expect(received).toHaveLength(3);
});

test('a key whose first request is still running is repeated for 15 seconds, beyond `retries`', async () => {
  const { baseUrl, received } = await startInstallation((_, count) =>
    count < 9 ? createRefusalReply(409, 'idempotency_in_progress') : createSuccessReply({ id: 'ord_1' }),
  );
  const client = createClient({ baseUrl, accessToken: 'token', maxDelayMs: 1 });
  expect((await client.confirmOrder({ path })).id).toBe('ord_1');
  expect(received).toHaveLength(10);
  const running = await startInstallation(() =>
    createRefusalReply(409, 'idempotency_in_progress', { 'retry-after': '1' }),
  );
  const error = await createClient({ baseUrl: running.baseUrl, accessToken: 'token', retries: 0 })
    .confirmOrder({ path })
    .catch((thrown) => thrown);
  let now = 0;
  const repeatedAfter = createRepetitions('always', { retries: 4, maxDelayMs: 60_000 }, () => now);
  for (; now < 15_000; now += repeatedAfter(error) ?? Number.NaN) expect(repeatedAfter(error)).toBe(1_000);
  expect(now).toBe(15_000);
  expect(repeatedAfter(error)).toBeUndefined();
  expect(createRepetitions('always', { retries: 0, maxDelayMs: 60_000 }, () => 0)(error)).toBeUndefined();
});

test('the last failure is thrown when all repetitions have failed', async () => {
  const { baseUrl, received } = await startInstallation(() => null);
  const client = createClient({ baseUrl, accessToken: 'token', maxDelayMs: 5, retries: 2 });
  await expect(client.getOrder({ path })).rejects.toBeInstanceOf(ConnectionError);
  expect(received).toHaveLength(3);
});

test('a wait that is longer than the limit is not begun: the error says how long it would be', async () => {
  const { baseUrl, received } = await startInstallation(() =>
    createRefusalReply(429, 'api_key_quota_exceeded', { 'retry-after': '86400' }),
  );
  const call = createClient({ baseUrl, apiKey: 'bok_1' }).getCatalog();
  await expect(call).rejects.toMatchObject({ status: 'api_key_quota_exceeded', retryAfter: 86_400 });
  expect(received).toHaveLength(1);
});

test('Retry-After may be a date', async () => {
  const date = new Date(Date.now() + 3_600_000).toUTCString();
  const { client } = await startInstallation(() =>
    createRefusalReply(503, 'service_unavailable', { 'retry-after': date }),
  );
  const error = await client.getOrder({ path }).catch((thrown) => thrown);
  expect(error.retryAfter).toBeGreaterThan(1_800);
});
