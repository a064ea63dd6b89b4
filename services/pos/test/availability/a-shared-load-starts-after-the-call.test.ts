import { expect, test } from '@jest/globals';
import { createLatest } from '../../src/clients/latest.ts';

test('calls during a load share the next load', async () => {
  const latest = createLatest<number>();
  const answers: ((value: number) => void)[] = [];
  const load = () => new Promise<number>((resolve) => answers.push(resolve));
  const first = latest('a', load);
  const [second, third] = [latest('a', load), latest('a', load)];
  const other = latest('b', load);
  expect(answers).toHaveLength(2);
  answers[0]?.(1);
  expect(await first).toBe(1);
  answers[2]?.(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);
  answers[1]?.(9);
  expect(await other).toBe(9);
  const again = latest('a', load);
  answers[3]?.(3);
  expect(await again).toBe(3);
});

test('a failure rejects the callers that waited for it, but not the next load', async () => {
  const latest = createLatest<number>();
  const failing = latest('a', () => Promise.reject(new Error('planted')));
  const next = latest('a', async () => 1);
  await expect(failing).rejects.toThrow('planted');
  expect(await next).toBe(1);
});
