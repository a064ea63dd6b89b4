import { expect, jest, test } from '@jest/globals';
import { createInFlight } from '../../src/forwarding/in-flight.ts';

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

test('what is past due is late, and only a list with items has a timer', () => {
  jest.useFakeTimers();
  const late: string[] = [];
  const list = createInFlight<{ index: number; readonly dueAt: number; readonly name: string }>((item) => {
    late.push(item.name);
    list.delete(item);
  });
  expect(jest.getTimerCount()).toBe(0);
  list.add({ index: -1, dueAt: Date.now() + 150, name: 'slow' });
  jest.advanceTimersByTime(100);
  expect([late, jest.getTimerCount()]).toEqual([[], 1]);
  jest.advanceTimersByTime(100);
  expect([late, jest.getTimerCount()]).toEqual([['slow'], 0]);
  jest.useRealTimers();
});
