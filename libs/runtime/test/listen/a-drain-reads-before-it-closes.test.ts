import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, test } from '@jest/globals';
import { drainConnections } from '../../src/listen/drain.ts';

/** A client in a thread of its own: it sends while the event loop of the test stands still, then lets it go on. */
const CLIENT = `
  const { connect } = require('node:net');
  const { parentPort, workerData: { port, signal } } = require('node:worker_threads');
  const socket = connect(port, '127.0.0.1', () => parentPort.postMessage('connected'));
  socket.on('error', () => {});
  parentPort.once('message', () => {
    socket.write('a request', () => {
      // Longer than the interval at which the drain closes idle connections.
      Atomics.wait(signal, 1, 0, 100);
      Atomics.store(signal, 0, 1);
      Atomics.notify(signal, 0);
    });
  });
`;

test('a request that arrived while the process had no processor time is read before idle connections are closed', async () => {
  const log: string[] = [];
  const listener = createServer((socket) => socket.on('data', () => log.push('read')).on('error', () => undefined));
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const signal = new Int32Array(new SharedArrayBuffer(8));
  const accepted = once(listener, 'connection');
  const worker = new Worker(CLIENT, { eval: true, workerData: { port, signal } });
  await once(worker, 'message');
  // A connection that waits to be accepted would be read one turn of the event loop later.
  await accepted;
  const closed = Promise.withResolvers<void>();
  const server = {
    closeIdleConnections: () => log.push('closed'),
    closeAllConnections: () => undefined,
    close: () => undefined,
  } as unknown as Server;
  const drained = drainConnections(
    server,
    { port, close: () => closed.promise, closeSilent: () => undefined },
    { graceMs: 60_000, idleMs: 0, open: () => 1 },
  );
  worker.postMessage('send');
  Atomics.wait(signal, 0, 0, 20_000);
  while (!log.includes('closed')) await new Promise(setImmediate);
  expect(log[0]).toBe('read');
  closed.resolve();
  await drained;
  await worker.terminate();
  listener.close();
});
