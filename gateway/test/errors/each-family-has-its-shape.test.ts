// rule 1: Every response of the institution API has the common envelope | libs/envelope/src/envelope.ts
// rule 7: 2: gateway, authorizer and services return the same envelope | gateway/src/exchange/answer.ts
// rule 7: 404 `not_found`: endpoint or resource id does not exist | gateway/src/routing/routing.ts
// rule 7: 405 `method_not_allowed`: method not supported on the path | gateway/src/routing/routing.ts

import { beforeAll, describe, expect, test } from '@jest/globals';
import { createDocument } from '../fixtures/describe.ts';
import { exchangeBytes } from '../fixtures/http.ts';
import { startInstallation, useFixture } from '../fixtures/installation.ts';

const its = useFixture(() => startInstallation());

const envelope = (status: string) => ({ status, details: expect.any(String), data: null });
const posError = (errorCode: string) => ({ success: false, errorCode, errorMessage: expect.any(String) });

describe('family A', () => {
  test('404 for an unknown path, internal ones included', async () => {
    for (const path of ['/nowhere', '/', '/svc/v3/contacts/individuals/', '/internal/decisions', '/svc/v3/orders']) {
      const reply = await its.call(path);
      expect([path, reply.status]).toEqual([path, 404]);
      expect(reply.body).toEqual(envelope('not_found'));
      expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    }
  });

  test('404 of an unknown address is a page for a browser, in its language, which leads on', async () => {
    const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'accept-language': 'de-CH' };
    for (const path of ['/nowhere', '/svc/v3/nowhere', '/tnwr/v1/nowhere']) {
      const reply = await its.call(path, { headers: browser });
      expect([path, reply.status, reply.headers['content-type']]).toEqual([path, 404, 'text/html; charset=utf-8']);
      expect(reply.text).toContain('Diese Seite gibt es nicht');
      expect(reply.text).toContain('href="/docs"');
    }
    expect((await its.plain('/nowhere', { headers: browser })).body).toEqual(envelope('not_found'));
    for (const accept of ['application/json, */*', 'application/json, text/html;q=0.9'])
      expect((await its.call('/nowhere', { headers: { accept } })).body).toEqual(envelope('not_found'));
  });

  test('405 has Allow with HEAD, before the token is checked, also for an OPTIONS that is no preflight', async () => {
    const reply = await its.call('/svc/v3/contacts/individuals', { method: 'DELETE' });
    expect([reply.status, reply.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
    expect(reply.body).toEqual(envelope('method_not_allowed'));
    const headers = { origin: 'https://shop.example' };
    expect((await its.call('/svc/v3/contacts/individuals', { method: 'OPTIONS', headers })).status).toBe(405);
    expect((await its.call('/openapi.json', { method: 'POST' })).headers.allow).toBe('GET, HEAD');
  });

  test('405 for health with another method', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const reply = await its.call(path, { method });
        expect([path, method, reply.status, reply.headers.allow]).toEqual([path, method, 405, 'GET, HEAD']);
        expect(reply.body).toEqual(envelope('method_not_allowed'));
      }
    }
    expect((await its.call('/health/other', { method: 'POST' })).status).toBe(404);
    // Over plain HTTP only health is served.
    expect((await its.plain('/health/live', { method: 'POST' })).status).toBe(404);
  });

  test('HEAD is refused like GET, without a body', async () => {
    const reply = await its.call('/svc/v3/contacts/individuals', { method: 'HEAD' });
    expect([reply.status, reply.text]).toEqual([401, '']);
    expect(Number(reply.headers['content-length'])).toBeGreaterThan(0);
  });
});

test('family B: 404, 405 with Allow', async () => {
  const unknown = await its.call('/tnwr/v1/nowhere');
  expect([unknown.status, unknown.body]).toEqual([404, posError('not_found')]);
  expect((await its.call('/tnwr')).body).toEqual(posError('not_found'));
  expect((await its.call('/tnwr?x')).body).toEqual(posError('not_found'));
  expect((await its.call('/tnwrx')).body).toEqual(envelope('not_found'));
  const wrong = await its.call('/tnwr/v1/products', { method: 'POST' });
  expect([wrong.status, wrong.headers.allow, wrong.body]).toEqual([405, 'GET, HEAD', posError('method_not_allowed')]);
});

test('a concrete path takes precedence over a templated one, for every method', async () => {
  its.pos.describe(
    createDocument([
      ['GET /tnwr/v1/things/own', null, 'getOwn'],
      ['GET /tnwr/v1/things/{id}', null, 'getThing'],
      ['DELETE /tnwr/v1/things/{id}', null, 'deleteThing'],
      ['GET /tnwr/v1/things/own/parts/{part}', null, 'getPart'],
      ['GET /tnwr/v1/things/{id}/names', null, 'getNames'],
    ]),
  );
  while ((await its.call('/tnwr/v1/things/own')).status !== 200);
  const reply = await its.call('/tnwr/v1/things/own', { method: 'DELETE' });
  expect([reply.status, reply.headers.allow]).toEqual([405, 'GET, HEAD']);
  expect((await its.call('/tnwr/v1/things/t1', { method: 'DELETE' })).status).toBe(200);
  expect((await its.call('/tnwr/v1/things/own/names')).status).toBe(200);
  expect((await its.call('/tnwr/v1/things/own/parts/1')).status).toBe(200);
  expect((await its.call('/tnwr/v1/things/t1/parts/1')).status).toBe(404);
});

describe('an error of the gateway on an OAuth endpoint is the envelope, error and error_description', () => {
  const its = useFixture(() => startInstallation({ trustProxy: ['127.0.0.0/8'], timeouts: { body: 3_000 } }));

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
    its.authorizer.describe({
      openapi: '3.1.0',
      paths: Object.fromEntries(
        ENDPOINTS.map((path) => [path, { post: { operationId: path.slice(6), security: [], requestBody: {} } }]),
      ),
    });
    while ((await its.call('/auth/revoke', { method: 'POST' })).status === 404);
  });

  test('405 and 413 are errors of the request', async () => {
    for (const path of ENDPOINTS) {
      expect((await its.call(path)).body).toEqual(failure('method_not_allowed', 'invalid_request'));
      const large = await its.call(`${path}?x`, { method: 'POST', body: 'x'.repeat(300_000) });
      expect([large.status, large.body]).toEqual([413, failure('payload_too_large', 'invalid_request')]);
    }
    expect((await its.call('/auth/other')).body).not.toHaveProperty('error');
    expect((await its.call('/errors', { method: 'POST' })).body).not.toHaveProperty('error');
  });

  test('404 is one, too: over plain HTTP, and of a gateway that does not know the endpoint', async () => {
    for (const path of ENDPOINTS) {
      const plain = await its.plain(path, { method: 'POST' });
      expect([plain.status, plain.body]).toEqual([404, failure('not_found', 'invalid_request')]);
    }
    const other = await startInstallation();
    const unknown = await other.call('/auth/introspect', { method: 'POST' });
    await other.close();
    expect([unknown.status, unknown.body]).toEqual([404, failure('not_found', 'invalid_request')]);
  });

  test('408 and errors of the HTTP parser', async () => {
    const head = 'POST /auth/token HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: https\r\n';
    const slow = await exchangeBytes(its.gateway.httpPort, `${head}Content-Length: 50\r\n\r\ng`);
    expect(bodyOf(slow)).toEqual(failure('request_timeout', 'invalid_request'));
    const malformed = await exchangeBytes(its.gateway.httpPort, `${head}bad header\r\n\r\n`);
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
