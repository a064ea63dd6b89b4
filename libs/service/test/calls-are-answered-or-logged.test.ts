import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { Fault } from '@boxoffice/envelope';
import { expect, test } from '@jest/globals';
import { createFailureLog, createServiceClient } from '../src/client.ts';

interface Look {
  readonly look: { readonly parameters: { readonly query?: never; readonly path?: never }; readonly responses: object };
}

const api = { service: 'catalog', operations: { look: { method: 'GET', path: '/look' } } } as const;
const credentials = { tokenFor: async () => 'identity' };

const lines: { readonly message: string; readonly fields: object | undefined }[] = [];
const logger = { warn: (message: string, fields?: object) => void lines.push({ message, fields }) };

test('a call without an answer or with a 5xx is logged with service, operation and reason', async () => {
  const answers = {
    silent: () => undefined,
    failing: (response: { writeHead(status: number): { end(text: string): void } }) => response.writeHead(502).end(''),
  };
  for (const [kind, timeoutMs, reason] of [
    ['silent', 50, 'no answer within 50 ms'],
    ['failing', 60_000, 'it answered 502'],
  ] as const) {
    lines.length = 0;
    const server = createServer((_, response) => answers[kind](response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = createServiceClient<Look>(api, { url, credentials, timeoutMs, logger });
    await expect(client.call('opera', 'look')).rejects.toMatchObject({ code: 'service_unavailable' });
    server.closeAllConnections();
    server.close();
    expect(lines).toEqual([
      {
        message: 'a call of another service failed',
        fields: { upstream: 'catalog', operation: 'look', reason, durationMs: expect.any(Number), count: 1 },
      },
    ]);
  }
});

test('a call that gets no identity token is logged, too', async () => {
  lines.length = 0;
  const refused = new Fault('service_unavailable', 'The authorizer does not answer at the moment.');
  const without = { tokenFor: () => Promise.reject(refused) };
  const client = createServiceClient<Look>(api, { url: 'http://127.0.0.1:1', credentials: without, logger });
  await expect(client.call('opera', 'look')).rejects.toBe(refused);
  expect(lines).toMatchObject([
    { fields: { operation: 'look', reason: 'The authorizer does not answer at the moment.' } },
  ]);
});

test('failed calls of an unavailable service are logged once in ten seconds, with their number', () => {
  let now = 0;
  lines.length = 0;
  const log = createFailureLog('catalog', logger, () => now);
  for (const at of [0, 1, 9_999, 10_000, 10_001]) {
    now = at;
    log({ operation: 'look', reason: 'no answer', durationMs: 1 });
  }
  expect(lines.map(({ fields }) => (fields as { count: number }).count)).toEqual([1, 3]);
});

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
