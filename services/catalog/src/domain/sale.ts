import type { Performance } from './performance.ts';
import type { Price } from './price.ts';
import type { ProductState } from './product.ts';

/** One requested item of a hold: `quantity` places, the places in `placeIds`, or both if they agree. */
export interface SaleItem {
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly tariffId: string;
  readonly quantity?: number;
  readonly placeIds?: readonly string[];
}

/** The reasons of a refused hold. `invalid_reference` includes a tariff without a price. */
export const refusalReasons = [
  'invalid_reference',
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
  /** The index of the request's item; null if the refusal concerns no single one. */
  readonly item: number | null;
}

export const refusal = (reason: RefusalReason, details: string, item: number | null = null): Refusal => ({
  reason,
  details,
  item,
});

/** The number of places that an item requests. */
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

/** What an item refers to in the catalog; undefined if unknown. */
export interface Offer {
  readonly performance: Sellable | undefined;
  readonly productState: ProductState | undefined;
  readonly tariff: object | undefined;
}

/** The price of an item, if there is one. */
export const priceOf = (item: SaleItem, performance: Pick<Sellable, 'prices'> | undefined): Price | undefined =>
  performance?.prices.find(
    ({ seatCategoryId, tariffId }) => seatCategoryId === item.seatCategoryId && tariffId === item.tariffId,
  );

/** The unknown references of an item, each with its path in the request. */
export const unknownIn = (item: SaleItem, index: number, { performance, productState, tariff }: Offer): string[] => {
  const { performanceId, seatCategoryId, tariffId, quantity, placeIds } = item;
  const hasCategory = performance?.seatCategories.some(({ id }) => id === seatCategoryId);
  const faults: string[] = [];
  if (!performance || !productState) faults.push(`performanceId: there is no performance ${performanceId}`);
  else if (!hasCategory) faults.push(`seatCategoryId: the performance has no seat category ${seatCategoryId}`);
  if (!tariff) faults.push(`tariffId: there is no tariff ${tariffId}`);
  else if (hasCategory && !priceOf(item, performance))
    faults.push(`tariffId: the tariff ${tariffId} has no price in this seat category`);
  if (placeIds && quantity !== undefined && quantity !== placeIds.length)
    faults.push(`quantity is ${quantity}, but ${placeIds.length} places are named`);
  return faults.map((fault) => `$.items[${index}].${fault}`);
};

/** The refusal by the rules of a point of sale, if there is one. */
export const notSoldHere = (
  items: readonly SaleItem[],
  placesInOrder: number,
  pointOfSale: {
    readonly serviceHost: string;
    readonly tariffIds: readonly string[];
    readonly maxPlacesPerOrder: number;
  },
): Refusal | undefined => {
  const faults = items.flatMap(({ tariffId }, index) =>
    pointOfSale.tariffIds.includes(tariffId)
      ? []
      : [
          {
            index,
            text: `$.items[${index}].tariffId: the tariff ${tariffId} is not sold at ${pointOfSale.serviceHost}`,
          },
        ],
  );
  const [first] = faults;
  if (first) return refusal('tariff_not_sold_here', faults.map(({ text }) => text).join('; '), first.index);
  const places = items.reduce((sum, each) => sum + quantityOf(each), placesInOrder);
  return places > pointOfSale.maxPlacesPerOrder
    ? refusal('too_many_places', `At most ${pointOfSale.maxPlacesPerOrder} places can be in one order.`)
    : undefined;
};

/** By item, the faults of places that this or an earlier item names already, each with its path. */
export const repeatedPlaces = (items: readonly SaleItem[]): string[][] => {
  const seen = new Set<string>();
  return items.map(({ placeIds = [] }, item) =>
    placeIds.flatMap((id, index) => {
      if (seen.has(id)) return [`$.items[${item}].placeIds[${index}]: the place ${id} is named twice`];
      seen.add(id);
      return [];
    }),
  );
};
