import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { rawExchange } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';
import { claimsOf } from '../fixtures/jws.ts';
import { echo } from '../fixtures/upstream.ts';

const LIST = '/svc/v3/contacts/individuals';

let its: Installation;
beforeAll(async () => {
  its = await startInstallation({ trustProxy: ['127.0.0.0/8'] });
});
afterAll(() => its.close());

const send = (lines: readonly string[], { method = 'GET', body = '' } = {}): Promise<string> => {
  const token = its.authorizer.token(['contacts:read', 'contacts:write']);
  const all = [`${method} ${LIST} HTTP/1.1`, 'X-Forwarded-Proto: https', `Authorization: Bearer ${token}`, ...lines];
  return rawExchange(its.gateway.httpPort, `${all.join('\r\n')}\r\n\r\n${body}`);
};

const last = () => its.contacts.received.at(-1);

describe('towards a service', () => {
  test('identity and forwarding headers of a client are removed in every spelling, and set by the gateway', async () => {
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
      'X-Real-IP: 6.6.6.6',
      'Forwarded: for=6.6.6.6',
      'Via: 1.1 evil',
      'X-Other: yes',
    ]);
    expect(answer).toContain('HTTP/1.1 200');
    const headers = last()?.headers ?? {};
    expect(JSON.stringify(last()?.rawHeaders)).not.toMatch(/evil|6\.6\.6\.6, /);
    expect(claimsOf(headers['x-internal-identity'])).toMatchObject({ operation: 'listIndividuals' });
    // The trusted proxy sent it; other clients may not.
    expect(headers).toMatchObject({
      'x-forwarded-for': '6.6.6.6',
      'x-forwarded-proto': 'https',
      'x-other': 'yes',
    });
  });

  test('an untrusted client cannot choose its address', async () => {
    const reply = await its.as(its.authorizer.token(['contacts:read']))(LIST, {
      headers: { 'x-forwarded-for': '6.6.6.6' },
    });
    expect(reply.status).toBe(200);
    const other = await startInstallation();
    await other.as(other.authorizer.token(['contacts:read']))(LIST, { headers: { 'x-forwarded-for': '6.6.6.6' } });
    expect(other.contacts.received.at(-1)?.headers['x-forwarded-for']).toBe('127.0.0.1');
    await other.close();
  });

  test.each(['accept-language', 'X-Once', 'X-auth-token', 'Content-Length', 'x-forwarded-for', 'host', 'cookie'])(
    'a Connection header that names %s is 400 before anything is done',
    async (named) => {
      const before = its.contacts.received.length;
      const answer = await send(['Host: a', `Connection: close, ${named}`, 'X-Once: 1', 'Accept-Language: de']);
      expect(answer).toContain('HTTP/1.1 400');
      expect(answer).toContain('"status":"bad_request"');
      expect(its.contacts.received).toHaveLength(before);
    },
  );

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
    expect(claimsOf(headers['x-internal-identity'])).toMatchObject({ operation: 'createIndividual' });
    expect([headers.expect, headers['content-length']]).toEqual([undefined, '7']);
  });

  test('hop-by-hop headers are not forwarded', async () => {
    await send([
      'Host: a',
      'Connection: close',
      'Keep-Alive: timeout=9',
      'TE: trailers',
      'Trailer: X',
      'Upgrade: h2c',
      'HTTP2-Settings: x',
      'Proxy-Authorization: Basic x',
      'Proxy-Connection: keep-alive',
    ]);
    const names = Object.keys(last()?.headers ?? {});
    for (const name of [
      'keep-alive',
      'te',
      'trailer',
      'upgrade',
      'http2-settings',
      'proxy-authorization',
      'proxy-connection',
    ]) {
      expect(names).not.toContain(name);
    }
    expect(last()?.headers.connection).toBe('keep-alive');
  });
});

describe('an ambiguous header is refused', () => {
  test.each([
    ['two Hosts', ['Host: a', 'Host: b']],
    ['a repeated Host', ['Host: a', 'Host: a']],
    ['two tokens', ['Host: a', 'Authorization: Bearer other']],
    ['two session tokens', ['Host: a', 'X-auth-token: a', 'X-Auth-Token: b']],
    ['two service hosts', ['Host: a', 'X-Service-Host: a', 'X-Service-Host: b']],
    ['another transfer coding than chunked', ['Host: a', 'Transfer-Encoding: gzip, chunked']],
  ])('%s', async (_, lines) => {
    const before = its.contacts.received.length;
    const answer = await send([...lines, 'Connection: close']);
    expect(answer).toContain('HTTP/1.1 400');
    expect(answer).toContain('"status":"bad_request"');
    expect(its.contacts.received.length).toBe(before);
  });

  test('a request without Host, and one that the parser refuses, are 400', async () => {
    for (const lines of [
      [],
      ['Host: a', 'Content-Length: 1', 'Transfer-Encoding: chunked'],
      ['Host: a', 'Content-Length: 1', 'Content-Length: 2'],
      ['Host: a', 'A b: c'],
    ]) {
      const answer = await send([...lines, 'Connection: close']);
      expect(answer).toContain('HTTP/1.1 400');
      expect(answer).toContain('"status":"bad_request"');
    }
  });
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
      'Set-Cookie': ['a=1', 'b=2'],
      ETag: '"v1"',
    };
    response.writeHead(200, headers).end('{}');
  });
  const token = its.authorizer.token(['contacts:read']);
  const reply = await its.as(token)(LIST, { headers: { 'x-request-id': 'mine' } });
  its.contacts.answer(echo);
  expect(reply.headers).toMatchObject({ 'x-request-id': 'mine', 'set-cookie': ['a=1', 'b=2'], etag: '"v1"' });
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
