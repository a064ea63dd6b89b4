import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, jest, test } from '@jest/globals';
import { createInFlight } from '../../src/forwarding/in-flight.ts';
import { waitUntil } from '../fixtures/http.ts';

test('items are added and deleted in any order, and a visitor may delete', () => {
  const list = createInFlight<{ index: number; readonly dueAt: number; readonly name: number }>(() => undefined);
  const items = Array.from({ length: 10 }, (_, name) => ({ index: -1, dueAt: 0, name }));
  const names = () => {
    const found: number[] = [];
    list.visit(({ name }) => found.push(name));
    return found.toSorted();
  };
  for (const item of items) list.add(item);
  for (const name of [9, 0, 4, 4, 8]) list.delete(items[name] ?? { index: -1, dueAt: 0, name });
  expect([names(), list.size]).toEqual([[1, 2, 3, 5, 6, 7], 6]);
  list.visit((item) => {
    if (item.name % 2 === 0) list.delete(item);
  });
  expect(names()).toEqual([1, 3, 5, 7]);
  list.visit((item) => list.delete(item));
  expect(list.size).toBe(0);
  list.close();
});

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

test('what is past due is late, and only a list with items has a timer', () => {
  jest.useFakeTimers();
  const late: string[] = [];
  const list = createInFlight<{ index: number; readonly dueAt: number; readonly name: string }>((item) => {
    late.push(item.name);
    list.delete(item);
  });
  expect(jest.getTimerCount()).toBe(0);
  list.add({ index: -1, dueAt: Date.now() + 150, name: 'slow' });
  jest.advanceTimersByTime(101);
  expect([late, jest.getTimerCount()]).toEqual([[], 1]);
  jest.advanceTimersByTime(101);
  expect([late, jest.getTimerCount()]).toEqual([['slow'], 0]);
  jest.useRealTimers();
});
