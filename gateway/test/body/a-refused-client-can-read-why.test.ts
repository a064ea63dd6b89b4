import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { clientOf } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';

const LIST = '/svc/v3/contacts/individuals';

let its: Installation;
beforeAll(async () => {
  its = await startInstallation({ trustProxy: ['127.0.0.0/8'] });
});
afterAll(() => its.close());

const MEGABYTE = 1_048_576;

describe.each([true, false])('over TLS, keep-alive: %s', (keepAlive) => {
  test.each([2, 5])('a body of %i MB is always 413, and the connection is closed', async (megabytes) => {
    const headers = { authorization: `Bearer ${its.authorizer.token(['contacts:write'])}` };
    const body = Buffer.alloc(megabytes * MEGABYTE, 'x');
    for (let index = 0; index < 6; index += 1) {
      const client = clientOf(its.gateway.httpsUrl, its.ca);
      const framing: Record<string, string> = index % 2 === 0 ? {} : { 'transfer-encoding': 'chunked' };
      const more = { ...headers, ...framing, ...(keepAlive ? {} : { connection: 'close' }) };
      const reply = await client.call(LIST, { method: 'POST', body, headers: more });
      client.close();
      expect([reply.status, reply.body.status, reply.headers.connection]).toEqual([413, 'payload_too_large', 'close']);
    }
  });
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
