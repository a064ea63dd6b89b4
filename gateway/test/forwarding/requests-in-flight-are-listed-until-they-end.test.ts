import { expect, test } from '@jest/globals';
import { createInFlight } from '../../src/forwarding/in-flight.ts';

test('items are added and deleted in any order, and a visitor may delete', () => {
  const list = createInFlight<{ index: number; readonly name: number }>();
  const items = Array.from({ length: 10 }, (_, name) => ({ index: -1, name }));
  const names = () => {
    const found: number[] = [];
    list.visit(({ name }) => found.push(name));
    return found.toSorted();
  };
  for (const item of items) list.add(item);
  for (const name of [9, 0, 4, 4, 8]) list.delete(items[name] ?? { index: -1, name });
  expect([names(), list.size]).toEqual([[1, 2, 3, 5, 6, 7], 6]);
  list.visit((item) => {
    if (item.name % 2 === 0) list.delete(item);
  });
  expect(names()).toEqual([1, 3, 5, 7]);
  list.visit((item) => list.delete(item));
  expect(list.size).toBe(0);
});
