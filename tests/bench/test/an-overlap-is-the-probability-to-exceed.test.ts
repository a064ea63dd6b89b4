import { expect, test } from '@jest/globals';
import { exceeding } from '../src/measure/report.ts';

test('a measurement exceeds one of others with the share of the pairs in which it is greater, ties half', () => {
  expect(exceeding([1, 2, 3], [1, 2, 3])).toBe(0.5);
  expect(exceeding([4, 5], [1, 2, 3])).toBe(1);
  expect(exceeding([1, 2, 3], [4, 5])).toBe(0);
  expect(exceeding([1, 4], [2, 3])).toBe(0.5);
  expect(exceeding([5, 5, 1, 1], [1, 9])).toBe(0.375);
});
