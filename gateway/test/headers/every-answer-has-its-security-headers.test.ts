import { once } from 'node:events';
import { connect } from 'node:tls';
import { readSettings } from '@boxoffice/runtime';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { gatewaySettings, optionsFrom } from '../../src/settings.ts';
import { type Reply, rawExchange } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';
import { json } from '../fixtures/upstream.ts';

const STS = 'max-age=31536000';

let its: Installation;
let token: string;
beforeAll(async () => {
  its = await startInstallation({ hstsSeconds: 31_536_000, trustProxy: ['127.0.0.1/32'] });
  token = its.authorizer.token(['contacts:read']);
  its.contacts.answer(({ url }, response) => {
    const sniff = { 'X-Content-Type-Options': 'other', 'Strict-Transport-Security': 'max-age=1' };
    if (url.includes('none')) response.writeHead(304, { ETag: '"1"', ...sniff }).end();
    else json(response, 200, { status: 'success', details: null, data: {} }, sniff);
  });
});
afterAll(() => its.close());

const both = ({ headers }: Reply) => [headers['x-content-type-options'], headers['strict-transport-security']];

const LIST = '/svc/v3/contacts/individuals';
const preflight = {
  method: 'OPTIONS',
  headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
};

describe('over TLS: nosniff and HSTS, each once', () => {
  test.each<[string, (its: Installation) => Promise<Reply>, number]>([
    ['an answer of a service', ({ as }) => as(token)(LIST), 200],
    ['an answer without a body', ({ as }) => as(token)(`${LIST}/none`), 304],
    ['an answer to HEAD', ({ as }) => as(token)(LIST, { method: 'HEAD' }), 200],
    ['an answer of the point of sale', ({ call }) => call('/tnwr/v1/products'), 200],
    ['a preflight', ({ call }) => call('/tnwr/v1/products', preflight), 204],
    ['the gateway’s own documents', ({ call }) => call('/openapi.json'), 200],
    ['the registry', ({ call }) => call('/errors'), 200],
    ['a page', ({ call }) => call('/shop/'), 200],
    ['a refusal', ({ call }) => call(LIST), 401],
    ['an unknown endpoint', ({ call }) => call('/nowhere'), 404],
    ['an unknown endpoint of family B', ({ call }) => call('/tnwr/v1/nowhere'), 404],
    ['health', ({ call }) => call('/health/live'), 200],
    ['behind a trusted proxy', ({ plain }) => plain('/errors', { headers: { 'x-forwarded-proto': 'https' } }), 200],
  ])('%s', async (_, ask, status) => {
    const reply = await ask(its);
    expect([reply.status, ...both(reply)]).toEqual([status, 'nosniff', STS]);
  });

  test('a request that the HTTP parser refuses', async () => {
    const socket = connect({ host: '127.0.0.1', port: its.gateway.httpsPort, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    socket.write('GET /tnwr/v1/x HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n');
    const [answer] = await once(socket, 'data');
    socket.destroy();
    expect(String(answer)).toMatch(/^HTTP\/1\.1 400 .*\r\n(?:.+\r\n)*X-Content-Type-Options: nosniff\r\n/);
    expect(String(answer)).toContain(`\r\nStrict-Transport-Security: ${STS}\r\n`);
  });
});

describe('over plain HTTP: nosniff without HSTS (RFC 6797, 7.2)', () => {
  test('health, and an unknown endpoint', async () => {
    expect(both(await its.plain('/health/live'))).toEqual(['nosniff', undefined]);
    expect(both(await its.plain('/errors'))).toEqual(['nosniff', undefined]);
  });

  test('a request that the HTTP parser refuses', async () => {
    const answer = await rawExchange(its.gateway.httpPort, 'GET /x HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n');
    expect(answer).toContain('\r\nX-Content-Type-Options: nosniff\r\n');
    expect(answer).not.toContain('Strict-Transport-Security');
  });
});

test('without a number of seconds no answer has HSTS; 0 makes browsers forget it', async () => {
  for (const [hstsSeconds, sent] of [
    [undefined, undefined],
    [0, 'max-age=0'],
  ] as const) {
    const other = await startInstallation({ hstsSeconds });
    expect(both(await other.call('/errors'))).toEqual(['nosniff', sent]);
    await other.close();
  }
});

test('HSTS is a year with a configured certificate, off with the development one, and HSTS_SECONDS otherwise', () => {
  const seconds = (env: Record<string, string>) => optionsFrom(readSettings(gatewaySettings, env)).hstsSeconds;
  expect(seconds({})).toBeUndefined();
  expect(seconds({ HSTS_SECONDS: '600' })).toBe(600);
  expect(optionsFrom({ ...readSettings(gatewaySettings, {}), certificate: {} as never }).hstsSeconds).toBe(31_536_000);
});
