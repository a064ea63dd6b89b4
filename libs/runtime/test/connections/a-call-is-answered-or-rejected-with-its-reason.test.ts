import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { createAddresses, createHttpClient, ensureDevelopmentCertificate, listen } from '../../src/index.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A server with the port of its address and its connections. */
const start = async (server: Server, port = 0, address = '127.0.0.1') => {
  const sockets = new Set<Socket>();
  const seen = { connections: 0 };
  server.on('connection', (socket: Socket) => {
    seen.connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(port, address);
  await once(server, 'listening');
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  closing.push(close);
  return { port: (server.address() as AddressInfo).port, sockets, seen, close };
};

const serving = (answer: RequestListener) => start(createServer({ keepAliveTimeout: 600_000 }, answer));

test('calls in turn share connections, carry JSON, and resolve with any status', async () => {
  const { port, seen } = await serving(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    response.writeHead(409, { etag: '"1"' }).end(`${request.method} ${request.headers['content-type']} ${body}`);
  });
  const send = createHttpClient(`http://127.0.0.1:${port}`);
  const answer = await send({ method: 'POST', path: '/a', body: { b: 1 } });
  expect(answer).toMatchObject({ status: 409, headers: { etag: '"1"' }, text: 'POST application/json {"b":1}' });
  for (let count = 0; count < 10; count += 1) await send({ path: '/a' });
  expect(seen.connections).toBeLessThanOrEqual(2);
});

test('a call whose connection broke is sent again; an address without a listener is passed over', async () => {
  let requests = 0;
  const { port } = await serving((request, response) => {
    requests += 1;
    if (requests % 3 === 2) request.socket.resetAndDestroy();
    else if (requests % 3 === 0 && requests < 4) request.socket.destroy();
    else response.end('ok');
  });
  const url = `http://orders.test:${port}`;
  const addresses = createAddresses({ url, resolve: async () => ['127.0.0.3', '127.0.0.1'] });
  const send = createHttpClient(url, addresses);
  for (let count = 0; count < 20; count += 1) expect((await send({ path: '/' })).text).toBe('ok');
});

test('without an answer it rejects with the reason', async () => {
  const { port } = await serving((request) => {
    if (request.url === '/broken') request.socket.destroy();
    if (request.url === '/other')
      request.socket.end('HTTP/1.1 101 Other\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
    if (request.url === '/begun') request.socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbegun');
  });
  const send = createHttpClient(`http://127.0.0.1:${port}`);
  await expect(send({ path: '/silent', timeoutMs: 50 })).rejects.toThrow('no answer within 50 ms');
  await expect(send({ path: '/broken' })).rejects.toThrow('socket hang up');
  await expect(send({ path: '/other' })).rejects.toThrow('switches protocols');
  await expect(send({ path: '/begun', timeoutMs: 50 })).rejects.toThrow('no answer within 50 ms');
  await expect(send({ path: '/silent', signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow('stopped');
  await expect(createHttpClient('http://127.0.0.1:1')({ path: '/' })).rejects.toThrow('ECONNREFUSED');
});

test('an instance that stops under load causes no failure while another one serves', async () => {
  const answer: RequestListener = (_, response) => response.end('ok');
  const staying = await listen(answer, { host: '127.0.0.1', port: 0 });
  closing.push(() => staying.close(0));
  const { port } = staying;
  const leaving = await listen(answer, { host: '127.0.0.2', port, drainMs: 400 });
  const url = `http://orders.test:${port}`;
  const send = createHttpClient(url, createAddresses({ url, resolve: async () => ['127.0.0.1', '127.0.0.2'] }));
  let answers = 0;
  let isOver = false;
  const client = async (): Promise<void> => {
    while (!isOver) {
      expect((await send({ path: '/', timeoutMs: 60_000 })).text).toBe('ok');
      answers += 1;
    }
  };
  const clients = Array.from({ length: 8 }, client);
  const more = async (count: number) => {
    const end = answers + count;
    while (answers < end) await new Promise(setImmediate);
  };
  await more(100);
  await leaving.close();
  await more(100);
  isOver = true;
  await Promise.all(clients);
});

test('a certificate is verified, with the name of the address', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'boxoffice-call-'));
  const tls = await ensureDevelopmentCertificate(directory);
  await rm(directory, { recursive: true });
  const names: unknown[] = [];
  const server = createTlsServer({ ...tls, SNICallback: (name, done) => done(null, void names.push(name)) });
  const { port } = await start(server);
  for (const host of ['127.0.0.1', 'localhost']) {
    await expect(createHttpClient(`https://${host}:${port}`)({ path: '/' })).rejects.toMatchObject({
      code: 'SELF_SIGNED_CERT_IN_CHAIN',
    });
  }
  expect(names).toEqual(['localhost']);
});
