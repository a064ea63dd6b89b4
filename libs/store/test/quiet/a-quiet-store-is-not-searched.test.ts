import { expect, test } from '@jest/globals';
import { createQuiet, unlessQuiet } from '../../src/index.ts';

/** Runs the task so many times; returns how often it ran. */
const runsOf = async (run: () => Promise<void>, count: () => number): Promise<number> => {
  const before = count();
  for (let times = 0; times < 3; times++) {
    // Quiet begins when time has passed.
    const from = performance.now();
    while (performance.now() === from) await new Promise(setImmediate);
    await run().catch(() => undefined);
  }
  return count() - before;
};

test('a task is skipped while nothing is written, unless it failed', async () => {
  let revision = 1;
  let runs = 0;
  let fails = false;
  const run = unlessQuiet({ revision: () => revision }, 0, async () => {
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
  const run = unlessQuiet({ revision: () => 1 }, 60_000, async () => {
    runs++;
  });
  expect(await runsOf(run, () => runs)).toBe(3);
});

test('without a revision nothing is skipped', async () => {
  const quietMs = createQuiet({ revision: () => undefined });
  await new Promise(setImmediate);
  expect([quietMs(), quietMs()]).toEqual([0, 0]);
  let runs = 0;
  const run = unlessQuiet({ revision: () => undefined }, 0, async () => {
    runs++;
  });
  expect(await runsOf(run, () => runs)).toBe(3);
});
