// Until when a place may be returned and exchanged, and what that costs (commerce, section 5).

import { multiplyByPercent } from './money.ts';

/** Either `amount` or `percent` of the line's amount, rounded to a multiple of `roundTo`; absent: 1. */
export interface ReturnFee {
  readonly amount?: number;
  readonly percent?: string;
  readonly roundTo?: number;
}

/** Minutes are before the start; null: not allowed. A fee that is null is none. */
export interface ReturnTerms {
  readonly returnMinutes: number | null;
  readonly returnFee: ReturnFee | null;
  readonly exchangeMinutes: number | null;
  readonly exchangeFee: ReturnFee | null;
}

/** Allowed while now is before the instant, in epoch milliseconds; null: never. */
export interface ReturnPolicy {
  readonly returnableUntil: number | null;
  readonly returnFee: number;
  readonly exchangeableUntil: number | null;
  readonly exchangeFee: number;
}

const MINUTE_MS = 60_000;

/** Of a place at this price; `startDate` is ISO 8601. Fees are there where nothing is allowed, too. */
export function resolveReturnTerms(
  { returnMinutes, returnFee, exchangeMinutes, exchangeFee }: ReturnTerms,
  { startDate, amount }: { readonly startDate: string; readonly amount: number },
): ReturnPolicy {
  const until = (minutes: number | null) => (minutes === null ? null : Date.parse(startDate) - minutes * MINUTE_MS);
  return {
    returnableUntil: until(returnMinutes),
    returnFee: computeReturnFee(returnFee, amount),
    exchangeableUntil: until(exchangeMinutes),
    exchangeFee: computeReturnFee(exchangeFee, amount),
  };
}

/** Never more than the line's amount. */
const computeReturnFee = (fee: ReturnFee | null, amount: number): number => {
  const { amount: fixed, percent = '0', roundTo } = fee ?? {};
  return Math.min(fixed ?? multiplyByPercent(amount, percent, roundTo), amount);
};
