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

const start = () =>
  listen((_request, response) => response.end('served'), { host: '127.0.0.1', port: 0, farewellMs: 5_000 });

test('at the end a kept connection serves one more request, says that it was the last, and holds nothing up then', async () => {
  const listening = await start();
  const [first, second] = await Promise.all([post(listening), post(listening)]);
  expect([first, second]).toEqual(['200 keep-alive', '200 keep-alive']);
  const begun = performance.now();
  const closed = listening.close();
  expect(await Promise.all([post(listening), post(listening)])).toEqual(['200 close', '200 close']);
  expect(await post(listening)).toBe('ECONNREFUSED');
  await closed;
  // Not the whole farewell: nobody is left to take leave of.
  expect(performance.now() - begun).toBeLessThan(4_000);
});

test('under requests without a pause, each gets an answer or finds nobody', async () => {
  const listening = await start();
  const heard = new Set<string>();
  let ended = false;
  const clients = Array.from({ length: 8 }, async () => {
    while (!ended) heard.add(await post(listening));
  });
  await Promise.all(Array.from({ length: 8 }, () => post(listening)));
  await listening.close();
  ended = true;
  await Promise.all(clients);
  heard.delete('ECONNREFUSED');
  expect([...heard].sort()).toEqual(['200 close', '200 keep-alive']);
});
