import { type CategoryPlan, capacityProblems, type RequestedCapacity } from './capacity.ts';
import {
  type Performance,
  type PerformanceDetails,
  type PerformanceState,
  salesProblems,
  timeZoneProblems,
} from './performance.ts';
import { type MoneyRules, type PriceInput, priceProblems, resolvedPrices } from './price.ts';
import { ianaName } from './time-zones.ts';

/** A change: absent members stay, null removes, objects merge, lists replace. */
export interface PerformancePatch {
  readonly state?: PerformanceState;
  readonly startDate?: string;
  readonly durationMinutes?: number | null;
  readonly venue?: { readonly name?: string; readonly city?: string | null };
  readonly timeZone?: string;
  readonly salesFrom?: string | null;
  readonly salesTo?: string | null;
  readonly seatCategories?: readonly RequestedCapacity[];
  readonly prices?: readonly PriceInput[];
}

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

const merged = (performance: PerformanceDetails, patch: PerformancePatch): PerformanceDetails => {
  const { startDate, durationMinutes, timeZone, salesFrom, salesTo } = { ...performance, ...patch };
  const { name, city } = { ...performance.venue, ...patch.venue };
  return {
    startDate,
    durationMinutes,
    venue: { name, city },
    timeZone: patch.timeZone === undefined ? timeZone : (ianaName(timeZone) ?? timeZone),
    salesFrom,
    salesTo,
  };
};

/** Whether the second takes place at another time or place than the first. */
export const hasMoved = (before: PerformanceDetails, after: PerformanceDetails): boolean =>
  before.startDate !== after.startDate || before.timeZone !== after.timeZone || !same(before.venue, after.venue);

/** The problems of a change, each with its path. */
export const patchProblems = (performance: Performance, patch: PerformancePatch, rules: MoneyRules): string[] => [
  // A stored zone is not checked: earlier releases accepted others, which must not block changes of something else.
  ...(patch.timeZone === undefined ? [] : timeZoneProblems(patch.timeZone)),
  ...salesProblems(merged(performance, patch)),
  ...capacityProblems(performance.seatCategories, patch.seatCategories ?? []),
  ...priceProblems(patch.prices ?? [], performance.seatCategories, rules),
];

/**
 * The performance after a valid change, with the seat categories of the plans; undefined if nothing changes. `now` is
 * ISO 8601 UTC.
 */
export const changedPerformance = <P extends Performance>(
  performance: P,
  patch: PerformancePatch,
  plans: readonly CategoryPlan[],
  currency: string,
  now: string,
): P | undefined => {
  const changes = {
    ...merged(performance, patch),
    state: patch.state ?? performance.state,
    prices: patch.prices ? resolvedPrices(patch.prices, performance.seatCategories, currency) : performance.prices,
    seatCategories: performance.seatCategories.map(
      (category) => plans.find((plan) => plan.category.id === category.id)?.category ?? category,
    ),
  };
  const { state, prices, seatCategories } = performance;
  const before = { ...merged(performance, {}), state, prices, seatCategories };
  if (same(before, changes)) return undefined;
  const moved = hasMoved(before, changes) ? { movedAt: now } : {};
  return { ...performance, ...changes, ...moved, revision: performance.revision + 1, updatedAt: now, modifiedAt: now };
};
