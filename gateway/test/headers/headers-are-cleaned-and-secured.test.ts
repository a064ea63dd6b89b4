import { once } from 'node:events';
import { connect } from 'node:tls';
import { readSettings } from '@boxoffice/runtime';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { gatewaySettings, toGatewayOptions } from '../../src/settings.ts';
import { exchangeBytes, type Reply } from '../fixtures/http.ts';
import { type Installation, startInstallation, useFixture } from '../fixtures/installation.ts';
import { decodeClaims } from '../fixtures/jws.ts';
import { echo, sendJson } from '../fixtures/upstream.ts';

const its = useFixture(() => startInstallation({ hstsSeconds: 31_536_000, trustProxy: ['127.0.0.0/8'] }));

describe('headers of clients and services are cleaned', () => {
  const LIST = '/svc/v3/contacts/individuals';

  const send = (lines: readonly string[], { method = 'GET', body = '' } = {}): Promise<string> => {
    const token = its.authorizer.token(['contacts:read', 'contacts:write']);
    const all = [`${method} ${LIST} HTTP/1.1`, 'X-Forwarded-Proto: https', `Authorization: Bearer ${token}`, ...lines];
    return exchangeBytes(its.gateway.httpPort, `${all.join('\r\n')}\r\n\r\n${body}`);
  };

  const last = () => its.contacts.received.at(-1);

  describe('towards a service', () => {
    test('identity, forwarding and hop-by-hop headers of a client are removed in every spelling; the gateway sets its own', async () => {
      const answer = await send([
        'Host: a',
        'Connection: close',
        'X-Internal-Identity: evil',
        'x-internal-identity: evil2',
        'X_Internal_Identity: evil3',
        'X-Internal-Anything: evil4',
        'X-Forwarded-For: 6.6.6.6',
        'X-Forwarded-Host: evil.example',
        'X_Forwarded_For: 6.6.6.6',
        'X-Forwarded-Prefix: /evil',
        'X-Forwarded-Host: evil',
        'X-Real-IP: 6.6.6.6',
        'Forwarded: for=6.6.6.6',
        'Via: 1.1 evil',
        'Keep-Alive: timeout=9',
        'TE: trailers',
        'Trailer: X',
        'Upgrade: h2c',
        'HTTP2-Settings: x',
        'Proxy-Authorization: Basic x',
        'Proxy-Connection: keep-alive',
        'Accept-Language: de',
      ]);
      expect(answer).toContain('HTTP/1.1 200');
      const headers = last()?.headers ?? {};
      expect(JSON.stringify(last()?.rawHeaders)).not.toMatch(/evil|6\.6\.6\.6, /);
      expect(decodeClaims(headers['x-internal-identity'])).toMatchObject({ operation: 'listIndividuals' });
      // Nothing else passes. The trusted proxy sent the address; other clients may not.
      expect(headers).toEqual({
        host: expect.any(String),
        connection: 'keep-alive',
        'accept-language': 'de',
        'x-request-id': expect.any(String),
        traceparent: expect.any(String),
        'x-forwarded-for': '6.6.6.6',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'a',
        'x-internal-identity': expect.any(String),
      });
    });

    test('an untrusted client cannot choose its address', async () => {
      const other = await startInstallation();
      await other.as(other.authorizer.token(['contacts:read']))(LIST, { headers: { 'x-forwarded-for': '6.6.6.6' } });
      expect(other.contacts.received.at(-1)?.headers['x-forwarded-for']).toBe('127.0.0.1');
      await other.close();
    });

    test('Expect does not bypass the removal of a header', async () => {
      const body = '{"a":1}';
      const answer = await send(
        [
          'Host: a',
          'Expect: 100-continue',
          'Connection: close',
          'X-Internal-Identity: evil',
          `Content-Length: ${body.length}`,
        ],
        { method: 'POST', body },
      );
      expect(answer).toContain('HTTP/1.1 100 Continue');
      expect(answer).toContain('HTTP/1.1 200');
      const { headers = {}, body: received } = last() ?? {};
      expect(received).toBe(body);
      expect(decodeClaims(headers['x-internal-identity'])).toMatchObject({ operation: 'createIndividual' });
      expect([headers.expect, headers['content-length']]).toEqual([undefined, '7']);
    });
  });

  test.each([
    ...['accept-language', 'X-Once', 'X-auth-token', 'Content-Length', 'x-forwarded-for', 'host', 'cookie'].map(
      (named) => [`a Connection header that names ${named}`, ['Host: a', `Connection: ${named}`, 'X-Once: 1']] as const,
    ),
    ['no Host', []],
    ['two Hosts', ['Host: a', 'Host: b']],
    ['a repeated Host', ['Host: a', 'Host: a']],
    ['a repeated X-Order-Link', ['Host: a', 'X-Order-Link: a', 'X-Order-Link: b']],
    ['two tokens', ['Host: a', 'Authorization: Bearer other']],
    ['two session tokens', ['Host: a', 'X-auth-token: a', 'X-Auth-Token: b']],
    ['two service hosts', ['Host: a', 'X-Service-Host: a', 'X-Service-Host: b']],
    ['another transfer coding than chunked', ['Host: a', 'Transfer-Encoding: gzip, chunked']],
    ['a length and a transfer coding', ['Host: a', 'Content-Length: 1', 'Transfer-Encoding: chunked']],
    ['two lengths', ['Host: a', 'Content-Length: 1', 'Content-Length: 2']],
    ['a name with a space', ['Host: a', 'A b: c']],
  ] as const)('%s is 400 before anything is done', async (_, lines) => {
    const before = its.contacts.received.length;
    const answer = await send([...lines, 'Accept-Language: de', 'Connection: close']);
    expect(answer).toContain('HTTP/1.1 400');
    expect(answer).toContain('"status":"bad_request"');
    expect(its.contacts.received).toHaveLength(before);
  });

  test('requests are not smuggled: the body of a GET or DELETE is not forwarded', async () => {
    const smuggled = 'GET /svc/v3/contacts/individuals/smuggled HTTP/1.1\r\nHost: a\r\n\r\n';
    const chunked = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;
    const answer = await send(['Host: a', 'Connection: close', 'Transfer-Encoding: chunked'], { body: chunked });
    expect(answer).toContain('HTTP/1.1 200');
    const token = its.authorizer.token(['contacts:write']);
    const reply = await its.as(token)(`${LIST}/C1`, {
      method: 'DELETE',
      headers: { 'transfer-encoding': 'chunked' },
      body: smuggled,
    });
    expect(reply.status).toBe(200);
    await its.as(its.authorizer.token(['contacts:read']))(LIST);
    expect(its.contacts.received.filter(({ url }) => url.includes('smuggled'))).toEqual([]);
  });

  test('towards a client, reserved and internal headers are removed', async () => {
    its.contacts.answer((_, response) => {
      const headers = {
        'Content-Type': 'application/json',
        Server: 'secret/1.0',
        'X-Powered-By': 'secret',
        'Keep-Alive': 'timeout=1',
        Connection: 'X-Hop',
        'X-Hop': '1',
        'X-Internal-Identity': 'secret',
        'X-Request-Id': 'another',
        'Access-Control-Allow-Origin': '*',
        ETag: '"v1"',
      };
      response.writeHead(200, headers).end('{}');
    });
    const token = its.authorizer.token(['contacts:read']);
    const reply = await its.as(token)(LIST, { headers: { 'x-request-id': 'mine' } });
    its.contacts.answer(echo);
    expect(reply.headers).toMatchObject({ 'x-request-id': 'mine', etag: '"v1"' });
    for (const name of ['server', 'x-powered-by', 'x-hop', 'x-internal-identity', 'access-control-allow-origin']) {
      expect([name, reply.headers[name]]).toEqual([name, undefined]);
    }
  });

  test('ids that are not well-formed are replaced, never refused', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const good = await its.call('/nowhere', { headers: { 'x-request-id': 'a.B_c-1', traceparent } });
    expect(good.headers).toMatchObject({ 'x-request-id': 'a.B_c-1', traceparent });
    const bad = await its.call('/nowhere', { headers: { 'x-request-id': 'a b', traceparent: '00-0-0-0' } });
    expect(bad.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(bad.headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });
});

describe('every answer has its security headers', () => {
  const STS = 'max-age=31536000';

  let token: string;
  beforeAll(() => {
    token = its.authorizer.token(['contacts:read']);
    its.contacts.answer(({ url }, response) => {
      const sniff = { 'X-Content-Type-Options': 'other', 'Strict-Transport-Security': 'max-age=1' };
      if (url.includes('none')) response.writeHead(304, { ETag: '"1"', ...sniff }).end();
      else sendJson(response, 200, { status: 'success', details: null, data: {} }, sniff);
    });
  });
  afterAll(() => its.contacts.answer(echo));

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
      const answer = await exchangeBytes(its.gateway.httpPort, 'GET /x HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n');
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
    const seconds = (env: Record<string, string>) => toGatewayOptions(readSettings(gatewaySettings, env)).hstsSeconds;
    expect(seconds({})).toBeUndefined();
    expect(seconds({ HSTS_SECONDS: '600' })).toBe(600);
    expect(toGatewayOptions({ ...readSettings(gatewaySettings, {}), certificate: {} as never }).hstsSeconds).toBe(
      31_536_000,
    );
  });
});
