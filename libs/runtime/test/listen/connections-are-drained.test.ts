import { Agent, type IncomingMessage, request } from 'node:http';
import { expect, test } from '@jest/globals';
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

const start = (isBusy: boolean) =>
  listen((_request, response) => response.end('served'), { host: '127.0.0.1', port: 0, drainMs: DRAIN_MS, isBusy });

const kinds = [
  ['one socket', false],
  ['several sockets', true],
] as const;

test.each(kinds)(
  'on %s, during the drain a keep-alive connection serves one more request with Connection: close, and so does a new one',
  async (_, isBusy) => {
    const listening = await start(isBusy);
    const [first, second] = await Promise.all([post(listening), post(listening)]);
    expect([first, second]).toEqual(['200 keep-alive', '200 keep-alive']);
    const earliest = Date.now() + DRAIN_MS - 10;
    const closed = listening.close();
    expect(await Promise.all([post(listening), post(listening)])).toEqual(['200 close', '200 close']);
    // A connection that was already on its way.
    expect(await post(listening)).toBe('200 close');
    await closed;
    expect(Date.now()).toBeGreaterThanOrEqual(earliest);
    expect(await post(listening)).toBe('ECONNREFUSED');
  },
);

test.each(kinds)('on %s, an idle connection that gets no further request is closed', async (_, isBusy) => {
  const listening = await start(isBusy);
  expect(await post(listening)).toBe('200 keep-alive');
  // So long a time for running requests that only idle connections end.
  await listening.close(600_000);
  expect(['ECONNREFUSED', 'ECONNRESET']).toContain(await post(listening));
});

test.each(kinds)(
  'on %s, under continuous load every request gets an answer until the listener closes',
  async (_, isBusy) => {
    const listening = await start(isBusy);
    const client = async (): Promise<string[]> => {
      const answers: string[] = [];
      while (!answers.at(-1)?.startsWith('E')) answers.push(await post(listening));
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
  },
);

test.each(kinds)('on %s, a drain ends early when no connection is open', async (_, isBusy) => {
  const idleMs = 2_000;
  const options = { host: '127.0.0.1', port: 0, drainMs: idleMs, isBusy };
  const [used, unused] = await Promise.all([1, 2].map(() => listen((_request, response) => response.end(), options)));
  if (!used || !unused) throw new Error('two were started');
  await post(used);
  const ended: string[] = [];
  const close = (name: string, listening: Listening) => listening.close().then(() => ended.push(name));
  await Promise.all([close('with an idle connection', used), close('without connections', unused)]);
  expect(ended).toEqual(['without connections', 'with an idle connection']);
});
