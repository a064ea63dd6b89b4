import { Agent, type IncomingMessage, request } from 'node:http';
import { expect, test } from '@jest/globals';
import { type Listening, listen } from '../../src/index.ts';

const agent = new Agent({ keepAlive: true });

/** Sends a POST through the agent, and answers what came back, or the code of the error. */
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

const start = () =>
  listen((_request, response) => response.end('served'), { host: '127.0.0.1', port: 0, drainMs: DRAIN_MS });

test('at the end a kept connection serves one more request and says that it was the last, and so does a new one for a while', async () => {
  const listening = await start();
  const [first, second] = await Promise.all([post(listening), post(listening)]);
  expect([first, second]).toEqual(['200 keep-alive', '200 keep-alive']);
  const earliest = Date.now() + DRAIN_MS - 10;
  const closed = listening.close();
  expect(await Promise.all([post(listening), post(listening)])).toEqual(['200 close', '200 close']);
  // Whoever was on his way to it.
  expect(await post(listening)).toBe('200 close');
  await closed;
  expect(Date.now()).toBeGreaterThanOrEqual(earliest);
  expect(await post(listening)).toBe('ECONNREFUSED');
});

test('under requests without a pause each gets an answer, until the door closes on who knocks at it', async () => {
  const listening = await start();
  const client = async (): Promise<string[]> => {
    const heard: string[] = [];
    while (!heard.at(-1)?.startsWith('E')) heard.push(await post(listening));
    return heard;
  };
  const clients = Array.from({ length: 8 }, client);
  await Promise.all(Array.from({ length: 8 }, () => post(listening)));
  await listening.close();
  for (const heard of await Promise.all(clients)) {
    // Nobody else is there to go to: each has the news that it was its last connection, and one failure.
    expect(['ECONNREFUSED', 'ECONNRESET']).toContain(heard.pop());
    expect(heard.at(-1)).toBe('200 close');
    expect(heard.filter((one) => one !== '200 close' && one !== '200 keep-alive')).toEqual([]);
  }
});
