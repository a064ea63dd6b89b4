import { expect, test } from '@jest/globals';
import { computeMedianInterval } from '../src/measure/report.ts';

/** 1 to `count`, in another order. */
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => ((index * 7) % count) + 1);

/** Probability that at most `most` of `count` fair coins show heads. */
const atMost = (most: number, count: number): number => {
  let term = 0.5 ** count;
  let sum = 0;
  for (let heads = 0; heads <= most; heads += 1) {
    sum += term;
    term *= (count - heads) / (heads + 1);
  }
  return sum;
};

test('the bounds are the innermost pair of values with 95 % probability, as in a table of the sign test', () => {
  expect(computeMedianInterval(upTo(6))).toEqual({ median: 3.5, low: 1, high: 6 });
  expect(computeMedianInterval(upTo(10))).toEqual({ median: 5.5, low: 2, high: 9 });
  expect(computeMedianInterval(upTo(11))).toEqual({ median: 6, low: 2, high: 10 });
  expect(computeMedianInterval(upTo(20))).toEqual({ median: 10.5, low: 6, high: 15 });
  for (let count = 6; count <= 60; count += 1) {
    const { low, high } = computeMedianInterval(Array.from({ length: count }, (_, index) => index + 1));
    expect(high).toBe(count + 1 - low);
    expect(atMost(low - 1, count)).toBeLessThanOrEqual(0.025);
    expect(atMost(low, count)).toBeGreaterThan(0.025);
  }
});

test('fewer than six values bound no median', () => {
  expect(() => computeMedianInterval(upTo(5))).toThrow('5 values');
});
