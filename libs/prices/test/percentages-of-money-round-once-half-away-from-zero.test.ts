// rule commerce.4: Each product of money and a percentage is rounded by itself, on its line, half away from zero | libs/prices/src/money.ts
import { extractTax, multiplyByPercent } from '@boxoffice/prices';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';

test.each([
  [1, '50', 1, 1],
  [-1, '50', 1, -1],
  [3, '50', 1, 2],
  [1_000, '7.7', 1, 77],
  [1_000, '0.05', 1, 1],
  [1_000, '0.0499', 1, 0],
  [-1_000, '0.0499', 1, 0],
  [12_345, '100', 1, 12_345],
  [12_345, '0', 1, 0],
  [1_025, '10', 5, 105],
  [1_024, '10', 5, 100],
  [-1_025, '10', 5, -105],
  [9_000_000_000_000_000, '33.3333', 1, 2_999_997_000_000_000],
])('%d × %s %%, to multiples of %d, is %d', (amount, percent, roundTo, expected) => {
  expect(Object.is(multiplyByPercent(amount, percent, roundTo), expected)).toBe(true);
});

test('the exact product is rounded once, not first to the minor unit and then to the multiple', () => {
  // 102.49 is nearer to 100 than to 105; its rounded 102.5 would not be.
  expect(multiplyByPercent(10_249, '1', 5)).toBe(100);
  expect(multiplyByPercent(-10_250, '1', 5)).toBe(-105);
});

test.each([
  [10_770, '7.7', 770],
  [100, '0', 0],
  [1, '100', 1],
  [-10_770, '7.7', -770],
  [5_000, '2.6', 127],
])('the tax in %d at %s %% is %d', (gross, rate, tax) => {
  expect(extractTax(gross, rate)).toBe(tax);
});

test('for any amount and percentage the result is the nearest multiple', () => {
  const amounts = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 });
  const tenThousandths = fc.integer({ min: 0, max: 1_000_000 });
  fc.assert(
    fc.property(amounts, tenThousandths, fc.constantFrom(1, 5, 10), (amount, millionths, roundTo) => {
      const percent = `${Math.floor(millionths / 10_000)}.${String(millionths % 10_000).padStart(4, '0')}`;
      const result = multiplyByPercent(amount, percent, roundTo);
      const distance = BigInt(result) * 1_000_000n - BigInt(amount) * BigInt(millionths);
      expect(result % roundTo === 0).toBe(true);
      expect(2n * (distance < 0n ? -distance : distance) <= 1_000_000n * BigInt(roundTo)).toBe(true);
    }),
  );
});
