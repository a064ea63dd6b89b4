import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Client, clientOf, until } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';

const LIST = '/svc/v3/contacts/individuals';
const CONFIGURATION = new URL('../../../deploy/compose/nginx.conf', import.meta.url);

/** What nginx says of a port that another program has. */
const IN_USE = 'Address already in use';

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
};

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

let its: Installation;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  its = await startInstallation({ trustProxy: ['127.0.0.0/8'] });
});
afterAll(async () => {
  for (const close of closing) await close();
  await its.close();
});

/** Starts nginx with the configuration of the composition, adapted to this machine, and returns its port. */
const startNginx = async (changes: Readonly<Record<string, string>> = {}): Promise<number> => {
  for (;;) {
    const port = await freePort();
    if (await startNginxOn(port, changes)) return port;
  }
};

/** Whether it could be started; not if another program has taken the port meanwhile. */
const startNginxOn = async (port: number, changes: Readonly<Record<string, string>>): Promise<boolean> => {
  const inside = join(its.directory, `nginx-${port}`);
  const key = readFileSync(join(its.directory, 'development-key.pem'));
  writeFileSync(`${inside}.pem`, its.ca);
  writeFileSync(`${inside}.key`, key, { mode: 0o600 });
  const adapted = {
    'listen 8443': `listen 127.0.0.1:${port}`,
    'server gateway:8080': `server 127.0.0.1:${its.gateway.httpPort}`,
    '/tls/fullchain.pem': `${inside}.pem`,
    '/tls/privkey.pem': `${inside}.key`,
    '/tmp/nginx': inside,
    'worker_processes auto': 'worker_processes 1',
    ...changes,
  };
  let text = readFileSync(CONFIGURATION, 'utf8');
  for (const [from, to] of Object.entries(adapted)) {
    expect(text).toContain(from);
    text = text.replaceAll(from, to);
  }
  writeFileSync(`${inside}.conf`, text);
  const path = `${process.env.PATH}:/usr/sbin`;
  const nginx: ChildProcess = spawn('nginx', ['-c', `${inside}.conf`, '-g', 'daemon off;'], {
    env: { PATH: path },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  nginx.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  const ended = once(nginx, 'exit');
  closing.push(async () => {
    nginx.kill('SIGTERM');
    await ended;
  });
  await until(async () => {
    if (nginx.exitCode !== null && !said.includes(IN_USE)) throw new Error(`nginx ended: ${said}`);
    return said.includes(IN_USE) || isListening(port);
  });
  return !said.includes(IN_USE);
};

const clientAt = (port: number): Client => {
  const { call, close } = clientOf(`https://127.0.0.1:${port}`, its.ca);
  closing.push(close);
  return call;
};

test('requests, bodies and answers pass; the gateway sees the client’s address, and https', async () => {
  const call = clientAt(await startNginx());
  const token = its.authorizer.token(['contacts:write']);
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': '203.0.113.9' };
  const reply = await call(LIST, { method: 'POST', headers, body: '{"a":1}' });
  expect([reply.status, reply.body.data?.body]).toEqual([200, '{"a":1}']);
  expect(its.contacts.received.at(-1)?.headers['x-forwarded-for']).toBe('127.0.0.1');
  expect((await call(LIST)).status).toBe(401);
  const large = await call(LIST, { method: 'POST', headers, body: 'x'.repeat(300_000) });
  expect([large.status, large.body.status]).toEqual([413, 'payload_too_large']);
});

test('browsers are served over HTTP/2', async () => {
  const session = connectHttp2(`https://127.0.0.1:${await startNginx()}`, { ca: its.ca });
  closing.push(() => session.destroy());
  const stream = session.request({ ':path': '/errors' });
  const [headers] = await once(stream, 'response');
  expect(headers[':status']).toBe(200);
});

test('what nginx refuses itself has the shape of its family', async () => {
  const call = clientAt(await startNginx({ 'rate=100r/s': 'rate=1r/m', 'burst=400': 'burst=1' }));
  const envelope = (status: string) => ({ status, details: expect.any(String), data: null });
  const body = Buffer.alloc(1_100_000);
  const tooLarge = await call(LIST, { method: 'POST', body });
  expect([tooLarge.status, tooLarge.body]).toEqual([413, envelope('payload_too_large')]);
  expect((await call('/errors')).status).toBe(200);
  await call('/errors');
  const [a, b] = [await call(LIST), await call('/tnwr/v1/products')];
  expect([a.status, a.body]).toEqual([429, envelope('too_many_requests')]);
  expect([b.status, b.body]).toEqual([
    429,
    { success: false, errorCode: 'too_many_requests', errorMessage: expect.any(String) },
  ]);
});

test('without a gateway the answer is 502', async () => {
  const port = `${await freePort()}`;
  const call = clientAt(await startNginx({ [`server 127.0.0.1:${its.gateway.httpPort}`]: `server 127.0.0.1:${port}` }));
  const reply = await call(LIST);
  expect([reply.status, reply.body.status]).toEqual([502, 'bad_gateway']);
});
