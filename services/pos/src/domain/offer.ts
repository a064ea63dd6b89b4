type Texts = Readonly<Record<string, string>>;

export const levels = ['available', 'few', 'sold_out'] as const;

/** Maximum free places that count as `few`. */
const FEW_PLACES = 5;
/** The same as a share of the capacity. */
const FEW_SHARE = 0.05;

export function computeAvailability(free: number, capacity: number): (typeof levels)[number] {
  if (free <= 0) return 'sold_out';
  return free <= FEW_PLACES || free <= capacity * FEW_SHARE ? 'few' : 'available';
}

interface Offered {
  readonly id: string;
  readonly startDate: string;
  readonly durationMinutes: number | null;
  readonly state: 'on_sale' | 'closed' | 'cancelled';
  readonly salesFrom: string | null;
  readonly salesTo: string | null;
}

interface Period {
  readonly type: string;
  readonly endDate: string | null;
}

/** `productType` is null for a show; `validUntil` (ISO 8601 UTC) without an end. */
export interface Validity {
  readonly productType: string;
  readonly validUntil: string | null;
}

type Offering<P extends Offered> = Period & { readonly performances: readonly P[] };

export function findPerformance<P extends Offered>(products: readonly Offering<P>[], id: string) {
  for (const product of products) {
    const performance = product.performances.find((one) => one.id === id);
    if (performance) return { performance, product };
  }
  return undefined;
}

export function findSoldPerformance<P extends Offered>(
  products: readonly Offering<P>[],
  id: string,
): (P & { readonly validity: Validity }) | undefined {
  const found = findPerformance(products, id);
  if (!found) return undefined;
  const { performance, product } = found;
  const end = computeEnd(performance, product);
  const isOpen = product.type === 'show' || !Number.isFinite(end);
  const validUntil = isOpen ? null : new Date(end).toISOString();
  return { ...performance, validity: { productType: product.type, validUntil } };
}

/**
 * A performance ends after its duration, else at its start; what is no show ends with its product, if that has an end.
 * Epoch milliseconds.
 */
const computeEnd = ({ startDate, durationMinutes }: Offered, { type, endDate }: Period): number => {
  const isPeriod = type !== 'show';
  if (isPeriod && endDate !== null) return Date.parse(endDate);
  if (isPeriod && durationMinutes === null) return Number.POSITIVE_INFINITY;
  return Date.parse(startDate) + (durationMinutes ?? 0) * 60_000;
};

export function isOver(performance: Offered, product: Period, now: number): boolean {
  return computeEnd(performance, product) <= now;
}

/** By state and dates at `now` (epoch milliseconds), regardless of stock. */
export function isOnSale(performance: Offered, product: Period, now: number): boolean {
  return isInSale(performance, now) && !isOver(performance, product, now);
}

const isInSale = ({ state, salesFrom, salesTo }: Offered, now: number): boolean =>
  state === 'on_sale' &&
  (salesFrom === null || Date.parse(salesFrom) <= now) &&
  (salesTo === null || now < Date.parse(salesTo));

/** Neither cancelled nor, its duration being known, over at `now` (epoch milliseconds). */
export function isShown(performance: Offered, product: Period, now: number): boolean {
  return (
    performance.state !== 'cancelled' && (performance.durationMinutes === null || !isOver(performance, product, now))
  );
}

interface Tariff {
  readonly id: string;
  readonly name: Texts;
  readonly criterion: string | null;
}

/** Tariffs that the point of sale sells to everybody, or to who has the criterion. */
export function selectTariffs<T extends Tariff>(
  tariffs: readonly T[],
  soldHere: readonly string[],
  criteria: readonly string[],
): ReadonlyMap<string, T> {
  const here = new Set(soldHere);
  const accessible = tariffs.filter(
    ({ id, criterion }) => here.has(id) && (criterion === null || criteria.includes(criterion)),
  );
  return new Map(accessible.map((tariff) => [tariff.id, tariff]));
}

/** Records without a start come last. */
export function compareByStartThenId(
  a: { readonly startDate: string | null; readonly id: string },
  b: { readonly startDate: string | null; readonly id: string },
): number {
  return byText(a.startDate ?? '~', b.startDate ?? '~') || byText(a.id, b.id);
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const DAY_MS = 24 * 60 * 60 * 1_000;

/** How long a link outlives the last performance of its order. */
const AFTER_MS = 30 * DAY_MS;

/** How long a pass or goods without `endDate` count as valid after the sale. */
const ENDLESS_MS = 366 * DAY_MS;

interface SoldPlace {
  readonly current: { readonly performance: Offered; readonly product: Period } | undefined;
  readonly startDate: string;
}

/**
 * A link ends 30 days after the last performance as it is dated now, or after the sale of an order without places.
 * Epoch milliseconds; `known` is the end as computed before, for what is published no more.
 */
export function computeLinkEnd(sold: readonly SoldPlace[], soldAt: number, known = 0): number {
  const ends = sold.map(({ current, startDate }) => {
    if (!current) return Math.max(Date.parse(startDate), known - AFTER_MS);
    const end = computeEnd(current.performance, current.product);
    return Number.isFinite(end) ? end : soldAt + ENDLESS_MS;
  });
  return (ends.length === 0 ? soldAt : Math.max(...ends)) + AFTER_MS;
}

export interface Wanted {
  /** The first and the last day, local to each performance: `2027-03-12`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly venue?: string | undefined;
  /** Words of a title in any language; case and accents do not matter. */
  readonly q?: string | undefined;
}

interface Held {
  readonly venue: { readonly name: string };
}

interface Findable<Performance extends Held> {
  readonly titles: readonly string[];
  readonly performances: readonly Performance[];
}

/**
 * What matches, each with its matching performances, and what else could be chosen: the performances of each day at the
 * wanted venue, the venues on the wanted days. `dayOf`: the local day, `2027-03-12`.
 */
export function findIn<Performance extends Held, Item extends Findable<Performance>>(
  items: readonly Item[],
  { from = '', to = '~', venue, q = '' }: Wanted,
  dayOf: (performance: Performance) => string,
) {
  const words = plain(q).split(/\s+/).filter(Boolean);
  const titled = items.filter(({ titles }) => titles.some((title) => hasWords(title, words)));
  const isAtVenue = (performance: Performance) => venue === undefined || performance.venue.name === venue;
  const isInTime = (performance: Performance) => {
    const day = dayOf(performance);
    return day >= from && day <= to;
  };
  const isNarrowed = venue !== undefined || from !== '' || to !== '~';
  const found = titled.flatMap((item) => {
    const performances = item.performances.filter((one) => isAtVenue(one) && isInTime(one));
    return performances.length > 0 || !isNarrowed ? [{ item, performances }] : [];
  });
  const all = titled.flatMap(({ performances }) => performances);
  return {
    found,
    days: countBy(all.filter(isAtVenue).map(dayOf)),
    venues: Object.keys(countBy(all.filter(isInTime).map((one) => one.venue.name))),
  };
}

const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

const hasWords = (title: string, words: readonly string[]): boolean => {
  const letters = plain(title);
  return words.every((word) => letters.includes(word));
};

const countBy = (keys: readonly string[]): Record<string, number> => {
  const counts = new Map<string, number>();
  for (const key of keys.toSorted()) counts.set(key, (counts.get(key) ?? 0) + 1);
  return Object.fromEntries(counts);
};
