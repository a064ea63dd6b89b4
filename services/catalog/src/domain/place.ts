import { findSeatLabel, listSeatPositions, type SeatCategory, stripIdPrefix } from './seat-category.ts';

/** 0-based category and row; the position in the row from 1, gaps included. */
export interface Spot {
  readonly category: number;
  readonly row: number;
  readonly seat: number;
}

export type PlaceState = 'free' | 'held' | 'sold' | 'withdrawn';

/** Later than any instant that a Date can represent. */
export const SOLD = 9_000_000_000_000_000;

/** `freeFrom` of a place that is not part of the capacity. While a change claims it, the end of that claim is added. */
export const WITHDRAWN = SOLD + 1;

/**
 * It can be claimed when `freeFrom` (epoch milliseconds) is past: 0 when free, the end of the hold when held. So a
 * lapsed hold counts as free, without a sweeper.
 */
export interface Place {
  readonly id: string;
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly label: string;
  readonly row: string | null;
  /** The label as a number; null of an unnumbered place, and of a label that is none. */
  readonly seat: number | null;
  /** Within the performance, best first: category by category, row by row. */
  readonly order: number;
  /** In [0, 1). Unnumbered: random, where claims start to search. Numbered: the order of seats, best first. */
  readonly position: number;
  readonly state: PlaceState;
  readonly freeFrom: number;
  readonly holder: string | null;
  /** The holder's request that took it, and the index of the item. */
  readonly request: string | null;
  readonly item: number | null;
  /** The order's version as of which it has the place: calls and events of earlier versions do not release it. */
  readonly asOf: number;
}

export const freed = { state: 'free', freeFrom: 0, holder: null, request: null, item: null, asOf: 0 } as const;

/** A lapsed hold is free. `now` in epoch milliseconds. */
export function computeVisibleState(place: Pick<Place, 'state' | 'freeFrom'>, now: number): PlaceState {
  return place.state === 'held' && place.freeFrom <= now ? 'free' : place.state;
}

const ROW = 1_000_000;
const CATEGORY = 1_000_000_000;

export function computePlaceOrder({ category, row, seat }: Spot): number {
  return category * CATEGORY + row * ROW + seat;
}

export function computeOrderRange(category: number): { readonly gte: number; readonly lt: number } {
  return {
    gte: category * CATEGORY,
    lt: (category + 1) * CATEGORY,
  };
}

export function toRowPosition(order: number): number {
  return Math.floor((order % CATEGORY) / ROW);
}

export function toSeatPosition(order: number): number {
  return order % ROW;
}

const USE = 'use_';

/** Of a place; see {@link isUse}. */
export function isUseId(id: string): boolean {
  return id.startsWith(USE);
}

/** From the position, so that creating places is idempotent. */
export function derivePlaceId(performanceId: string, { category, row, seat }: Spot): string {
  const prefix = isUse({ performanceId }) ? USE : 'plc_';
  return `${prefix}${stripIdPrefix(performanceId)}_${category}_${row}_${seat}`;
}

/**
 * A use of a discount or a code is held, sold and released like a place: performance and seat category are the id of
 * the discount or code, which is the pool of its uses.
 */
export function isUse({ performanceId }: Pick<Place, 'performanceId'>): boolean {
  return /^(?:dsc|cod)_/.test(performanceId);
}

/** The uses of a pool as places of an unnumbered category. */
export function toUseCategory(pool: string, { capacity, made }: Pick<SeatCategory, 'capacity' | 'made'>): SeatCategory {
  return { id: pool, code: '', name: {}, numbered: false, capacity, rows: [], made };
}

/** Row and seat, or the category's code and a number. */
export function formatPlaceLabel(category: SeatCategory, spot: Spot): string {
  const seat = seatAt(category, spot);
  return seat === null ? `${category.code} ${spot.seat}` : `${seat.row}-${seat.label}`;
}

const seatAt = ({ numbered, rows }: SeatCategory, { row, seat }: Spot) => {
  const found = numbered ? rows[row] : undefined;
  return found ? { row: found.row, label: findSeatLabel(found.seats, seat) ?? String(seat) } : null;
};

/** `random` is in [0, 1), for unnumbered places. */
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

/** Of a code without a limit, whose uses are made as they are wanted; `nth` of the request. */
export function buildUse(pool: string, id: string, nth: number): Place {
  const spot = { category: 0, row: 0, seat: nth };
  return { ...buildPlace(pool, toUseCategory(pool, { capacity: 0, made: 0 }), spot, 0), id };
}

/** In the usual form of a number. */
const numberOf = (label: string): number | null => (/^(?:0|[1-9]\d{0,8})$/.test(label) ? Number(label) : null);

/** The spots in `to` that are not in `from`; all, without `from`. */
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
