import { type Row, type SeatCategory, suffix } from './seat-category.ts';

/** Where a place stands: 0-based positions of category and row, and the number in the row from 1. */
export interface Spot {
  readonly category: number;
  readonly row: number;
  readonly seat: number;
}

export type PlaceState = 'free' | 'held' | 'sold' | 'withdrawn';

/** `freeFrom` of a sold place: later than any instant that a date can name. */
export const SOLD = 9_000_000_000_000_000;

/** `freeFrom` of a place that is no part of the capacity (any more, or not yet). */
export const WITHDRAWN = SOLD + 1;

/**
 * One sellable unit of stock. It may be claimed by whoever comes once `freeFrom` (epoch milliseconds) is past: 0 when
 * free, the end of the hold when held. So an expired hold counts as free, and no sweeper needs to have run.
 */
export interface Place {
  readonly id: string;
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly label: string;
  readonly row: string | null;
  readonly seat: number | null;
  /** Best first within the performance; category by category, row by row. */
  readonly order: number;
  /** In [0, 1): random for unnumbered places, where claims start; for numbered seats their order, the best first. */
  readonly position: number;
  readonly state: PlaceState;
  readonly freeFrom: number;
  /** Who holds or bought it: an order. */
  readonly holder: string | null;
  /** The holder's request that took it, and which of its items. */
  readonly request: string | null;
  readonly item: number | null;
  /** The version of the holder as of which it has the place: what the holder said in an earlier one does not end it. */
  readonly asOf: number;
}

/** What a place is when nobody has it. */
export const freed = { state: 'free', freeFrom: 0, holder: null, request: null, item: null, asOf: 0 } as const;

/** What others see: an expired hold is free. `now` in epoch milliseconds. */
export const visibleState = (place: Pick<Place, 'state' | 'freeFrom'>, now: number): PlaceState =>
  place.state === 'held' && place.freeFrom <= now ? 'free' : place.state;

const ROW = 1_000_000;
const CATEGORY = 1_000_000_000;

/** Where a place sorts within its performance. */
export const orderOf = ({ category, row, seat }: Spot): number => category * CATEGORY + row * ROW + seat;

/** The half-open range of `order` that a category takes. */
export const orderRange = (category: number): { readonly gte: number; readonly lt: number } => ({
  gte: category * CATEGORY,
  lt: (category + 1) * CATEGORY,
});

/** The position of a place's row within its category, from its order. */
export const rowOf = (order: number): number => Math.floor((order % CATEGORY) / ROW);

/** The id of a place follows from where it stands, so that making places twice makes them once. */
export const placeId = (performanceId: string, { category, row, seat }: Spot): string =>
  `plc_${suffix(performanceId)}_${category}_${row}_${seat}`;

/** A free place. `random` is in [0, 1), for unnumbered ones. */
export const newPlace = (performanceId: string, category: SeatCategory, spot: Spot, random: number): Place => {
  const row = category.numbered ? (category.rows[spot.row]?.row ?? null) : null;
  return {
    id: placeId(performanceId, spot),
    performanceId,
    seatCategoryId: category.id,
    label: row === null ? `${category.code} ${spot.seat}` : `${row}-${spot.seat}`,
    row,
    seat: row === null ? null : spot.seat,
    order: orderOf(spot),
    position: row === null ? random : (orderOf(spot) % CATEGORY) / CATEGORY,
    ...freed,
  };
};

const seatsFrom = (category: number, row: number, first: number, last: number): Spot[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => ({ category, row, seat: first + index }));

/** The spots that `to` has and `from` has not (all of them without `from`); they differ in rows or in places made. */
export const addedSpots = (category: number, to: SeatCategory, from?: SeatCategory): Spot[] => {
  if (!to.numbered) return seatsFrom(category, 0, (from?.made ?? 0) + 1, to.made);
  return to.rows.flatMap(({ seats }: Row, row) => seatsFrom(category, row, (from?.rows[row]?.seats ?? 0) + 1, seats));
};
