import type { TariffIds } from './demo-institution.ts';
import type { NewPrice, NewSeatCategory } from './request-bodies.ts';

/** The share of the full price that a tariff costs, by the tariff's code. */
export type Shares = Readonly<Record<string, number>>;

/** Prices come in steps of half a unit of the currency. */
const STEP = 50;

/** A price for every category and tariff; `full` is the full price of each category, in minor units. */
export const pricesOf = (
  categories: readonly Pick<NewSeatCategory, 'code'>[],
  full: readonly number[],
  shares: Shares,
  tariffs: TariffIds,
): NewPrice[] =>
  categories.flatMap(({ code }, index) =>
    Object.entries(shares).map(([tariff, share]) => ({
      seatCategory: code,
      tariffId: String(tariffs[tariff]),
      amount: Math.round(((full[index] ?? 0) * share) / STEP) * STEP,
    })),
  );
