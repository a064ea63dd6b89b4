import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { createQuiet, skipWhenQuiet } from '../src/index.ts';

beforeAll(() => void jest.useFakeTimers());
afterAll(() => void jest.useRealTimers());

/** Runs the task three times, a second apart; returns how often it ran. */
const runsOf = async (run: () => Promise<void>, count: () => number): Promise<number> => {
  const before = count();
  for (let times = 0; times < 3; times++) {
    jest.advanceTimersByTime(1_000);
    await run().catch(() => undefined);
  }
  return count() - before;
};

test('a task is skipped while nothing is written, unless it failed', async () => {
  let revision = 1;
  let runs = 0;
  let fails = false;
  const run = skipWhenQuiet({ revision: () => revision }, 0, async () => {
    runs++;
    if (fails) throw new Error('not now');
  });
  const count = () => runs;
  expect(await runsOf(run, count)).toBe(1);
  expect(await runsOf(run, count)).toBe(0);
  revision++;
  expect(await runsOf(run, count)).toBe(1);
  revision++;
  fails = true;
  expect(await runsOf(run, count)).toBe(3);
});

test('a task that finds what is due some time after a write goes on for that time', async () => {
  let runs = 0;
  const run = skipWhenQuiet({ revision: () => 1 }, 60_000, async () => {
    runs++;
  });
  expect(await runsOf(run, () => runs)).toBe(3);
});

test('without a revision nothing is skipped', async () => {
  const quietMs = createQuiet({ revision: () => undefined });
  const first = quietMs();
  jest.advanceTimersByTime(1_000);
  expect([first, quietMs()]).toEqual([0, 0]);
  let runs = 0;
  const run = skipWhenQuiet({ revision: () => undefined }, 0, async () => {
    runs++;
  });
  expect(await runsOf(run, () => runs)).toBe(3);
});
