import type { ReturnFee, ReturnTerms } from '@boxoffice/prices';
import { normalisePercentage } from './percentage.ts';

type Given<T> = { readonly [Name in keyof T]?: T[Name] | null };

/** Absent members are as before. */
export interface GivenTerms {
  readonly returnMinutes?: number | null;
  readonly returnFee?: Given<ReturnFee> | null;
  readonly exchangeMinutes?: number | null;
  readonly exchangeFee?: Given<ReturnFee> | null;
}

export function mergeReturnTerms(
  given: GivenTerms | null | undefined,
  before: ReturnTerms | null = null,
): ReturnTerms | null {
  if (!given) return given === undefined ? before : null;
  const had = before ?? { returnMinutes: null, returnFee: null, exchangeMinutes: null, exchangeFee: null };
  const { returnMinutes = had.returnMinutes, exchangeMinutes = had.exchangeMinutes } = given;
  const returnFee = mergeFee(given.returnFee, had.returnFee);
  return { returnMinutes, returnFee, exchangeMinutes, exchangeFee: mergeFee(given.exchangeFee, had.exchangeFee) };
}

/** One of the other kind takes the place of the one that there was. */
const mergeFee = (given: GivenTerms['returnFee'], before: ReturnFee | null): ReturnFee | null => {
  if (!given) return given === undefined ? before : null;
  const isWhole = given.amount != null || given.percent != null;
  const { amount, percent, roundTo } = { ...(isWhole ? { roundTo: before?.roundTo } : before), ...given };
  return {
    ...(amount != null && { amount }),
    ...(percent != null && { percent: normalisePercentage(percent) }),
    ...(roundTo != null && (percent != null || given.roundTo != null) && { roundTo }),
  };
};

/** Each fee of neither kind or of both, or rounded for nothing, with its path. */
export function findFeeProblems(terms: ReturnTerms | null, at: string): string[] {
  return (['returnFee', 'exchangeFee'] as const).flatMap((name) => {
    const fee = terms?.[name];
    const { amount, percent, roundTo } = fee ?? { amount: 0 };
    const isClear = amount === undefined ? percent !== undefined : percent === undefined && roundTo === undefined;
    return isClear ? [] : [`${at}.returnPolicy.${name} has either amount, or percent and perhaps roundTo`];
  });
}

interface WithReturnPolicy {
  readonly returnPolicy?: ReturnTerms | null;
}

/** The tariff's counts before the performance's; null: there is none. */
export function selectReturnTerms(
  tariff: WithReturnPolicy | undefined,
  performance: WithReturnPolicy,
): ReturnTerms | null {
  return tariff?.returnPolicy ?? performance.returnPolicy ?? null;
}
