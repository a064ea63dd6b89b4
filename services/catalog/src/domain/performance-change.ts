import { type CategoryPlan, capacityProblems, mergedRows, type RequestedCapacity } from './capacity.ts';
import {
  type Performance,
  type PerformanceDetails,
  type PerformanceState,
  salesProblems,
  timeZoneProblems,
} from './performance.ts';
import { type MoneyRules, type PriceInput, priceProblems, resolvedPrices } from './price.ts';
import type { SeatMap } from './seat-map.ts';
import { type CategoryRows, seatMapProblems } from './seat-map-problems.ts';
import { ianaName } from './time-zones.ts';

/** A change: absent members stay, null removes, objects merge, lists and the plan of the hall replace. */
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
  readonly seatMap?: SeatMap | null;
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

/** The seat categories as the change leaves them; a row that it removes stays named. */
const categoriesAfter = ({ seatCategories }: Performance, requests: readonly RequestedCapacity[]): CategoryRows[] =>
  seatCategories.map(({ id, code, numbered, rows }) => {
    const requested = requests.find((request) => request.id === id)?.rows ?? [];
    return { code, numbered, rows: mergedRows(rows, requested) };
  });

/** The problems of a change, each with its path. */
export const patchProblems = (performance: Performance, patch: PerformancePatch, rules: MoneyRules): string[] => [
  // A stored zone is not checked: earlier releases accepted others, which must not block changes of something else.
  ...(patch.timeZone === undefined ? [] : timeZoneProblems(patch.timeZone)),
  ...salesProblems(merged(performance, patch)),
  ...capacityProblems(performance.seatCategories, patch.seatCategories ?? []),
  ...priceProblems(patch.prices ?? [], performance.seatCategories, rules),
  ...(patch.seatMap ? seatMapProblems(patch.seatMap, categoriesAfter(performance, patch.seatCategories ?? [])) : []),
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
    seatMap: patch.seatMap === undefined ? (performance.seatMap ?? null) : patch.seatMap,
    prices: patch.prices ? resolvedPrices(patch.prices, performance.seatCategories, currency) : performance.prices,
    seatCategories: performance.seatCategories.map(
      (category) => plans.find((plan) => plan.category.id === category.id)?.category ?? category,
    ),
  };
  const { state, seatMap = null, prices, seatCategories } = performance;
  const before = { ...merged(performance, {}), state, seatMap, prices, seatCategories };
  if (same(before, changes)) return undefined;
  const moved = hasMoved(before, changes) ? { movedAt: now } : {};
  return { ...performance, ...changes, ...moved, revision: performance.revision + 1, updatedAt: now, modifiedAt: now };
};
