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

test('one after the other, requests share a connection; at once, they do not', async () => {
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

test('neither is one that answers “Connection: close”, nor one that speaks out of turn', async () => {
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

test('when one says “Connection: close”, the idle ones are given up too: the service is about to stop', async () => {
  let stopping = false;
  const arrived: (() => void)[] = [];
  const { pool, port, sockets } = await start(
    createServer((_, response) => {
      if (stopping) response.setHeader('Connection', 'close');
      // The first three are answered together, so that each has a connection of its own.
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

test('an instance that stops under load costs no request while another one is there', async () => {
  const answering = () => (_request: IncomingMessage, response: ServerResponse) => response.end('ok');
  const staying = await listen(answering(), { host: '127.0.0.1', port: 0 });
  const { port } = staying;
  const leaving = await listen(answering(), { host: '127.0.0.2', port, farewellMs: 400 });
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
  const asked = outcomes.length;
  await until(() => outcomes.length > asked + 100);
  over = true;
  await Promise.all(clients);
  expect(outcomes.filter((outcome) => outcome !== 'ok')).toEqual([]);
});

test('an idle connection is given up before the service’s own time is over', async () => {
  const server = createServer({ keepAliveTimeout: 2_000 }, (_, response) => response.end('ok'));
  const { pool, port, sockets } = await start(server);
  await ask(pool, port);
  const ended = new Promise((resolve) => {
    for (const socket of sockets) socket.once('end', () => resolve('by the client'));
  });
  // The service would destroy it without an orderly end.
  expect(await ended).toBe('by the client');
});

test('a connection that is used all the time is renewed: a new instance behind the same name is to get its share', async () => {
  const { port, accepted, sockets } = await start();
  const pool = new Pool({ protocol: 'http:', hostname: '127.0.0.1', port, renewedAfterMs: 60 });
  closing.push(() => pool.destroy());
  const earliest = Date.now() + 80;
  while (accepted() < 4) await ask(pool, port);
  expect(Date.now()).toBeGreaterThanOrEqual(earliest);
  await until(() => sockets.size <= 1);
});

test('a request that cannot be sent twice goes on a connection that was used a moment ago, or on a new one', async () => {
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

test('a service may be behind TLS, and is verified then', async () => {
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
