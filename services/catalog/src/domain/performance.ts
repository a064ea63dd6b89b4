import type { ReturnTerms } from '@boxoffice/prices';
import { type CategoryPlan, findCapacityProblems, mergeRows, type RequestedCapacity } from './capacity.ts';
import { type Clocks, computeMeantStart, hasMovedLocalTime, type MeantStart, restoreMeantStart } from './clocks.ts';
import { isEndBeforeStart, selectLater } from './product.ts';
import { type GivenTerms, mergeReturnTerms } from './return-policy.ts';
import { type CategoryInput, findCategoryProblems, type SeatCategory } from './seat-category.ts';
import { type CategoryRows, findSeatMapProblems, type SeatMap } from './seat-map.ts';
import { findPriceProblems, type MoneyRules, type Price, type PriceInput, resolvePrices } from './tariff.ts';

export const performanceStates = ['on_sale', 'closed', 'cancelled'] as const;
export type PerformanceState = (typeof performanceStates)[number];

interface Venue {
  readonly name: string;
  readonly city: string | null;
}

interface PerformanceDetails {
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
  /** Null: none. */
  readonly seatMap: SeatMap | null;
  /** Null: its tariffs decide alone. */
  readonly returnPolicy: ReturnTerms | null;
}

export interface Performance extends PerformanceDetails {
  readonly productId: string;
  readonly state: PerformanceState;
  readonly seatCategories: readonly SeatCategory[];
  readonly prices: readonly Price[];
  /** Absent in performances of earlier releases: none. */
  readonly seatMap?: SeatMap | null;
  /** Absent: null. */
  readonly returnPolicy?: ReturnTerms | null;
  /** Absent in performances of earlier releases: the one that `startDate` has. */
  readonly meantStart?: MeantStart;
  /** The product's id if the product may have only one performance; a unique index prevents a second. */
  readonly soleOf: string | null;
  /** The number of changes visible in answers; the ETag. */
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** When start, venue or time zone last changed; ISO 8601 UTC. Absent: never. */
  readonly movedAt?: string;
  /** When the latest change was written; later than `updatedAt` if the performance was cancelled with its product. */
  readonly modifiedAt: string;
}

/** `cancelled` is final; `on_sale` and `closed` alternate freely. */
export function mayPerformanceBecome(from: PerformanceState, to: PerformanceState): boolean {
  return from === to || from !== 'cancelled';
}

/**
 * After its product was cancelled at `cancelledAt`, written at `now` (both ISO 8601 UTC). Undefined if nothing changes:
 * a performance that had begun is not cancelled, and its tickets stay valid.
 */
export function cancelForProduct<P extends Performance>(
  performance: P,
  cancelledAt: string,
  now: string,
): P | undefined {
  const { state, startDate, revision } = performance;
  if (state === 'cancelled' || Date.parse(startDate) <= Date.parse(cancelledAt)) return undefined;
  const updatedAt = selectLater(performance.updatedAt, cancelledAt);
  const modifiedAt = selectLater(performance.modifiedAt, now);
  return { ...performance, state: 'cancelled', revision: revision + 1, updatedAt, modifiedAt };
}

export interface ChangeRules extends MoneyRules {
  readonly clocks: Clocks;
}

interface PerformanceRules extends ChangeRules {
  /** Only a show may have several seat categories. */
  readonly manyCategories: boolean;
}

export function findPerformanceProblems(input: PerformanceInput, rules: PerformanceRules, at = '$'): string[] {
  return [
    ...timeZoneProblems(input.timeZone, rules.clocks, at),
    ...salesProblems(input, at),
    ...findCategoryProblems(input.seatCategories, at),
    ...(rules.manyCategories || input.seatCategories.length === 1
      ? []
      : [`${at}.seatCategories must have exactly one seat category, since the product is not a show`]),
    ...findPriceProblems(
      input.prices,
      input.seatCategories.map(({ code }) => ({ code })),
      rules,
      at,
    ),
    ...(input.seatMap ? findSeatMapProblems(input.seatMap, input.seatCategories, `${at}.seatMap`) : []),
  ];
}

const timeZoneProblems = (timeZone: string, clocks: Clocks, at = '$'): string[] =>
  clocks.ianaName(timeZone) === undefined ? [`${at}.timeZone is not an IANA time zone`] : [];

