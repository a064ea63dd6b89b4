// Amounts are in minor units.

import type { Effect } from './terms.ts';

/** At most four decimals: percentages are counted in millionths. */
const DECIMALS = 4;
const MILLION = 10n ** BigInt(2 + DECIMALS);

/**
 * `percent` of `amount`, once rounded to a multiple of `roundTo`, half away from zero. `percent` is a decimal string
 * with at most four decimals ("7.7").
 */
export function multiplyByPercent(amount: number, percent: string, roundTo = 1): number {
  return divide(BigInt(amount) * toMillionths(percent), MILLION, roundTo);
}

/** A fee on `price`, or what a discount takes off it. */
export function computeShare({ amount, percent = '0', roundTo }: Effect, price: number): number {
  return amount ?? multiplyByPercent(price, percent, roundTo);
}

/** The tax within `gross`, which includes it: gross × rate / (100 + rate), rounded half away from zero. */
export function extractTax(gross: number, rate: string): number {
  const millionths = toMillionths(rate);
  return divide(BigInt(gross) * millionths, MILLION + millionths, 1);
}

const toMillionths = (percent: string): bigint => {
  const [whole = '', fraction = ''] = percent.split('.');
  return BigInt(whole + fraction.padEnd(DECIMALS, '0'));
};

const divide = (dividend: bigint, divisor: bigint, roundTo: number): number => {
  const multiple = divisor * BigInt(roundTo);
  const size = dividend < 0n ? -dividend : dividend;
  const rounded = Number((2n * size + multiple) / (2n * multiple)) * roundTo;
  return dividend < 0n && rounded > 0 ? -rounded : rounded;
};
