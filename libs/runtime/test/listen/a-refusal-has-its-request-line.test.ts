import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { developmentCertificate, type Listening, listen, logRefused } from '../../src/index.ts';

const scratch = mkdtempSync(join(tmpdir(), 'lines-'));
const logged: object[] = [];
let accepted: Socket | undefined;
const listeners = new Map<string, Listening>();

const open = async (tls?: { cert: string; key: string }) => {
  const listening = await listen(
    (request, response) => {
      if (request.url?.startsWith('/early')) response.end('early');
      else request.resume().on('end', () => response.end('served'));
    },
    {
      host: '127.0.0.1',
      port: 0,
      tls,
      limits: { headersMs: 1_500, requestMs: 1_500 },
      refuse: ({ status, code, method, path }) => ({
        headers: { 'X-Request-Id': 'the-id' },
        body: [status, code, method, path].join(' '),
      }),
      onRefused: logRefused({ info: (message, fields) => logged.push({ message, ...fields }) }),
    },
  );
  listening.server.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    accepted = socket;
  });
  return listening;
};

beforeAll(async () => {
  const { cert, key } = await developmentCertificate(scratch, ['localhost']);
  listeners.set('HTTP', await open());
  listeners.set('HTTPS', await open({ cert: String(cert), key: String(key) }));
});
afterEach(() => {
  logged.length = 0;
  accepted = undefined;
});
afterAll(async () => {
  for (const listening of listeners.values()) await listening.close(0);
  rmSync(scratch, { recursive: true });
});

const holds = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise(setImmediate);
};

/** Sends the parts as separate packets: each when the server has read the ones before. */
const exchange = async (listener: string, parts: readonly string[]): Promise<string> => {
  const port = listeners.get(listener)?.port ?? 0;
  const socket = listener === 'HTTPS' ? connectTls({ port, rejectUnauthorized: false }) : connect(port, '127.0.0.1');
  let received = '';
  socket.setNoDelay(true).on('data', (chunk) => {
    received += chunk;
  });
  const closed = once(socket, 'close');
  let sent = 0;
  for (const part of parts) {
    socket.write(part);
    sent += part.length;
    await holds(() => (accepted?.bytesRead ?? 0) >= sent || socket.closed);
    // The parser has processed it at the end of the event loop's turn that read it.
    await new Promise(setImmediate);
    if (part.endsWith('\r\n\r\n')) await holds(() => /served|early|40\d|431/.test(received) || socket.closed);
  }
  await closed;
  return received;
};

const line = 'GET /tnwr/v1/products?secret=1 HTTP/1.1\r\n';
const start = `${line}Host: x\r\n`;
const known = 'GET /tnwr/v1/products?secret=1';

describe.each(['HTTP', 'HTTPS'])('over %s', (listener) => {
  test.each([
    ['large headers', [`${start}X: ${'x'.repeat(17_000)}\r\n\r\n`], `431 headers_too_large ${known}`],
    [
      'large headers, in pieces',
      [start, `X: ${'x'.repeat(9_000)}`, 'x'.repeat(9_000)],
      `431 headers_too_large ${known}`,
    ],
    ['a line, and then a bad header', [start, 'no colon\r\n\r\n'], `400 bad_request ${known}`],
    [
      'a line in pieces, and then a bad header',
      ['GE', 'T /tnwr/v1/products?sec', 'ret=1 HTTP/1.1\r\n', 'Host: x\r\n', 'a b\r\n\r\n'],
      `400 bad_request ${known}`,
    ],
    ['not HTTP at all', ['GET', '@\r\n\r\n'], '400 bad_request  '],
    ['headers that never arrive', [line, 'Host: x\r\n'], `408 request_timeout ${known}`],
  ])('%s', async (_name, parts, shape) => {
    expect(`${await exchange(listener, parts)} `).toContain(`\r\n\r\n${shape.trimEnd()} `);
  });

  test('a later request of the connection is refused in the shape of its own line, not of the first one', async () => {
    const first = 'GET /a HTTP/1.1\r\nHost: x\r\n\r\n';
    expect(await exchange(listener, [first, start, 'no colon\r\n\r\n'])).toContain(`400 bad_request ${known}`);
    expect(await exchange(listener, [`${start}\r\n`, 'zz\r\n\r\n'])).toMatch(/\r\n\r\n400 bad_request\s*$/);
    expect(await exchange(listener, [`${first}${start}no colon\r\n\r\n`])).toContain(`400 bad_request ${known}`);
  });

  test('a request with a malformed body is refused in the shape of its line, and not answered twice', async () => {
    const chunked = 'Host: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    const broken = await exchange(listener, [`POST /tnwr/v1/x HTTP/1.1\r\n${chunked}1\r\n`, 'a\r\n', 'zz\r\n']);
    expect(broken).toContain('400 bad_request POST /tnwr/v1/x');
    const early = await exchange(listener, [`POST /early HTTP/1.1\r\n${chunked}`, '1\r\na\r\n', 'zz\r\n']);
    expect(early).toContain('early');
    expect(early.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  test('a refused request that no handler got is logged in one line, without its path', async () => {
    await exchange(listener, [start, 'no colon\r\n\r\n']);
    await exchange(listener, [`${line}\r\n`]);
    const entry = { message: 'request', requestId: 'the-id', client: null, operation: 'none', method: 'GET' };
    expect(logged).toEqual([
      { ...entry, status: 400, code: 'bad_request' },
      { ...entry, status: 400, code: 'bad_request' },
    ]);
    expect(JSON.stringify(logged)).not.toContain('secret');
  });
});
