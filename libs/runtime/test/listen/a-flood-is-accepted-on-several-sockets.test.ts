import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, test } from '@jest/globals';
import { listen } from '../../src/index.ts';

const CONNECTIONS = 128;

/** Opens connections in a thread of its own and wakes the waiting thread when the system has taken all of them. */
const CLIENTS = `
  const { connect } = require('node:net');
  const { workerData: { port, count, signal } } = require('node:worker_threads');
  let open = 0;
  for (let index = 0; index < count; index++)
    connect(port, '127.0.0.1', () => {
      open += 1;
      if (open < count) return;
      Atomics.store(signal, 0, 1);
      Atomics.notify(signal, 0);
    });
`;

/** The number of turns of the event loop in which connections that are queued already are accepted. */
const turnsToAccept = async (isBusy: boolean): Promise<number> => {
  const listening = await listen((_, response) => response.end(), { host: '127.0.0.1', port: 0, isBusy });
  let accepted = 0;
  listening.server.on('connection', () => {
    accepted += 1;
  });
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(CLIENTS, { eval: true, workerData: { port: listening.port, count: CONNECTIONS, signal } });
  await once(worker, 'online');
  // The event loop stands still until every client is connected.
  Atomics.wait(signal, 0, 0, 20_000);
  let turns = 0;
  while (accepted < CONNECTIONS) {
    const before = accepted;
    await new Promise(setImmediate);
    if (accepted > before) turns += 1;
  }
  await worker.terminate();
  await listening.close(0);
  return turns;
};

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise(setImmediate);
};

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('a busy listener accepts a queue of connections in few turns of the event loop', async () => {
  // 16 sockets have 8 each on average; one alone would need a turn for each connection.
  expect(await turnsToAccept(true)).toBeLessThan(CONNECTIONS / 2);
});

test('at most the permitted number of connections is open on all sockets together', async () => {
  const options = { host: '127.0.0.1', port: 0, isBusy: true, limits: { connections: 5 } };
  const listening = await listen((_, response) => response.end('served'), options);
  const sockets = Array.from({ length: 12 }, () => connect(listening.port, '127.0.0.1'));
  const closed = sockets.map((socket) => {
    socket.on('error', () => undefined);
    return once(socket, 'close');
  });
  let refused = 0;
  for (const one of closed) one.then(() => refused++);
  await until(() => refused === 7);
  sockets.find((socket) => !socket.destroyed)?.destroy();
  await until(() => refused === 8);
  const answer = await fetch(`${listening.url}/`, { headers: { Connection: 'close' } });
  expect(await answer.text()).toBe('served');
  for (const socket of sockets) socket.destroy();
  await listening.close(0);
});
