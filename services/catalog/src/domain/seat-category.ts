import type { Texts } from './tariff.ts';

/**
 * Their number, or their labels in order, null for a gap such as an aisle. Positions in a row are counted from 1, gaps
 * included.
 */
export type Seats = number | readonly (string | null)[];

export interface Row {
  readonly row: string;
  readonly seats: Seats;
}

/** Gaps included. */
export function countPositions(seats: Seats = 0): number {
  return typeof seats === 'number' ? seats : seats.length;
}

/** Null if there is no seat. */
export function findSeatLabel(seats: Seats = 0, position: number): string | null {
  if (typeof seats !== 'number') return seats[position - 1] ?? null;
  return position >= 1 && position <= seats ? String(position) : null;
}

/** The positions that have a seat. */
export function listSeatPositions(seats: Seats): number[] {
  return Array.from({ length: countPositions(seats) }, (_, index) => index + 1).filter(
    (at) => findSeatLabel(seats, at) !== null,
  );
}

export interface CategoryInput {
  readonly code: string;
  readonly name: Texts;
  readonly numbered: boolean;
  readonly capacity: number;
  readonly rows?: readonly Row[];
}

/**
 * A price zone. Rows are only ever appended, so that a place keeps its id. The places of an unnumbered category form
 * one row without a name.
 */
export interface SeatCategory {
  readonly id: string;
  readonly code: string;
  readonly name: Texts;
  readonly numbered: boolean;
  readonly capacity: number;
  /** Numbered: the rows, best first (0 seats: removed). Empty otherwise. */
  readonly rows: readonly Row[];
  /** Unnumbered: the places ever created, of which `capacity` are in use. */
  readonly made: number;
}

export function countSeats(seats: Seats): number {
  return typeof seats === 'number' ? seats : seats.filter((label) => label !== null).length;
}

export function sumSeats(rows: readonly Row[]): number {
  return rows.reduce((total, { seats }) => total + countSeats(seats), 0);
}

export function findRowProblems(rows: readonly Row[], path: string): string[] {
  const names = new Set(rows.map(({ row }) => row));
  const labels = rows.flatMap(({ seats }, index) => {
    if (typeof seats === 'number' || countSeats(seats) === new Set(seats.filter((label) => label !== null)).size)
      return [];
    return [`${path}.rows[${index}].seats has a label twice`];
  });
  return names.size === rows.length ? labels : [`${path}.rows names a row twice`, ...labels];
}

export function findCategoryProblems(categories: readonly CategoryInput[], at = '$'): string[] {
  const codes = new Set<string>();
  return categories.flatMap((category, index) => {
    const path = `${at}.seatCategories[${index}]`;
    const repeated = codes.has(category.code);
    codes.add(category.code);
    const rows = category.rows ?? [];
    return [
      ...(repeated ? [`${path}.code is the code of another seat category`] : []),
      ...(category.numbered && sumSeats(rows) !== category.capacity
        ? [`${path}.rows have ${sumSeats(rows)} seats, but the capacity is ${category.capacity}`]
        : []),
      ...rows.flatMap(({ seats }, at) => (countSeats(seats) === 0 ? [`${path}.rows[${at}].seats has no seat`] : [])),
      ...(!category.numbered && rows.length > 0 ? [`${path}.rows are for numbered seat categories only`] : []),
      ...findRowProblems(rows, path),
    ];
  });
}

/** Their ids are derived from the performance's. */
export function buildSeatCategories(performanceId: string, categories: readonly CategoryInput[]): SeatCategory[] {
  return categories.map(({ code, name, numbered, capacity, rows }, index) => ({
    id: `cat_${stripIdPrefix(performanceId)}_${index}`,
    code,
    name,
    numbered,
    capacity,
    rows: numbered ? (rows ?? []).map(({ row, seats }) => ({ row, seats })) : [],
    made: numbered ? 0 : capacity,
  }));
}

export function stripIdPrefix(id: string): string {
  return id.slice(id.indexOf('_') + 1);
}
