import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { createClient, exchangeBytes, waitUntil } from '../fixtures/http.ts';
import { startInstallation, useFixture } from '../fixtures/installation.ts';

const its = useFixture(() => startInstallation({ trustProxy: ['127.0.0.0/8'], timeouts: { body: 5_000 } }));

describe('bodies are bounded and passed on', () => {
  const LIST = '/svc/v3/contacts/individuals';
  const LIMIT = 256 * 1024;

  const post = (body: string | Buffer, headers = {}, path = LIST) =>
    its.as(its.authorizer.token(['contacts:write']))(path, { method: 'POST', body, headers });

  const head = (more: string, path = LIST, method = 'POST') =>
    `${method} ${path} HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: https\r\nAuthorization: Bearer ${its.authorizer.token(['contacts:write'])}\r\n${more}\r\n\r\n`;

  describe('256 KiB', () => {
    test('are forwarded, with a length and in chunks', async () => {
      const body = 'x'.repeat(LIMIT);
      expect((await post(body)).body.data?.body).toBe(body);
      expect((await post(body, { 'transfer-encoding': 'chunked' })).body.data?.body).toBe(body);
    });

    test('plus one byte are 413, with a length and in chunks, in both families', async () => {
      const body = 'x'.repeat(LIMIT + 1);
      const before = its.contacts.received.length;
      const framings: Record<string, string>[] = [{}, { 'transfer-encoding': 'chunked' }];
      for (const headers of framings) {
        const reply = await post(body, headers);
        expect([reply.status, reply.body.status]).toEqual([413, 'payload_too_large']);
        const pos = await its.call('/tnwr/v1/sessions', { method: 'POST', body, headers });
        expect([pos.status, pos.body.success, pos.body.errorCode]).toEqual([413, false, 'payload_too_large']);
      }
      expect(its.contacts.received.length).toBe(before);
    });

    test('a body with a too large Content-Length is refused unread; an endless one is cut off', async () => {
      const socket = connect({ port: its.gateway.httpPort, host: '127.0.0.1' });
      socket.on('error', () => undefined);
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      socket.write(head('Content-Length: 99999999999'));
      await once(socket, 'data');
      expect(answer).toContain('HTTP/1.1 413');
      const more = Buffer.alloc(65_536);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      const write = () => {
        while (!socket.destroyed && socket.write(more));
        socket.once('drain', write);
      };
      write();
      await closed;
    });
  });

  test('a POST without a body reaches the service with an empty one, not with an open one', async () => {
    const answer = await exchangeBytes(its.gateway.httpPort, head('Connection: close'));
    expect(answer).toContain('HTTP/1.1 200');
    expect(its.contacts.received.at(-1)?.headers).toMatchObject({ 'content-length': '0' });
    expect(its.contacts.received.at(-1)?.headers['transfer-encoding']).toBeUndefined();
  });

  test('a client that disconnects in the middle of its body leaves no open request', async () => {
    const started = its.contacts.started();
    const socket = connect({ port: its.gateway.httpPort, host: '127.0.0.1' });
    const logged = () => its.log.filter(({ status }) => status === 499).length;
    const before = logged();
    socket.write(`${head('Content-Length: 1000')}abc`, () => socket.destroy());
    await waitUntil(() => logged() > before);
    expect((await post('{}')).status).toBe(200);
    expect(its.contacts.started()).toBe(started + 1);
  });

  test('pipelined requests are answered in order, each with its own body', async () => {
    const requests = ['a', 'bb', 'ccc'].map((body) => `${head(`Content-Length: ${body.length}`)}${body}`);
    const answer = await exchangeBytes(its.gateway.httpPort, requests.join('') + head('Connection: close'));
    expect([...answer.matchAll(/"body":"(\w*)"/g)].map(([, body]) => body)).toEqual(['a', 'bb', 'ccc', '']);
  });
});

describe('a refused client can read why', () => {
  const LIST = '/svc/v3/contacts/individuals';

  const MEGABYTE = 1_048_576;

  test.each([2, 5])('a body of %i MB over TLS is always 413, and the connection is closed', async (megabytes) => {
    const headers = { authorization: `Bearer ${its.authorizer.token(['contacts:write'])}` };
    const body = Buffer.alloc(megabytes * MEGABYTE, 'x');
    for (let index = 0; index < 8; index += 1) {
      const client = createClient(its.gateway.httpsUrl, its.ca);
      const framing: Record<string, string> = index % 2 === 0 ? {} : { 'transfer-encoding': 'chunked' };
      const more = { ...headers, ...framing, ...(index % 4 < 2 ? {} : { connection: 'close' }) };
      const reply = await client.call(LIST, { method: 'POST', body, headers: more });
      client.close();
      expect([reply.status, reply.body.status, reply.headers.connection]).toEqual([413, 'payload_too_large', 'close']);
    }
  });

  test('the refusal of a request with a usual body leaves the connection open for the next one', async () => {
    const socket = connect({ port: its.gateway.httpPort, host: '127.0.0.1' });
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    const head = (more: string) => `POST ${LIST} HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: https\r\n${more}\r\n\r\n`;
    socket.write(`${head('Content-Length: 10')}12345`);
    await once(socket, 'data');
    expect(answer).toMatch(/^HTTP\/1\.1 401 [\s\S]*\r\nConnection: keep-alive\r\n/);
    socket.write(`67890${head('Connection: close')}`);
    await once(socket, 'close');
    expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 401']);
  });
});

/** More failures than open a breaker. */
const SEVERAL = 7;

const stalled = (path: string) => {
  const token = its.authorizer.token(['contacts:write']);
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: https\r\nAuthorization: Bearer ${token}\r\nContent-Length: 50\r\n\r\n`;
  return exchangeBytes(its.gateway.httpPort, `${head}{`);
};

const bodyOf = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));

const envelope = { status: 'request_timeout', details: expect.any(String), data: null };
const posError = { success: false, errorCode: 'request_timeout', errorMessage: expect.any(String) };

test.concurrent('a stalled body is one 408 per connection, and the service stays available', async () => {
  const noted = its.log.length;
  const rows = [
    { path: '/auth/token', body: envelope },
    { path: '/svc/v3/contacts/individuals', body: envelope },
    { path: '/tnwr/v1/sessions', body: posError },
  ];
  const all = rows.flatMap((row) =>
    Array.from({ length: SEVERAL }, async () => [row, await stalled(row.path)] as const),
  );
  for (const [{ body }, answer] of await Promise.all(all)) {
    // The connection has closed: everything that was written to it has been read, and that is one response.
    expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 408']);
    expect(answer).toContain('\r\nConnection: close\r\n');
    expect(bodyOf(answer)).toMatchObject(body);
  }
  const call = its.as(its.authorizer.token(['contacts:write']));
  for (const { path } of rows) expect((await call(path, { method: 'POST', body: '{}' })).status).toBe(200);
  const logged = () => its.log.slice(noted);
  expect(logged().filter(({ message }) => message === 'a service did not answer')).toEqual([]);
  // Each request is logged with its status, although it never ended.
  await waitUntil(() => logged().filter(({ status }) => status === 408).length === all.length);
});
