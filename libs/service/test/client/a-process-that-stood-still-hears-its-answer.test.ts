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

/** The outcome of a call with a limit of 500 ms, during which this process stands still for two seconds. */
const outcome = async (answers: boolean): Promise<unknown> => {
  const arrived = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(service, { eval: true, workerData: { arrived, answers } });
  const [port] = await once(worker, 'message');
  const url = `http://127.0.0.1:${port}`;
  const client = createServiceClient<Look>(api, { url, credentials, timeoutMs: 500, logger: { warn() {} } });
  const called = client.call('opera', 'look').catch(({ code }) => code);
  while (Atomics.load(arrived, 0) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  // In this phase of the event loop, timers come before what has arrived.
  await new Promise(setImmediate);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
  const found = await called;
  await worker.terminate();
  return found;
};

test('an answer that arrived while the process stood still counts, although the time is over', async () => {
  expect(await outcome(true)).toEqual({ seen: true });
});

test('negative control: without an answer the call fails', async () => {
  expect(await outcome(false)).toBe('service_unavailable');
});
