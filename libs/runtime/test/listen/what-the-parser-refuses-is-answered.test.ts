import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ensureDevelopmentCertificate, type Listening, listen, logRefusals, StartFault } from '../../src/index.ts';

const scratch = mkdtempSync(join(tmpdir(), 'boxoffice-refusals-'));
const logged: object[] = [];
const listeners = new Map<string, Listening>();

const handler: RequestListener = (request, response) => {
  if (request.url?.startsWith('/early')) response.writeHead(401, { 'Content-Length': 5 }).write('early');
  request.resume().on('end', () => response.end('served'));
};

const open = (limitMs: number, tls?: { cert: string; key: string }) =>
  listen(handler, {
    host: '127.0.0.1',
    port: 0,
    tls,
    limits: { headersMs: limitMs, requestMs: limitMs },
    refuse: ({ status, code, method, path }) => ({
      headers: { 'X-Request-Id': 'the-id' },
      body: [status, code, method, path].join(' '),
    }),
    onRefused: logRefusals({ info: (message, fields) => logged.push({ message, ...fields }) }),
  });

beforeAll(async () => {
  const tls = await ensureDevelopmentCertificate(scratch, ['localhost']);
  // The patient ones refuse nothing for its time, however long this process gets no processor time.
  listeners.set('HTTP', await open(60_000));
  listeners.set('HTTPS', await open(60_000, tls));
  listeners.set('impatient HTTP', await open(1_500));
  listeners.set('impatient HTTPS', await open(1_500, tls));
});
afterEach(() => {
  logged.length = 0;
});
afterAll(async () => {
  for (const listening of listeners.values()) await listening.close(0);
  rmSync(scratch, { recursive: true });
});

/** Sends the first part, each further one after an answer, and returns what the server sent until it closed. */
const exchange = async (listener: string, ...parts: string[]): Promise<string> => {
  const port = listeners.get(listener)?.port ?? 0;
  const socket = listener.endsWith('HTTPS')
    ? connectTls({ port, rejectUnauthorized: false })
    : connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
    const next = parts.shift();
    if (next) socket.write(next);
  });
  socket.write(parts.shift() ?? '');
  await once(socket, 'close');
  return received;
};

const line = 'GET /tnwr/v1/products?secret=1 HTTP/1.1\r\n';
const start = `${line}Host: x\r\n`;
const known = 'GET /tnwr/v1/products?secret=1';
const chunked = 'Transfer-Encoding: chunked\r\n\r\n';

const expectRefused = async (listener: string, sent: string, shape: string): Promise<void> => {
  const answer = await exchange(listener, sent);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${shape.slice(0, 3)} `));
  expect(answer).toContain('X-Request-Id: the-id');
  expect(answer).toContain('Connection: close');
  expect(answer.split('\r\n\r\n')[1]).toMatch(new RegExp(`^${shape.replaceAll('?', '\\?')}`));
};

test('what never arrives is refused after its time', async () => {
  const late = [
    // Headers, a request line, and a body.
    [start, '408 request_timeout'],
    ['GET /tnw', '408 request_timeout'],
    [`${start}Content-Length: 9\r\n\r\nabc`, `408 request_timeout ${known}`],
  ] as const;
  const refused = ['impatient HTTP', 'impatient HTTPS'].flatMap((listener) =>
    late.map(([sent, shape]) => expectRefused(listener, sent, shape)),
  );
  await Promise.all(refused);
});

describe.each(['HTTP', 'HTTPS'])('over %s', (listener) => {
  test.each([
    ['a broken header', `${start}no colon\r\n\r\n`, `400 bad_request ${known}`],
    ['no Host', `${line}\r\n`, `400 bad_request ${known}`],
    ['not HTTP at all', 'hello\r\n\r\n', '400 bad_request'],
    ['a broken body', `${start}${chunked}zz\r\n`, `400 bad_request ${known}`],
    // They may arrive in several packets, of which the refused one does not begin with the line.
    ['large headers', `${start}X: ${'x'.repeat(20_000)}\r\n\r\n`, '431 headers_too_large'],
    ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n', '400 bad_request CONNECT a:1'],
  ])('%s', (_name, sent, shape) => expectRefused(listener, sent, shape));

  test.each(['identity', 'gzip', 'chunked, identity', 'x-chunked'])('the last coding %s', async (coding) => {
    const answer = await exchange(listener, `POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${coding}\r\n\r\n`);
    expect(answer).toContain('400 bad_request POST /a');
    expect(answer.match(/^HTTP\/1\.1 /gm)).toHaveLength(1);
  });

  test('a later request of a connection is refused after the answers to the ones before', async () => {
    const first = 'GET /a HTTP/1.1\r\nHost: x\r\n\r\n';
    const answer = await exchange(listener, first, `${start}no colon\r\n\r\n`);
    expect(answer).toMatch(/served[\s\S]*400 bad_request GET \/tnwr/);
    expect(await exchange(listener, `${first}${start}no colon\r\n\r\n`)).toMatch(/served[\s\S]*400 bad_request GET /);
  });

  test('an answer that was sent before its request’s body broke reaches the client, and is the only one', async () => {
    const answer = await exchange(listener, `${start.replace('/tnwr', '/early/tnwr')}${chunked}zz\r\n`);
    expect(answer).toContain('\r\n\r\nearly');
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  test('a refused request that no handler got is logged in one line, without its path', async () => {
    await exchange(listener, `${start}no colon\r\n\r\n`);
    await exchange(listener, `${line}\r\n`);
    const entry = { message: 'request', requestId: 'the-id', client: null, operation: 'none', method: 'GET' };
    expect(logged).toEqual([
      { ...entry, status: 400, code: 'bad_request' },
      { ...entry, status: 400, code: 'bad_request' },
    ]);
  });
});

test('a port that another program uses is named with its setting', async () => {
  const { port } = listeners.get('HTTP') ?? { port: 0 };
  await expect(listen(handler, { host: '127.0.0.1', port, setting: 'GATEWAY_PORT' })).rejects.toThrow(
    new StartFault(`GATEWAY_PORT: port ${port} of 127.0.0.1 is in use by another program`),
  );
});
