import { computePlaceOrder, listAddedSpots, type Spot } from './place.ts';
import {
  findRowProblems,
  findSeatLabel,
  listSeatPositions,
  type Row,
  type SeatCategory,
  sumSeats,
} from './seat-category.ts';

/** Sets the capacity of an unnumbered category, or rows of a numbered one (other rows stay as they are). */
export interface RequestedCapacity {
  readonly id: string;
  readonly capacity?: number;
  readonly rows?: readonly Row[];
}

export interface CategoryPlan {
  readonly category: SeatCategory;
  /** Places to create, or to reopen at the same position. */
  readonly add: readonly Spot[];
  /** Withdrawn places to reopen, no matter which, … */
  readonly reopen: number;
  /** … among those with a lower `order`: later ones are of a change that was rolled back. */
  readonly reopenBelow: number;
  readonly remove: readonly Spot[];
  /** Places to withdraw, no matter which. */
  readonly close: number;
}

/** Named rows get their new number of seats, new ones are appended. */
export function mergeRows(rows: readonly Row[], request: readonly Row[]): Row[] {
  const requestedSeats = new Map(request.map(({ row, seats }) => [row, seats]));
  const current = rows.map(({ row, seats }) => ({ row, seats: requestedSeats.get(row) ?? seats }));
  const known = new Set(rows.map(({ row }) => row));
  return [...current, ...request.filter(({ row }) => !known.has(row)).map(({ row, seats }) => ({ row, seats }))];
}

export function findCapacityProblems(
  categories: readonly SeatCategory[],
  requests: readonly RequestedCapacity[],
): string[] {
  return requests.flatMap((request, position) => {
    const path = `$.seatCategories[${position}]`;
    const repeated = requests.findIndex(({ id }) => id === request.id) < position;
    const category = categories.find(({ id }) => id === request.id);
    return [...(repeated ? [`${path}.id is named twice`] : []), ...requestProblems(request, category, path)];
  });
}

const requestProblems = (request: RequestedCapacity, category: SeatCategory | undefined, path: string): string[] => {
  if (!category) return [`${path}.id is not one of the seat categories`];
  const { capacity, rows } = request;
  if (!category.numbered) return rows ? [`${path}.rows are for numbered seat categories only`] : [];
  const problems = [...findRowProblems(rows ?? [], path), ...findLabelProblems(category.rows, rows ?? [], path)];
  if (problems.length > 0) return problems;
  const seats = sumSeats(mergeRows(category.rows, rows ?? []));
  if (capacity === undefined || capacity === seats) return [];
  return [
    `${path}.capacity is ${capacity}, but the rows have ${seats} seats; a numbered seat category changes by its rows`,
  ];
};

/** The rows in which a seat would get another label: what is on a ticket stays. */
const findLabelProblems = (present: readonly Row[], request: readonly Row[], path: string): string[] => {
  const seatsNow = new Map(present.map(({ row, seats }) => [row, seats]));
  return request.flatMap(({ row, seats }, index) => {
    const now = seatsNow.get(row) ?? 0;
    const other = listSeatPositions(seats).find((at) => {
      const label = findSeatLabel(now, at);
      return label !== null && label !== findSeatLabel(seats, at);
    });
    if (other === undefined) return [];
    const [from, to] = [findSeatLabel(now, other), findSeatLabel(seats, other)];
    return [`${path}.rows[${index}].seats: the seat ${from} cannot become ${to}; remove it first`];
  });
};

/** The requests must have no problems. */
export function planCapacity(
  categories: readonly SeatCategory[],
  requests: readonly RequestedCapacity[],
): CategoryPlan[] {
  return categories.flatMap((category, index) => {
    const request = requests.find(({ id }) => id === category.id);
    if (!request) return [];
    const plan = category.numbered
      ? planNumbered(index, category, request.rows ?? [])
      : planUnnumbered(index, category, request.capacity ?? category.capacity);
    return isChange(plan, category) ? [plan] : [];
  });
}

const planNumbered = (index: number, from: SeatCategory, request: readonly Row[]): CategoryPlan => {
  const rows = mergeRows(from.rows, request);
  const category = { ...from, rows, capacity: sumSeats(rows) };
  return {
    category,
    add: listAddedSpots(index, category, from),
    reopen: 0,
    reopenBelow: 0,
    remove: listAddedSpots(index, from, category),
    close: 0,
  };
};

const planUnnumbered = (index: number, from: SeatCategory, capacity: number): CategoryPlan => {
  const category = { ...from, capacity, made: Math.max(from.made, capacity) };
  return {
    category,
    add: listAddedSpots(index, category, from),
    reopen: Math.max(0, Math.min(from.made, capacity) - from.capacity),
    reopenBelow: computePlaceOrder({ category: index, row: 0, seat: from.made + 1 }),
    remove: [],
    close: Math.max(0, from.capacity - capacity),
  };
};

const isChange = ({ category, add, reopen, remove, close }: CategoryPlan, from: SeatCategory): boolean =>
  add.length + reopen + remove.length + close > 0 || category.rows.length !== from.rows.length;

/**
 * Free, held and sold add up to the capacity, whatever happens between the two counts: `sold` is counted first and
 * `taken` (held or sold) after it. While a category grows, more places may be taken than its old capacity: then the
 * capacity is the number taken.
 */
export function computeAvailability(capacity: number, sold: number, taken: number) {
  const total = Math.max(capacity, taken);
  const certain = Math.min(sold, taken);
  return { capacity: total, free: total - taken, held: taken - certain, sold: certain };
}

export const levels = ['available', 'few', 'sold_out'] as const;
type Level = (typeof levels)[number];

/** Maximum free places that count as `few`. */
const FEW_PLACES = 5;
/** The same as a share of the capacity. */
const FEW_SHARE = 0.05;

export function computeLevel(free: number, capacity: number): Level {
  if (free <= 0) return 'sold_out';
  return free <= FEW_PLACES || free <= capacity * FEW_SHARE ? 'few' : 'available';
}
