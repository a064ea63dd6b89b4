// What the catalogue says of prices, and what of it a line has (commerce, section 4).

export type Texts = Readonly<Record<string, string>>;

/** Null of what has no tax. `rate` is a decimal string, in percent; prices include it. */
export interface Tax {
  readonly taxId: string | null;
  readonly rate: string | null;
}

export const UNTAXED: Tax = { taxId: null, rate: null };

/** One of `percent`, rounded to whole multiples of `roundTo` minor units (absent: 1), `amount` and, of discounts, `price`. */
export interface Effect {
  readonly percent?: string;
  readonly roundTo?: number;
  readonly amount?: number;
  readonly price?: number;
}

/** As of the hold of its line, or of the order's first lines. */
export interface Fee {
  readonly id: string;
  readonly name: Texts;
  readonly effect: Effect;
  readonly tax: Tax;
}

/** Admits an order whose point of sale or client it names; null: all. */
export interface Channels {
  readonly pointsOfSale: readonly string[];
  readonly clientIds: readonly string[];
}

/** What a discount does, and to which lines; as of now, or of the hold. */
export interface DiscountTerms {
  readonly id: string;
  readonly name: Texts;
  readonly trigger: 'automatic' | 'code';
  /** Null: it only unlocks. */
  readonly effect: Effect | null;
  /** The hidden tariffs that it unlocks. */
  readonly unlocks: readonly string[];
  /** Required of the order's contact. */
  readonly criterion: string | null;
  /** Null: all; so are those of performances and tariffs. */
  readonly productIds: readonly string[] | null;
  readonly performanceIds: readonly string[] | null;
  readonly tariffIds: readonly string[] | null;
  /** Of the order's lines that match otherwise. */
  readonly minPlaces: number;
  readonly channels: Channels | null;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
}

/** Of a discount, or of one of its codes. */
interface Uses {
  /** Null: it has no limit of its own. */
  readonly free: number | null;
  /** Of those, what the order has claimed; absent: nothing is claimed yet. */
  readonly claimed?: number;
}

export interface OfferedCode extends Uses {
  readonly code: string;
  readonly id: string;
}

export interface Discount extends DiscountTerms, Uses {
  readonly state: 'active' | 'paused';
  /** ISO 8601 UTC, from the first instant on, before the last. */
  readonly validFrom: string | null;
  readonly validTo: string | null;
  readonly usesPerOrder: number | null;
  /** Those that the order gave. */
  readonly codes: readonly OfferedCode[];
}

/** The discount of a line: its terms stay as of the hold, and its uses are held with the place. */
export interface Grant {
  readonly terms: DiscountTerms;
  /** That admitted it; null of an automatic one. */
  readonly code: string | null;
  /** Ids of the uses that it has in the catalogue. */
  readonly uses: readonly string[];
}

/** A line as it is priced. Amounts are in minor units. */
export interface PricedItem {
  readonly id: string;
  readonly productId: string;
  readonly performanceId: string;
  readonly tariffId: string;
  /** Its tariff is sold only with a discount that unlocks it. */
  readonly hidden: boolean;
  readonly base: number;
  readonly tax: Tax;
  /** Of the ticket. */
  readonly fees: readonly Fee[];
  /** Null: none. */
  readonly grant: Grant | null;
}

export interface Buyer {
  readonly pointOfSale: string | null;
  readonly clientId: string | null;
}

export interface Buying extends Buyer {
  /** Of the contact; null: the order has none. */
  readonly criteria: readonly string[] | null;
  /** As given. */
  readonly codes: readonly string[];
  /** Epoch milliseconds. */
  readonly now: number;
}

export function isBuyerAdmitted(channels: Channels | null, { pointOfSale, clientId }: Buyer): boolean {
  if (channels === null) return true;
  const { pointsOfSale, clientIds } = channels;
  if (pointsOfSale.length === 0 && clientIds.length === 0) return true;
  return (
    (pointOfSale !== null && pointsOfSale.includes(pointOfSale)) || (clientId !== null && clientIds.includes(clientId))
  );
}

/** By this order, beside the uses that it has. */
export function countUsable({ free, claimed }: Uses): number {
  return free === null ? Number.POSITIVE_INFINITY : (claimed ?? free);
}

export function isSameCode(one: string, other: string): boolean {
  return one.toUpperCase() === other.toUpperCase();
}

/** Codes equal without case count as one, as first given. */
export function listDistinctCodes(codes: readonly string[]): string[] {
  return codes.filter((code, index) => codes.findIndex((other) => isSameCode(code, other)) === index);
}
