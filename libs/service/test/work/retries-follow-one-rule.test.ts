import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PROMISED, retryAfter } from '../../src/index.ts';

const failures = fc.integer({ min: 1, max: 100_000 });
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** Whether work is tried again, and soon enough, however often it has failed. */
const isNeverGivenUp = (retries: typeof PROMISED): boolean => {
  const run = fc.check(
    fc.property(failures, random, (failed, chance) => {
      const delay = retryAfter(retries, failed, chance);
      return delay !== undefined && delay > 0 && delay <= 36_000;
    }),
  );
  return !run.failed;
};

test('promised work has no last try, and its pauses grow to half a minute', () => {
  expect(isNeverGivenUp(PROMISED)).toBe(true);
  expect([1, 2, 3, 4, 5, 6, 7, 999].map((failed) => retryAfter(PROMISED, failed, 0.5))).toEqual([
    1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 30_000, 30_000,
  ]);
});

test('the check notices promised work that is given up', () => {
  expect(isNeverGivenUp({ ...PROMISED, isEnding: true })).toBe(false);
});

test('work that ends has one try more than pauses', () => {
  const retries = { delaysMs: [10, 20], isEnding: true };
  expect([1, 2, 3, 4].map((failed) => retryAfter(retries, failed, 0.5))).toEqual([10, 20, undefined, undefined]);
});

test('a pause is up to a fifth shorter or longer, so that not all come at once', () => {
  expect([0, 0.5, 0.999_999].map((chance) => retryAfter(PROMISED, 6, chance))).toEqual([24_000, 30_000, 36_000]);
});
