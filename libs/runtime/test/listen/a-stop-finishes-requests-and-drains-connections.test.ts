import { once } from 'node:events';
import { Agent, get, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from '@jest/globals';
import { type Listening, listen } from '../../src/index.ts';

const agent = new Agent({ keepAlive: true });

/** Sends a POST through the agent; resolves to the status and the Connection header, or to the error code. */
const post = ({ port }: Listening): Promise<string> =>
  new Promise((resolve) => {
    const sent = request({ agent, port, host: '127.0.0.1', method: 'POST' }, (answer: IncomingMessage) => {
      answer.resume();
      sent.on('close', () => resolve(`${answer.statusCode} ${answer.headers.connection}`));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code))).end('body');
  });

/** Milliseconds. */
const DRAIN_MS = 400;

const start = (drainMs?: number) =>
  listen((_request, response) => response.end('served'), { host: '127.0.0.1', port: 0, drainMs });

describe('without a drain', () => {
  test('no more requests are accepted, and the running one finishes', async () => {
    const arrived = Promise.withResolvers<ServerResponse>();
    const listening = await listen((_request, response) => arrived.resolve(response), { host: '127.0.0.1', port: 0 });
    const answer = fetch(listening.url).then((response) => response.text());
    const response = await arrived.promise;
    const closed = listening.close();
    await expect(fetch(listening.url)).rejects.toThrow();
    await setTimeout(100);
    response.end('finished');
    expect(await answer).toBe('finished');
    await closed;
  });

  test('idle connections are closed', async () => {
    const listening = await start();
    const own = new Agent({ keepAlive: true });
    const [response] = await once(get(listening.url, { agent: own }), 'response');
    response.resume();
    await once(response, 'close');
    await listening.close(600_000);
    own.destroy();
  });

  test('connections without a request are closed', async () => {
    const listening = await start();
    const silent = connect(listening.port, '127.0.0.1').resume();
    await once(listening.server, 'connection');
    const ended = once(silent, 'close');
    await listening.close(600_000);
    await ended;
  });

  test('a request that outlasts the grace period is aborted', async () => {
    const arrived = Promise.withResolvers<void>();
    const listening = await listen(() => arrived.resolve(), { host: '127.0.0.1', port: 0 });
    const failed = expect(fetch(listening.url)).rejects.toThrow();
    await arrived.promise;
    await listening.close(20);
    await failed;
  });

  test('a request that arrived while the process had no processor time is answered', async () => {
    const listening = await start();
    const signal = new Int32Array(new SharedArrayBuffer(8));
    const accepted = once(listening.server, 'connection');
    const worker = new Worker(CLIENT, { eval: true, workerData: { port: listening.port, signal } });
    await once(worker, 'message');
    await accepted;
    const closed = listening.close();
    worker.postMessage('send');
    Atomics.wait(signal, 0, 0, 60_000);
    const [answer] = await once(worker, 'message');
    expect(answer).toContain('HTTP/1.1 200');
    await closed;
    await worker.terminate();
  });
});

/** A client in a thread of its own: it sends while the event loop of the test stands still, then lets it go on. */
const CLIENT = `
  const { connect } = require('node:net');
  const { parentPort, workerData: { port, signal } } = require('node:worker_threads');
  const socket = connect(port, '127.0.0.1', () => parentPort.postMessage('connected'));
  socket.on('error', (error) => parentPort.postMessage(error.code));
  socket.on('data', (answer) => parentPort.postMessage(answer.toString()));
  parentPort.once('message', () => {
    socket.write('GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n', () => {
      // Longer than the interval at which the drain closes idle connections.
      Atomics.wait(signal, 1, 0, 100);
      Atomics.store(signal, 0, 1);
      Atomics.notify(signal, 0);
    });
  });
`;

describe('during the drain', () => {
  test('a keep-alive connection serves one more request with Connection: close, and so does a new one', async () => {
    const listening = await start(DRAIN_MS);
    const [first, second] = await Promise.all([post(listening), post(listening)]);
    expect([first, second]).toEqual(['200 keep-alive', '200 keep-alive']);
    const earliest = Date.now() + DRAIN_MS - 10;
    const closed = listening.close();
    // The third one is on a connection of its own, which is on its way at the end of the drain at the latest.
    const last = await Promise.all([post(listening), post(listening), post(listening)]);
    expect(last).toEqual(['200 close', '200 close', '200 close']);
    await closed;
    expect(Date.now()).toBeGreaterThanOrEqual(earliest);
    expect(await post(listening)).toBe('ECONNREFUSED');
  });

  test('an idle connection that gets no further request is closed at its end', async () => {
    const listening = await start(DRAIN_MS);
    expect(await post(listening)).toBe('200 keep-alive');
    // So long a time for running requests that only idle connections end.
    await listening.close(600_000);
    expect(['ECONNREFUSED', 'ECONNRESET']).toContain(await post(listening));
  });

  test('under continuous load every request gets an answer until the listener closes', async () => {
    // So long that every client gets an answer meanwhile, also where this process stands still for most of a second.
    const listening = await start(1_000);
    const client = async (): Promise<string[]> => {
      const answers: string[] = [];
      while (!answers.at(-1)?.startsWith('E')) {
        answers.push(await post(listening));
        await setTimeout(2);
      }
      return answers;
    };
    const clients = Array.from({ length: 8 }, client);
    await Promise.all(Array.from({ length: 8 }, () => post(listening)));
    await listening.close();
    for (const answers of await Promise.all(clients)) {
      // There is no other instance: each client has Connection: close on its last answer, and one failure.
      expect(['ECONNREFUSED', 'ECONNRESET']).toContain(answers.pop());
      expect(answers.at(-1)).toBe('200 close');
      expect(answers.filter((one) => one !== '200 close' && one !== '200 keep-alive')).toEqual([]);
    }
  });

  test('the end comes early when no connection is open', async () => {
    const [used, unused] = [await start(2_000), await start(2_000)];
    await post(used);
    const ended: string[] = [];
    const close = (name: string, listening: Listening) => listening.close().then(() => ended.push(name));
    await Promise.all([close('with an idle connection', used), close('without connections', unused)]);
    expect(ended).toEqual(['without connections', 'with an idle connection']);
  });
});
