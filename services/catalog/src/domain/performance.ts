import { beforeStart, isTimeZone, later } from './period.ts';
import { type Price, type PriceInput, priceProblems } from './price.ts';
import { type CategoryInput, categoryProblems, type SeatCategory } from './seat-category.ts';

export const performanceStates = ['on_sale', 'closed', 'cancelled'] as const;
export type PerformanceState = (typeof performanceStates)[number];

export interface Venue {
  readonly name: string;
  readonly city: string | null;
}

/** When and where: what of a performance can be changed at will. Null is absent. */
export interface PerformanceDetails {
  /** ISO 8601 UTC. */
  readonly startDate: string;
  readonly durationMinutes: number | null;
  readonly venue: Venue;
  /** IANA name. */
  readonly timeZone: string;
  readonly salesFrom: string | null;
  readonly salesTo: string | null;
}

export interface PerformanceInput extends PerformanceDetails {
  readonly seatCategories: readonly CategoryInput[];
  readonly prices: readonly PriceInput[];
}

export interface Performance extends PerformanceDetails {
  readonly productId: string;
  readonly state: PerformanceState;
  readonly seatCategories: readonly SeatCategory[];
  readonly prices: readonly Price[];
  /** The product's id if the product has only one performance; unique, so that there is no second. */
  readonly soleOf: string | null;
  /** Counts the changes that can be seen from outside; the ETag. */
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The instant of the latest change's write; later than `updatedAt` where the performance followed its product. */
  readonly modifiedAt: string;
}

/** `cancelled` is final; `on_sale` and `closed` follow each other freely. */
export const performanceMayBecome = (from: PerformanceState, to: PerformanceState): boolean =>
  from === to || from !== 'cancelled';

/**
 * The performance when its product was cancelled at `cancelledAt`, written at `now` (both ISO 8601 UTC), or undefined if that changes
 * nothing: what had begun has been given, and those who came keep what they bought.
 */
export const cancelledWithProduct = <P extends Performance>(
  performance: P,
  cancelledAt: string,
  now: string,
): P | undefined => {
  const { state, startDate, revision } = performance;
  if (state === 'cancelled' || Date.parse(startDate) <= Date.parse(cancelledAt)) return undefined;
  const updatedAt = later(performance.updatedAt, cancelledAt);
  const modifiedAt = later(performance.modifiedAt, now);
  return { ...performance, state: 'cancelled', revision: revision + 1, updatedAt, modifiedAt };
};

/** What is meaningless about when and where, each by its path below `at`. */
export const detailProblems = (details: PerformanceDetails, at = '$'): string[] => [
  ...(isTimeZone(details.timeZone) ? [] : [`${at}.timeZone is no IANA time zone`]),
  ...(beforeStart(details.salesFrom, details.salesTo) ? [`${at}.salesTo is before ${at}.salesFrom`] : []),
];

export interface PerformanceRules {
  /** Only a show may have several seat categories. */
  readonly manyCategories: boolean;
  /** The institution's, ISO 4217. */
  readonly currency: string;
  /** The tariffs that exist. */
  readonly tariffIds: ReadonlySet<string>;
}

/** Everything that is meaningless about a new performance, each by its path below `at`. */
export const performanceProblems = (input: PerformanceInput, rules: PerformanceRules, at = '$'): string[] => [
  ...detailProblems(input, at),
  ...categoryProblems(input.seatCategories, at),
  ...(rules.manyCategories || input.seatCategories.length === 1
    ? []
    : [`${at}.seatCategories must have exactly one seat category, since the product is not a show`]),
  ...priceProblems(
    input.prices,
    input.seatCategories.map(({ code }) => ({ code })),
    rules,
    at,
  ),
];
