export interface Availability {
  readonly capacity: number;
  readonly free: number;
  readonly held: number;
  readonly sold: number;
}

/**
 * Free, held and sold add up to the capacity by construction, whatever happens between the two counts. `sold` must be
 * counted first and `taken` (held or sold) after it, each in one query. A place sold in between counts as held. While a
 * category grows, more places may be taken than its old capacity: then the capacity is the number taken.
 */
export const availability = (capacity: number, sold: number, taken: number): Availability => {
  const total = Math.max(capacity, taken);
  const certain = Math.min(sold, taken);
  return { capacity: total, free: total - taken, held: taken - certain, sold: certain };
};

export const levels = ['available', 'few', 'sold_out'] as const;
type Level = (typeof levels)[number];

/** Maximum free places that count as `few`. */
const FEW_PLACES = 5;
/** Maximum free share of the capacity that counts as `few`. */
const FEW_SHARE = 0.05;

/** The level of availability of `free` places out of `capacity`, as points of sale show it. */
export const levelOf = (free: number, capacity: number): Level => {
  if (free <= 0) return 'sold_out';
  return free <= FEW_PLACES || free <= capacity * FEW_SHARE ? 'few' : 'available';
};
