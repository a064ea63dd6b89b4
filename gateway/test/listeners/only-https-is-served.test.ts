// rule 4: Rule 10: only https is handled; http is 404, not redirected | gateway/src/middleware/require-tls.ts
// rule 7: 2: 404 for every request over http | gateway/src/middleware/require-tls.ts

import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { exchangeBytes, waitUntil } from '../fixtures/http.ts';
import { startInstallation, useFixture } from '../fixtures/installation.ts';

const LIST = '/svc/v3/contacts/individuals';

const its = useFixture(() => startInstallation());

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);

describe('the plain listener', () => {
  test('answers 404 in the family’s shape to everything but health', async () => {
    const a = await its.plain(LIST, {
      headers: { authorization: `Bearer ${its.authorizer.token(['contacts:read'])}` },
    });
    expect([a.status, a.body]).toEqual([404, { status: 'not_found', details: expect.any(String), data: null }]);
    const b = await its.plain('/tnwr/v1/products');
    expect([b.status, b.body]).toEqual([
      404,
      { success: false, errorCode: 'not_found', errorMessage: expect.any(String) },
    ]);
    expect((await its.plain('/openapi.json')).status).toBe(404);
    for (const path of ['/health/live', '/health/ready']) {
      expect([(await its.plain(path)).body, (await its.call(path)).body]).toEqual([{ status: 'ok' }, { status: 'ok' }]);
    }
  });

  test('ignores X-Forwarded-Proto of an untrusted peer', async () => {
    expect((await its.plain('/errors', { headers: { 'x-forwarded-proto': 'https' } })).status).toBe(404);
  });

  test('trusts X-Forwarded-Proto of a trusted proxy', async () => {
    const behind = await startInstallation({ trustProxy: ['10.0.0.0/8', '127.0.0.0/8'] });
    const ask = async (proto: string) =>
      (await behind.plain('/errors', { headers: { 'x-forwarded-proto': proto } })).status;
    expect([
      await ask('https'),
      await ask('HTTPS'),
      await ask('http'),
      await ask('https, http'),
      await ask(''),
    ]).toEqual([200, 200, 404, 404, 404]);
    expect((await behind.plain('/errors')).status).toBe(404);
    await behind.close();
  });
});

describe('a request that the HTTP parser refuses', () => {
  const send = (text: string) => exchangeBytes(its.gateway.httpPort, text);

  test('is answered in the shape of the family of its request line', async () => {
    const a = await send('GET /svc/v3/x HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n');
    expect([statusOf(a), a.includes('{"status":"bad_request","details":"')]).toEqual([400, true]);
    const b = await send('GET /tnwr/v1/x HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n');
    expect([statusOf(b), b.includes('{"success":false,"errorCode":"bad_request"')]).toEqual([400, true]);
    const unreadable = await send('\x16\x03\x01\r\n\r\n');
    expect([statusOf(unreadable), unreadable.includes('"status":"bad_request"')]).toEqual([400, true]);
  });

  test('is 431 with large headers', async () => {
    const answer = await send(`GET /tnwr/v1/x HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect([statusOf(answer), answer.includes('"headers_too_large"')]).toEqual([431, true]);
  });
});

test('close finishes the running requests, and accepts no more', async () => {
  const other = await startInstallation();
  let release = (): void => undefined;
  const waiting = new Promise<void>((resolve) => {
    release = resolve;
  });
  other.contacts.answer(async (_, response) => {
    await waiting;
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  const reply = other.as(other.authorizer.token(['contacts:read']))(LIST);
  await waitUntil(() => other.contacts.received.length === 1);
  const closed = other.gateway.close();
  const refused = connect({ port: other.gateway.httpsPort, host: '127.0.0.1' });
  const [error] = await once(refused, 'error').catch((reason) => [reason]);
  expect(error.code).toBe('ECONNREFUSED');
  release();
  expect((await reply).status).toBe(200);
  await closed;
  await other.close();
});
