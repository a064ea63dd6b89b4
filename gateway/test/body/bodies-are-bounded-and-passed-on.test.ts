import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { rawExchange, until } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';

const LIST = '/svc/v3/contacts/individuals';
const LIMIT = 256 * 1024;

let its: Installation;
beforeAll(async () => {
  its = await startInstallation({ trustProxy: ['127.0.0.0/8'] });
});
afterAll(() => its.close());

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

describe('requests without a body', () => {
  test('a POST without a body reaches the service with an empty one, not with an open one', async () => {
    const answer = await rawExchange(its.gateway.httpPort, head('Connection: close'));
    expect(answer).toContain('HTTP/1.1 200');
    expect(its.contacts.received.at(-1)?.headers).toMatchObject({ 'content-length': '0' });
    expect(its.contacts.received.at(-1)?.headers['transfer-encoding']).toBeUndefined();
  });
});

test('a client that disconnects in the middle of its body leaves no open request', async () => {
  const started = its.contacts.started();
  const socket = connect({ port: its.gateway.httpPort, host: '127.0.0.1' });
  const logged = () => its.log.filter(({ status }) => status === 499).length;
  const before = logged();
  socket.write(`${head('Content-Length: 1000')}abc`, () => socket.destroy());
  await until(() => logged() > before);
  expect((await post('{}')).status).toBe(200);
  expect(its.contacts.started()).toBe(started + 1);
});

test('pipelined requests are answered in order, each with its own body', async () => {
  const requests = ['a', 'bb', 'ccc'].map((body) => `${head(`Content-Length: ${body.length}`)}${body}`);
  const answer = await rawExchange(its.gateway.httpPort, requests.join('') + head('Connection: close'));
  expect([...answer.matchAll(/"body":"(\w*)"/g)].map(([, body]) => body)).toEqual(['a', 'bb', 'ccc', '']);
});
