export interface Availability {
  readonly capacity: number;
  readonly free: number;
  readonly held: number;
  readonly sold: number;
}

/**
 * Free, held and sold add up to the capacity by construction, whatever happened between the two counts: `sold` must be
 * counted first and `taken` (held or sold) after it, each in one query. A place sold in between still counts as held. While a
 * category grows, places may be taken before its capacity says so: then as many as are taken exist.
 */
export const availability = (capacity: number, sold: number, taken: number): Availability => {
  const total = Math.max(capacity, taken);
  const certain = Math.min(sold, taken);
  return { capacity: total, free: total - taken, held: taken - certain, sold: certain };
};