const salesProblems = ({ salesFrom, salesTo }: PerformanceDetails, at = '$'): string[] =>
  isEndBeforeStart(salesFrom, salesTo) ? [`${at}.salesTo is before ${at}.salesFrom`] : [];

/** Absent members stay, null removes, objects merge, lists and the plan of the hall replace. */
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
  readonly returnPolicy?: GivenTerms | null;
}

/** At another time or place. */
export function hasMoved(before: PerformanceDetails, after: PerformanceDetails): boolean {
  return before.startDate !== after.startDate || before.timeZone !== after.timeZone || !same(before.venue, after.venue);
}

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

export function findPatchProblems(performance: Performance, patch: PerformancePatch, rules: ChangeRules): string[] {
  return [
    // A stored zone is not checked: earlier releases accepted others, which must not block changes of something else.
    ...(patch.timeZone === undefined ? [] : timeZoneProblems(patch.timeZone, rules.clocks)),
    ...salesProblems(mergeDetails(performance, patch, rules.clocks)),
    ...findCapacityProblems(performance.seatCategories, patch.seatCategories ?? []),
    ...findPriceProblems(patch.prices ?? [], performance.seatCategories, rules),
    ...(patch.seatMap
      ? findSeatMapProblems(patch.seatMap, categoriesAfter(performance, patch.seatCategories ?? []))
      : []),
  ];
}

const mergeDetails = (
  performance: PerformanceDetails,
  patch: PerformancePatch,
  { ianaName }: Pick<Clocks, 'ianaName'>,
): PerformanceDetails => {
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

/** A removed row stays named. */
const categoriesAfter = ({ seatCategories }: Performance, requests: readonly RequestedCapacity[]): CategoryRows[] =>
  seatCategories.map(({ id, code, numbered, rows }) => {
    const requested = requests.find((request) => request.id === id)?.rows ?? [];
    return { code, numbered, rows: mergeRows(rows, requested) };
  });

/** Undefined if nothing changes. The change must be valid; `now` is ISO 8601 UTC. */
export function applyPerformanceChange<P extends Performance>(
  performance: P,
  patch: PerformancePatch,
  plans: readonly CategoryPlan[],
  { currency, clocks }: Pick<ChangeRules, 'currency' | 'clocks'>,
  now: string,
): P | undefined {
  const changes = {
    ...mergeDetails(performance, patch, clocks),
    state: patch.state ?? performance.state,
    seatMap: patch.seatMap === undefined ? (performance.seatMap ?? null) : patch.seatMap,
    returnPolicy: mergeReturnTerms(patch.returnPolicy, performance.returnPolicy),
    prices: patch.prices ? resolvePrices(patch.prices, performance.seatCategories, currency) : performance.prices,
    seatCategories: performance.seatCategories.map(
      (category) => plans.find((plan) => plan.category.id === category.id)?.category ?? category,
    ),
  };
  const { state, seatMap = null, returnPolicy = null, prices, seatCategories } = performance;
  const before = { ...mergeDetails(performance, {}, clocks), state, seatMap, returnPolicy, prices, seatCategories };
  if (same(before, changes)) return undefined;
  const isReentered = before.startDate !== changes.startDate || before.timeZone !== changes.timeZone;
  return {
    ...performance,
    ...changes,
    ...(isReentered ? { meantStart: computeMeantStart(changes, clocks) } : {}),
    ...(hasMoved(before, changes) ? { movedAt: now } : {}),
    ...changedAt(performance, now),
  };
}

const changedAt = ({ revision }: Performance, now: string) => ({
  revision: revision + 1,
  updatedAt: now,
  modifiedAt: now,
});

/**
 * The performance at the instant at which the clocks of its venue show what was meant; undefined if they do so already,
 * or it has begun (`now`: ISO 8601 UTC).
 */
export function restoreLocalTime<P extends Performance>(performance: P, clocks: Clocks, now: string): P | undefined {
  return hasMovedLocalTime(performance, clocks) && performance.startDate > now
    ? { ...restoreMeantStart(performance, clocks), movedAt: now, ...changedAt(performance, now) }
    : undefined;
}
