import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from '@jest/globals';
import { createServiceClient } from '../../src/index.ts';

const credentials = { tokenFor: async () => 'token' };
const api = { service: 'catalog', operations: { look: { method: 'GET', path: '/internal/look' } } } as const;

interface Look {
  readonly look: { readonly parameters: { readonly query?: never; readonly path?: never }; readonly responses: object };
}

/** A service in another thread: tells when a request has arrived, and answers it after 50 ms, or never. */
const service = `
  const { parentPort, workerData: { arrived, answers } } = require('node:worker_threads');
  const server = require('node:http').createServer((request, response) => {
    Atomics.store(arrived, 0, 1);
    const answer = () => response.end(JSON.stringify({ status: 'success', details: null, data: { seen: true } }));
    if (answers) setTimeout(answer, 50);
  }).listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

const start = async (answers: boolean) => {
  const arrived = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(service, { eval: true, workerData: { arrived, answers } });
  const [port] = await once(worker, 'message');
  const options = { url: `http://127.0.0.1:${port}`, credentials, timeoutMs: 3_000, logger: { warn() {} } };
  const client = createServiceClient<Look>(api, options);
  return {
    call: () => client.call('opera', 'look').catch(({ code }) => code),
    hasArrived: () => Atomics.load(arrived, 0) === 1,
    close: () => worker.terminate(),
  };
};

test('an answer that arrived while the process stood still counts, although the time is over', async () => {
  // Negative control: without an answer the call fails.
  const services = await Promise.all([start(true), start(false)]);
  const calls = services.map(({ call }) => call());
  while (!services.every(({ hasArrived }) => hasArrived())) await new Promise((resolve) => setTimeout(resolve, 1));
  // In this phase of the event loop, timers come before what has arrived.
  await new Promise(setImmediate);
  // Longer than the calls may take.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_500);
  expect(await Promise.all(calls)).toEqual([{ seen: true }, 'service_unavailable']);
  await Promise.all(services.map(({ close }) => close()));
});
