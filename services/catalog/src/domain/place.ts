import { findSeatLabel, listSeatPositions, type SeatCategory, stripIdPrefix } from './seat-category.ts';

/** The position of a place: 0-based category and row, and the position in the row from 1, gaps included. */
export interface Spot {
  readonly category: number;
  readonly row: number;
  readonly seat: number;
}

export type PlaceState = 'free' | 'held' | 'sold' | 'withdrawn';

/** `freeFrom` of a sold place: later than any instant that a Date can represent. */
export const SOLD = 9_000_000_000_000_000;

/**
 * `freeFrom` of a place outside the capacity: no longer part of it, or not yet. While a change claims it to make it
 * part of it, the end of that claim is added.
 */
export const WITHDRAWN = SOLD + 1;

/**
 * One sellable unit of stock. It can be claimed when `freeFrom` (epoch milliseconds) is past: 0 when free, the end of
 * the hold when held. So a lapsed hold counts as free, without a sweeper.
 */
export interface Place {
  readonly id: string;
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly label: string;
  readonly row: string | null;
  /** The label as a number; null of an unnumbered place, and of a label that is none. */
  readonly seat: number | null;
  /** The position within the performance, best first: category by category, row by row. */
  readonly order: number;
  /**
   * In [0, 1). Unnumbered: random, the point where claims start to search. Numbered: the order of seats, best first.
   */
  readonly position: number;
  readonly state: PlaceState;
  readonly freeFrom: number;
  /** The id of the order that holds or bought it. */
  readonly holder: string | null;
  /** The holder's request that took it, and the index of the item. */
  readonly request: string | null;
  readonly item: number | null;
  /** The version of the order as of which it has the place: calls and events of earlier versions do not release it. */
  readonly asOf: number;
}

/** The members of a free place. */
export const freed = { state: 'free', freeFrom: 0, holder: null, request: null, item: null, asOf: 0 } as const;

/** The state that answers show: a lapsed hold is free. `now` in epoch milliseconds. */
export function computeVisibleState(place: Pick<Place, 'state' | 'freeFrom'>, now: number): PlaceState {
  return place.state === 'held' && place.freeFrom <= now ? 'free' : place.state;
}

const ROW = 1_000_000;
const CATEGORY = 1_000_000_000;

/** The sort key of a place within its performance. */
export function computePlaceOrder({ category, row, seat }: Spot): number {
  return category * CATEGORY + row * ROW + seat;
}

/** The half-open range of `order` of a category. */
export function computeOrderRange(category: number): { readonly gte: number; readonly lt: number } {
  return {
    gte: category * CATEGORY,
    lt: (category + 1) * CATEGORY,
  };
}

/** The position of a place's row within its category, from its order. */
export function toRowPosition(order: number): number {
  return Math.floor((order % CATEGORY) / ROW);
}

/** The position of a place in its row, from its order. */
export function toSeatPosition(order: number): number {
  return order % ROW;
}

/** The id of a place is derived from its position, so that creating places is idempotent. */
export function derivePlaceId(performanceId: string, { category, row, seat }: Spot): string {
  return `plc_${stripIdPrefix(performanceId)}_${category}_${row}_${seat}`;
}

/** What a ticket shows: row and seat, or the category's code and a number. */
export function formatPlaceLabel(category: SeatCategory, spot: Spot): string {
  const seat = seatAt(category, spot);
  return seat === null ? `${category.code} ${spot.seat}` : `${seat.row}-${seat.label}`;
}

/** The row and the label of a seat; null for an unnumbered place. */
const seatAt = ({ numbered, rows }: SeatCategory, { row, seat }: Spot) => {
  const found = numbered ? rows[row] : undefined;
  return found ? { row: found.row, label: findSeatLabel(found.seats, seat) ?? String(seat) } : null;
};

/** A free place. `random` is in [0, 1), for unnumbered ones. */
export function buildPlace(performanceId: string, category: SeatCategory, spot: Spot, random: number): Place {
  const seat = seatAt(category, spot);
  return {
    id: derivePlaceId(performanceId, spot),
    performanceId,
    seatCategoryId: category.id,
    label: formatPlaceLabel(category, spot),
    row: seat === null ? null : seat.row,
    seat: seat === null ? null : numberOf(seat.label),
    order: computePlaceOrder(spot),
    position: seat === null ? random : (computePlaceOrder(spot) % CATEGORY) / CATEGORY,
    ...freed,
  };
}

/** A label as a number, if it is one in its usual form. */
const numberOf = (label: string): number | null => (/^(?:0|[1-9]\d{0,8})$/.test(label) ? Number(label) : null);

/**
 * The spots in `to` that are not in `from` (all, without `from`); the two may differ in rows, in their seats, or in
 * `made`.
 */
export function listAddedSpots(category: number, to: SeatCategory, from?: SeatCategory): Spot[] {
  if (!to.numbered) return seatsFrom(category, 0, (from?.made ?? 0) + 1, to.made);
  return to.rows.flatMap(({ seats }, row) =>
    listSeatPositions(seats).flatMap((seat) =>
      findSeatLabel(from?.rows[row]?.seats, seat) === null ? [{ category, row, seat }] : [],
    ),
  );
}

const seatsFrom = (category: number, row: number, first: number, last: number): Spot[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => ({ category, row, seat: first + index }));
