import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { developmentCertificate, type ListenOptions, listen } from '../../src/index.ts';

const directory = mkdtempSync(join(tmpdir(), 'boxoffice-silent-'));
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => rmSync(directory, { recursive: true }));

const onLinux = process.platform === 'linux' ? test : test.skip;

/** A busy HTTPS listener; `connections` counts those that the server has got. */
const start = async (options: Partial<ListenOptions> = {}) => {
  const tls = await developmentCertificate(directory, ['localhost']);
  const listening = await listen((request, response) => request.resume().on('end', () => response.end('hello')), {
    host: '127.0.0.1',
    port: 0,
    isBusy: true,
    tls,
    ...options,
  });
  closing.push(() => listening.close(0));
  const counts = { connections: 0 };
  listening.server.on('connection', () => {
    counts.connections += 1;
  });
  return { ...listening, counts };
};

const open = async (port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.resume();
  closing.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
};

/** The answer to a request over TLS on a connection. */
const ask = async (socket: Socket): Promise<string> => {
  const secure = connectTls({ socket, servername: 'localhost', rejectUnauthorized: false });
  secure.end('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello');
  let text = '';
  for await (const chunk of secure) text += chunk;
  return text.slice(-5);
};

onLinux('a connection is handed to TLS when its client has sent something', async () => {
  const { port, counts } = await start();
  const silent = await open(port);
  const speaking = await open(port);
  expect(await ask(speaking)).toBe('hello');
  // The first one was accepted before the second was answered.
  expect(counts.connections).toBe(1);
  expect(await ask(silent)).toBe('hello');
  expect(counts.connections).toBe(2);
});

onLinux('a handshake that arrives in pieces is one', async () => {
  const { port } = await start();
  const socket = await open(port);
  const pieces = connectTls({ host: '127.0.0.1', port: await relayInPieces(socket), rejectUnauthorized: false });
  pieces.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello');
  let text = '';
  for await (const chunk of pieces) text += chunk;
  expect(text.slice(-5)).toBe('hello');
});

/** A port whose one client reaches `upstream` a byte at a time. */
const relayInPieces = async (upstream: Socket): Promise<number> => {
  const server = createServer((client) => {
    client.on('data', async (bytes: Buffer) => {
      client.pause();
      for (const byte of bytes.subarray(0, 20)) {
        upstream.write(Buffer.from([byte]));
        await new Promise(setImmediate);
      }
      if (bytes.length > 20) upstream.write(bytes.subarray(20));
      client.resume();
    });
    upstream.on('data', (bytes: Buffer) => client.write(bytes));
    upstream.on('end', () => client.end());
    client.on('error', () => undefined);
  });
  closing.push(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('it listens');
  return address.port;
};

onLinux('a client that sends nothing is disconnected when its headers are due', async () => {
  const { port, counts } = await start({ limits: { headersMs: 200 } });
  const silent = await open(port);
  await once(silent, 'close');
  expect(counts.connections).toBe(0);
});

onLinux('a client that leaves without a word takes nothing along', async () => {
  const { port, counts } = await start();
  const silent = await open(port);
  silent.end();
  await once(silent, 'close');
  expect(await ask(await open(port))).toBe('hello');
  expect(counts.connections).toBe(1);
});

onLinux('silent connections count for the limit of an address', async () => {
  const admitted: Socket[] = [];
  const { port } = await start({
    admit(socket) {
      if (admitted.length === 2) return false;
      admitted.push(socket);
      return true;
    },
  });
  await Promise.all([open(port), open(port)]);
  while (admitted.length < 2) await new Promise(setImmediate);
  const refused = connect(port, '127.0.0.1').resume();
  const [error] = await once(refused, 'error');
  expect(error.code).toBe('ECONNRESET');
});

onLinux('a stop does not wait for silent connections', async () => {
  const { port, close } = await start();
  const silent = await open(port);
  const ended = once(silent, 'close');
  // So long a time for running requests that only what is silent ends.
  await close(600_000);
  await ended;
});
