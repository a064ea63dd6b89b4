import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { createInFlight } from '../../src/forwarding/in-flight.ts';
import { waitUntil } from '../fixtures/http.ts';

test('what has arrived while the process stood still is not late', async () => {
  const late: string[] = [];
  const list = createInFlight<{ index: number; readonly dueAt: number; readonly name: string }>((item) => {
    late.push(item.name);
    list.delete(item);
  });
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [[socket]] = (await Promise.all([once(server, 'connection'), once(client, 'connect')])) as [[Socket], unknown];
  const answered = { index: -1, dueAt: Date.now() + 300, name: 'answered' };
  list.add(answered);
  list.add({ index: -1, dueAt: Date.now() + 300, name: 'silent' });
  client.once('data', () => list.delete(answered));
  await new Promise((resolve) => socket.write('the answer', resolve));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  await waitUntil(() => list.size === 0);
  expect(late).toEqual(['silent']);
  client.destroy();
  server.close();
});
