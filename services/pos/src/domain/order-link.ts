import { endOf, type Offered, type Period } from './offer.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** How long a link outlives the last performance of its order. */
export const AFTER_MS = 30 * DAY_MS;

/** How long what has no end of its own counts as valid after the sale: a pass or goods without `endDate`. */
const ENDLESS_MS = 366 * DAY_MS;

/** A sold place: its performance and product as they are now, if they are published, and the last known start. */
export interface SoldPlace {
  readonly current: { readonly performance: Offered; readonly product: Period } | undefined;
  readonly startDate: string;
}

/**
 * When the link of an order ends: 30 days after its last performance, as it is dated now. All in epoch milliseconds;
 * `known` is the end as it was computed before, which stands for what is published no more.
 */
export const linkEndOf = (sold: readonly SoldPlace[], soldAt: number, known = 0): number => {
  const ends = sold.map(({ current, startDate }) => {
    if (!current) return Math.max(Date.parse(startDate), known - AFTER_MS);
    const end = endOf(current.performance, current.product);
    return Number.isFinite(end) ? end : soldAt + ENDLESS_MS;
  });
  return Math.max(soldAt, ...ends) + AFTER_MS;
};
