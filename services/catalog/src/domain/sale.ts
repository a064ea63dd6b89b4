import type { Performance } from './performance.ts';
import type { Price } from './price.ts';
import type { ProductState } from './product.ts';

/** One wish of a hold: `quantity` places, the seats named by `placeIds`, or both, if they agree. */
export interface SaleItem {
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly tariffId: string;
  readonly quantity?: number;
  readonly placeIds?: readonly string[];
}

/** Why nothing was held. `unknown_reference` includes a tariff without a price. */
export const refusalReasons = [
  'unknown_reference',
  'not_on_sale',
  'places_unavailable',
  'tariff_not_sold_here',
  'too_many_places',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

export interface Refusal {
  readonly reason: RefusalReason;
  /** English, for humans. */
  readonly details: string;
  /** Which of the request's items; null if none in particular. */
  readonly item: number | null;
}

export const refusal = (reason: RefusalReason, details: string, item: number | null = null): Refusal => ({
  reason,
  details,
  item,
});

/** How many places an item wants. */
export const quantityOf = (item: SaleItem): number => item.placeIds?.length ?? item.quantity ?? 1;

/** Why the performance is not on sale at `now` (epoch milliseconds), or undefined if it is. */
export const notOnSale = (
  performance: Pick<Performance, 'state' | 'salesFrom' | 'salesTo'>,
  productState: ProductState,
  now: number,
): string | undefined => {
  if (productState !== 'running') return `its product is ${productState}`;
  if (performance.state !== 'on_sale') return `it is ${performance.state}`;
  if (performance.salesFrom !== null && now < Date.parse(performance.salesFrom)) {
    return `its sale begins at ${performance.salesFrom}`;
  }
  if (performance.salesTo !== null && now >= Date.parse(performance.salesTo)) {
    return `its sale ended at ${performance.salesTo}`;
  }
  return undefined;
};

type Sellable = Pick<Performance, 'state' | 'salesFrom' | 'salesTo' | 'seatCategories' | 'prices'>;

/** What an item needs to know of the catalog; undefined is unknown. */
export interface Offer {
  readonly performance: Sellable | undefined;
  readonly productState: ProductState | undefined;
}

/** The price of an item, or why it cannot be sold at `now` (epoch milliseconds). */
export const priceOf = (item: SaleItem, index: number, offer: Offer, now: number): Price | Refusal => {
  const { performance, productState } = offer;
  const unknown = (details: string) => refusal('unknown_reference', `$.items[${index}].${details}`, index);
  if (!performance || !productState) return unknown(`performanceId: there is no performance ${item.performanceId}`);
  if (!performance.seatCategories.some(({ id }) => id === item.seatCategoryId)) {
    return unknown(`seatCategoryId: the performance has no seat category ${item.seatCategoryId}`);
  }
  const price = performance.prices.find(
    ({ seatCategoryId, tariffId }) => seatCategoryId === item.seatCategoryId && tariffId === item.tariffId,
  );
  if (!price) return unknown(`tariffId: the tariff ${item.tariffId} has no price in this seat category`);
  if (item.placeIds && item.quantity !== undefined && item.quantity !== item.placeIds.length) {
    return unknown(`quantity is ${item.quantity}, but ${item.placeIds.length} places are named`);
  }
  const why = notOnSale(performance, productState, now);
  return why ? refusal('not_on_sale', `The performance ${item.performanceId} is not on sale: ${why}.`, index) : price;
};

/** What a point of sale says about a hold, if anything is against it. */
export const notSoldHere = (
  items: readonly SaleItem[],
  placesInOrder: number,
  pointOfSale: {
    readonly serviceHost: string;
    readonly tariffIds: readonly string[];
    readonly maxPlacesPerOrder: number;
  },
): Refusal | undefined => {
  const index = items.findIndex(({ tariffId }) => !pointOfSale.tariffIds.includes(tariffId));
  const item = items[index];
  if (item) {
    const details = `$.items[${index}].tariffId: the tariff ${item.tariffId} is not sold at ${pointOfSale.serviceHost}`;
    return refusal('tariff_not_sold_here', details, index);
  }
  const places = items.reduce((sum, each) => sum + quantityOf(each), placesInOrder);
  return places > pointOfSale.maxPlacesPerOrder
    ? refusal('too_many_places', `At most ${pointOfSale.maxPlacesPerOrder} places can be in one order.`)
    : undefined;
};

/** The first place that several items name, or one names twice. */
export const repeatedPlace = (items: readonly SaleItem[]): string | undefined => {
  const seen = new Set<string>();
  for (const id of items.flatMap(({ placeIds }) => placeIds ?? [])) {
    if (seen.has(id)) return id;
    seen.add(id);
  }
  return undefined;
};
