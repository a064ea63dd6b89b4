import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { rawExchange } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';

let its: Installation;

const ENDPOINTS = ['/auth/token', '/auth/introspect', '/auth/revoke'];

const failure = (status: string, error: string) => ({
  status,
  details: expect.any(String),
  data: null,
  error,
  error_description: expect.stringMatching(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/),
});

const bodyOf = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));

beforeAll(async () => {
  its = await startInstallation({ trustProxy: ['127.0.0.0/8'], timeouts: { body: 3_000 } });
  its.authorizer.describe({
    openapi: '3.1.0',
    paths: Object.fromEntries(
      ENDPOINTS.map((path) => [path, { post: { operationId: path.slice(6), security: [], requestBody: {} } }]),
    ),
  });
  while ((await its.call('/auth/revoke', { method: 'POST' })).status === 404);
});
afterAll(() => its.close());

describe('an error of the gateway on an OAuth endpoint is the envelope, error and error_description', () => {
  test('405 and 413 are errors of the request', async () => {
    for (const path of ENDPOINTS) {
      expect((await its.call(path)).body).toEqual(failure('method_not_allowed', 'invalid_request'));
      const large = await its.call(`${path}?x`, { method: 'POST', body: 'x'.repeat(300_000) });
      expect([large.status, large.body]).toEqual([413, failure('payload_too_large', 'invalid_request')]);
    }
    expect((await its.call('/auth/other')).body).not.toHaveProperty('error');
    expect((await its.call('/errors', { method: 'POST' })).body).not.toHaveProperty('error');
    // Over plain HTTP the endpoint does not exist.
    expect((await its.plain('/auth/token')).body).not.toHaveProperty('error');
  });

  test('408 and errors of the HTTP parser', async () => {
    const head = 'POST /auth/token HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: https\r\n';
    const slow = await rawExchange(its.gateway.httpPort, `${head}Content-Length: 50\r\n\r\ng`);
    expect(bodyOf(slow)).toEqual(failure('request_timeout', 'invalid_request'));
    const malformed = await rawExchange(its.gateway.httpPort, `${head}bad header\r\n\r\n`);
    expect(bodyOf(malformed)).toEqual(failure('bad_request', 'invalid_request'));
  });

  test('502 and 503 are errors of the authorizer', async () => {
    its.authorizer.answer((_, response) => response.destroy());
    const broken = await its.call('/auth/token', { method: 'POST', body: 'x' });
    expect([broken.status, broken.body]).toEqual([502, failure('bad_gateway', 'server_error')]);
    await its.authorizer.close();
    const unreachable = await its.call('/auth/token', { method: 'POST', body: 'x' });
    expect([unreachable.status, unreachable.body]).toEqual([
      503,
      failure('service_unavailable', 'temporarily_unavailable'),
    ]);
  });

  test('429: temporarily_unavailable', async () => {
    const other = await startInstallation({ limits: { client: 1, address: 1, session: 1 } });
    await other.call('/auth/token', { method: 'POST' });
    const reply = await other.call('/auth/token', { method: 'POST' });
    await other.close();
    expect([reply.status, reply.body]).toEqual([429, failure('too_many_requests', 'temporarily_unavailable')]);
  });
});
