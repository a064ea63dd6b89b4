import { expect, test } from '@jest/globals';
import { openPostbox } from '../src/testkit/index.ts';

test('a receiver takes JSON by POST at its own path, refuses everything else, and goes on', async () => {
  const taken: unknown[] = [];
  const { url, close } = await openPostbox(({ body }, response) => {
    taken.push(body);
    response.writeHead(204).end();
  });
  const send = async (to: string, method: string, body?: string) => (await fetch(to, { method, body })).status;
  const elsewhere = new URL('/hook', url).href;
  expect([
    await send(url, 'GET'),
    await send(url, 'POST'),
    await send(url, 'POST', '{'),
    await send(elsewhere, 'POST', '{"of":"another suite"}'),
    await send(url, 'POST', '{"own":true}'),
  ]).toEqual([404, 400, 400, 404, 204]);
  expect(taken).toEqual([{ own: true }]);
  await close();
});
