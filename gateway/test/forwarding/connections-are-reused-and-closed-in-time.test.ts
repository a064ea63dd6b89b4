import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, get, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInstances, developmentCertificate, listen } from '@boxoffice/runtime';
import { afterEach, expect, test } from '@jest/globals';
import { createAddresses } from '../../src/upstream/addresses.ts';
import { Pool } from '../../src/upstream/pool.ts';
import { until } from '../fixtures/http.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A server that counts its connections and runs the test's listener. */
const start = async (server: Server = createServer((_, response) => response.end('ok'))) => {
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on('connection', (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const pool = new Pool({ protocol: 'http:', hostname: '127.0.0.1', port });
  closing.push(() => pool.destroy());
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { pool, port, sockets, accepted: () => accepted };
};

const ask = async (pool: Pool, port: number): Promise<{ reused: boolean; text: string }> => {
  const sent = get({ agent: pool, host: '127.0.0.1', port });
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  pool.onResponse(reply.headers, reply.socket.remoteAddress);
  const text = Buffer.concat(await reply.toArray()).toString();
  await until(() => sent.destroyed);
  return { reused: sent.reusedSocket, text };
};

test('sequential requests share a connection; concurrent ones do not', async () => {
  const { pool, port, accepted } = await start();
  const all = [await ask(pool, port), await ask(pool, port), await ask(pool, port)];
  expect(all.map(({ reused }) => reused)).toEqual([false, true, true]);
  await Promise.all(Array.from({ length: 5 }, () => ask(pool, port)));
  expect(accepted()).toBe(5);
});

test('a connection that the service closed while it was idle is not used again', async () => {
  const { pool, port, sockets } = await start();
  await ask(pool, port);
  for (const socket of sockets) socket.destroy();
  await until(() => sockets.size === 0);
  const again = await ask(pool, port);
  expect(again.text).toBe('ok');
});

test('a connection with “Connection: close” or with unsolicited data is not used again', async () => {
  const { pool, port, accepted } = await start(
    createServer((_, response) => {
      response.setHeader('Connection', 'close');
      response.end('ok');
    }),
  );
  await ask(pool, port);
  await ask(pool, port);
  expect(accepted()).toBe(2);
});

test('after “Connection: close” the idle connections are closed too, because the service is about to stop', async () => {
  let stopping = false;
  const arrived: (() => void)[] = [];
  const { pool, port, sockets } = await start(
    createServer((_, response) => {
      if (stopping) response.setHeader('Connection', 'close');
      // The first three are answered together, so that each has its own connection.
      arrived.push(() => response.end('ok'));
      if (stopping || arrived.length === 3) for (const answer of arrived.splice(0)) answer();
    }),
  );
  await Promise.all([ask(pool, port), ask(pool, port), ask(pool, port)]);
  expect(sockets.size).toBe(3);
  stopping = true;
  await ask(pool, port);
  await until(() => sockets.size === 0);
});

test('an instance that stops under load causes no failure while another one serves', async () => {
  const answering = () => (_request: IncomingMessage, response: ServerResponse) => response.end('ok');
  const staying = await listen(answering(), { host: '127.0.0.1', port: 0 });
  const { port } = staying;
  const leaving = await listen(answering(), { host: '127.0.0.2', port, drainMs: 400 });
  closing.push(() => staying.close(0));
  const both = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  const instances = createInstances({
    resolve: (_name, done) => done(null, Math.random() < 0.5 ? both : both.toReversed()),
  });
  const addresses = createAddresses({ host: 'orders.test', instances });
  const pool = new Pool({ protocol: 'http:', hostname: 'orders.test', port, addresses });
  closing.push(() => pool.destroy());
  const outcomes: string[] = [];
  let over = false;
  const client = async (): Promise<void> => {
    while (!over) {
      outcomes.push(
        await ask(pool, port).then(
          ({ text }) => text,
          ({ code }) => String(code),
        ),
      );
    }
  };
  const clients = Array.from({ length: 8 }, client);
  await until(() => outcomes.length > 100);
  await leaving.close();
  const before = outcomes.length;
  await until(() => outcomes.length > before + 100);
  over = true;
  await Promise.all(clients);
  expect(outcomes.filter((outcome) => outcome !== 'ok')).toEqual([]);
});

test('an idle connection is closed before the service’s keep-alive timeout', async () => {
  const server = createServer({ keepAliveTimeout: 2_000 }, (_, response) => response.end('ok'));
  const { pool, port, sockets } = await start(server);
  await ask(pool, port);
  const ended = new Promise((resolve) => {
    for (const socket of sockets) socket.once('end', () => resolve('by the client'));
  });
  // The service would destroy it without an orderly end.
  expect(await ended).toBe('by the client');
});

test('a busy connection is renewed, so that a new instance behind the same name gets its share', async () => {
  const { port, accepted, sockets } = await start();
  const pool = new Pool({ protocol: 'http:', hostname: '127.0.0.1', port, renewedAfterMs: 60 });
  closing.push(() => pool.destroy());
  const earliest = Date.now() + 80;
  while (accepted() < 4) await ask(pool, port);
  expect(Date.now()).toBeGreaterThanOrEqual(earliest);
  await until(() => sockets.size <= 1);
});

test('a request that cannot be repeated uses a recently used connection or a new one', async () => {
  const { pool, port } = await start();
  const post = async (): Promise<boolean> => {
    const sent = request({ agent: pool, host: '127.0.0.1', port, method: 'POST' }).end();
    const [reply] = (await once(sent, 'response')) as [IncomingMessage];
    reply.resume();
    await until(() => sent.destroyed);
    return sent.reusedSocket;
  };
  expect([await post(), await post()]).toEqual([false, true]);
  const since = Date.now();
  await until(() => Date.now() > since + 700);
  expect(await post()).toBe(false);
  await until(() => Date.now() > since + 1_500);
  expect((await ask(pool, port)).reused).toBe(true);
});

test('a pool that is destroyed closes its connections', async () => {
  const { pool, port, sockets } = await start();
  await ask(pool, port);
  pool.destroy();
  await until(() => sockets.size === 0);
});

test('a service may use TLS, and its certificate is verified', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'boxoffice-pool-'));
  const tls = await developmentCertificate(directory);
  await rm(directory, { recursive: true });
  const server = createTlsServer(tls, (_, response) => response.end('ok')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const pool = new Pool({ protocol: 'https:', hostname: '127.0.0.1', port });
  closing.push(() => pool.destroy());
  const { request } = await import('node:https');
  const [error] = await once(request({ agent: pool, host: '127.0.0.1', port }).end(), 'error');
  expect(error.code).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
});
