// rule 1: Every response of the institution API has the common envelope | libs/envelope/src/envelope.ts
// rule 7: 2: gateway, authorizer and services return the same envelope | gateway/src/exchange/answer.ts
// rule 7: 404 `not_found`: endpoint or resource id does not exist | gateway/src/routing/routing.ts
// rule 7: 405 `method_not_allowed`: method not supported on the path | gateway/src/routing/routing.ts

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { documentOf } from '../fixtures/describe.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';

let its: Installation;
beforeAll(async () => {
  its = await startInstallation();
});
afterAll(() => its.close());

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

describe('family B', () => {
  test('404, 405 with Allow', async () => {
    const unknown = await its.call('/tnwr/v1/nowhere');
    expect([unknown.status, unknown.body]).toEqual([404, posError('not_found')]);
    expect((await its.call('/tnwr')).body).toEqual(posError('not_found'));
    expect((await its.call('/tnwr?x')).body).toEqual(posError('not_found'));
    expect((await its.call('/tnwrx')).body).toEqual(envelope('not_found'));
    const wrong = await its.call('/tnwr/v1/products', { method: 'POST' });
    expect([wrong.status, wrong.headers.allow, wrong.body]).toEqual([405, 'GET, HEAD', posError('method_not_allowed')]);
  });
});

test('a concrete path takes precedence over a templated one, for every method', async () => {
  its.pos.describe(
    documentOf([
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
