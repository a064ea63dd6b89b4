import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { developmentCertificate, type Listening, listen, type Refusal } from '../../src/index.ts';

let listening: Listening;
let overTls: Listening;

const handler: RequestListener = (request, response) => {
  if (request.url?.startsWith('/early')) response.writeHead(401, { 'Content-Length': 5 }).write('early');
  request.resume().on('end', () => response.end('served'));
};

const options = {
  host: '127.0.0.1',
  port: 0,
  // As the gateway listens.
  isBusy: true,
  refuse: ({ status, code, method, path }: Refusal) => ({
    headers: { 'X-Shape': 'own' },
    body: [status, code, method, path].join(' '),
  }),
};

beforeAll(async () => {
  listening = await listen(handler, { ...options, limits: { headersMs: 2_000, requestMs: 3_000 } });
  const tls = await developmentCertificate(mkdtempSync(join(tmpdir(), 'boxoffice-refusals-')));
  overTls = await listen(handler, { ...options, tls });
});
afterAll(async () => {
  await listening.close();
  await overTls.close();
});

const exchangeOverTls = async (bytes: string): Promise<string> => {
  const socket = connectTls({ port: overTls.port, host: '127.0.0.1', rejectUnauthorized: false });
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk)).write(bytes);
  await once(socket, 'close');
  return Buffer.concat(received).toString();
};

const exchange = async (...parts: string[]): Promise<string> => {
  const socket = connect(listening.port, '127.0.0.1');
  const received: Buffer[] = [];
  socket.on('data', (chunk) => {
    received.push(chunk);
    const next = parts.shift();
    if (next) socket.write(next);
  });
  socket.write(parts.shift() ?? '');
  await once(socket, 'close');
  return Buffer.concat(received).toString();
};

const start = 'GET /tnwr/v1/products HTTP/1.1\r\nHost: x\r\n';

describe('listen', () => {
  test.each([
    ['a broken header', `${start}no colon\r\n\r\n`, '400 bad_request GET /tnwr/v1/products'],
    ['no Host', 'GET /tnwr/v1/products HTTP/1.1\r\n\r\n', '400 bad_request GET /tnwr/v1/products'],
    ['not HTTP at all', 'hello\r\n\r\n', '400 bad_request'],
    ['a broken body', `${start}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, '400 bad_request GET /tnwr/v1/products'],
    ['large headers', `${start}X: ${'x'.repeat(20_000)}\r\n\r\n`, '431 headers_too_large GET /tnwr/v1/products'],
    ['headers that never arrive', start, '408 request_timeout GET /tnwr/v1/products'],
    ['a request line that never arrives', 'GET /tnw', '408 request_timeout'],
    ['a body that never arrives', `${start}Content-Length: 9\r\n\r\nabc`, '408 request_timeout GET /tnwr/v1/products'],
    ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n', '400 bad_request CONNECT a:1'],
  ])('%s', async (_name, sent, shape) => {
    const answer = await exchange(sent);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${shape.slice(0, 3)} `));
    expect(answer).toContain('X-Shape: own');
    expect(answer).toContain(shape);
  });

  const codings = ['identity', 'gzip', 'chunked, identity', 'x-chunked'];
  const methods = ['GET', 'POST', 'PUT', 'OPTIONS', 'TRACE', 'DELETE'];
  test.each(codings.flatMap((coding) => methods.map((method) => [method, coding])))(
    '%s with the last coding %s',
    async (method, coding) => {
      const bytes = `${method} /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
      for (const answer of [await exchange(bytes), await exchangeOverTls(bytes)]) {
        expect(answer).toContain(`400 bad_request ${method} /a`);
        expect(answer.match(/^HTTP\/1\.1 /gm)).toHaveLength(1);
      }
    },
  );

  test('an answer that was sent before its request’s body broke reaches the client, over TLS, too', async () => {
    const bytes = `${start}Transfer-Encoding: chunked\r\n\r\nzz\r\n`;
    expect(await exchangeOverTls(bytes.replace('/tnwr', '/early/tnwr'))).toContain('\r\n\r\nearly');
  });

  test('the second request of a connection is refused in the shape of its own line', async () => {
    const answer = await exchange('GET /a HTTP/1.1\r\nHost: x\r\n\r\n', 'GET /b HTTP/1.1\r\nHost: x\r\n');
    expect(answer).toContain('served');
    expect(answer).toContain('408 request_timeout GET /b');
  });
});
