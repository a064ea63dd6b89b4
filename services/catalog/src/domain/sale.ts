import type { Performance } from './performance.ts';
import type { ProductState } from './product.ts';
import type { Price } from './tariff.ts';

/** `quantity` places, the places in `placeIds`, or both if they agree. */
export interface SaleItem {
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly tariffId: string;
  readonly quantity?: number;
  readonly placeIds?: readonly string[];
}

export interface ItemsRequest {
  readonly items: readonly SaleItem[];
  /** The service host of a point of sale, whose tariffs, limit of places and hold time apply. */
  readonly pointOfSale?: string | undefined;
  readonly placesInOrder?: number | undefined;
  /** Of discounts. */
  readonly codes?: readonly string[] | undefined;
}

/** `invalid_reference` includes a tariff without a price. */
export const refusalReasons = [
  'invalid_reference',
  'not_on_sale',
  'places_unavailable',
  'tariff_not_sold_here',
  'too_many_places',
] as const;
type RefusalReason = (typeof refusalReasons)[number];

export interface Refusal {
  readonly reason: RefusalReason;
  /** English, for humans. */
  readonly details: string;
  /** Null if the refusal concerns no single item. */
  readonly item: number | null;
}

export function createRefusal(reason: RefusalReason, details: string, item: number | null = null): Refusal {
  return {
    reason,
    details,
    item,
  };
}

export function countItemPlaces(item: SaleItem): number {
  return item.placeIds?.length ?? item.quantity ?? 1;
}

/** Of the order, with the items. */
export function countLines({ items, placesInOrder = 0 }: ItemsRequest): number {
  return items.reduce((sum, item) => sum + countItemPlaces(item), placesInOrder);
}

type Sellable = Pick<Performance, 'state' | 'salesFrom' | 'salesTo' | 'seatCategories' | 'prices'>;

/** By id; a point of sale that does not exist is undefined, none is null. */
export interface Offered {
  readonly performances: ReadonlyMap<string, Sellable & { readonly productId: string }>;
  readonly products: ReadonlyMap<string, { readonly state: ProductState }>;
  readonly tariffs: ReadonlyMap<string, object>;
  readonly pointOfSale:
    | {
        readonly serviceHost: string;
        readonly tariffIds: readonly string[];
        readonly maxPlacesPerOrder: number;
      }
    | null
    | undefined;
}

export function findPrice(item: SaleItem, performance: Pick<Sellable, 'prices'> | undefined): Price | undefined {
  return performance?.prices.find(
    ({ seatCategoryId, tariffId }) => seatCategoryId === item.seatCategoryId && tariffId === item.tariffId,
  );
}

export function hasCategory({ performanceId, seatCategoryId }: SaleItem, { performances }: Offered): boolean {
  return performances.get(performanceId)?.seatCategories.some(({ id }) => id === seatCategoryId) === true;
}

/** Apart from whether places are free, in the order in which a hold is refused. `now` is in epoch milliseconds. */
export function findRefusals(
  { items, pointOfSale: wanted, placesInOrder }: ItemsRequest,
  offered: Offered,
  now: number,
): Refusal[] {
  const { performances, products, pointOfSale } = offered;
  const seen = new Set<string>();
  const unknown = items.flatMap((item, index) => {
    const faults = faultsIn(item, offered, seen).map((fault) => `$.items[${index}].${fault}`);
    return faults.length > 0 ? [createRefusal('invalid_reference', faults.join('; '), index)] : [];
  });
  const unsaleable = items.flatMap(({ performanceId }, index) => {
    const performance = performances.get(performanceId);
    const product = products.get(performance?.productId ?? '');
    const why = performance && product && notOnSale(performance, product.state, now);
    return why ? [createRefusal('not_on_sale', `The performance ${performanceId} is not on sale: ${why}.`, index)] : [];
  });
  if (pointOfSale === undefined) {
    const details = `$.pointOfSale: there is no point of sale ${wanted}`;
    return [createRefusal('invalid_reference', details), ...unknown, ...unsaleable];
  }
  if (pointOfSale === null) return [...unknown, ...unsaleable];
  const { serviceHost, tariffIds, maxPlacesPerOrder } = pointOfSale;
  const unsold = items.flatMap(({ tariffId }, index) => {
    const details = `$.items[${index}].tariffId: the tariff ${tariffId} is not sold at ${serviceHost}`;
    return tariffIds.includes(tariffId) ? [] : [createRefusal('tariff_not_sold_here', details, index)];
  });
  const places = countLines({ items, placesInOrder });
  const tooMany = createRefusal('too_many_places', `At most ${maxPlacesPerOrder} places can be in one order.`);
  return [...unknown, ...unsaleable, ...unsold, ...(places > maxPlacesPerOrder ? [tooMany] : [])];
}

/** The unknown references of an item, and what it says twice, each with its path below the item. */
const faultsIn = (item: SaleItem, offered: Offered, seen: Set<string>): string[] => {
  const { performanceId, seatCategoryId, tariffId, quantity, placeIds = [] } = item;
  const performance = offered.performances.get(performanceId);
  const isInCategory = hasCategory(item, offered);
  const faults: string[] = [];
  if (!performance || !offered.products.has(performance.productId))
    faults.push(`performanceId: there is no performance ${performanceId}`);
  else if (!isInCategory) faults.push(`seatCategoryId: the performance has no seat category ${seatCategoryId}`);
  if (!offered.tariffs.has(tariffId)) faults.push(`tariffId: there is no tariff ${tariffId}`);
  else if (isInCategory && !findPrice(item, performance))
    faults.push(`tariffId: the tariff ${tariffId} has no price in this seat category`);
  if (item.placeIds && quantity !== undefined && quantity !== placeIds.length)
    faults.push(`quantity is ${quantity}, but ${placeIds.length} places are named`);
  for (const [index, id] of placeIds.entries()) {
    if (seen.has(id)) faults.push(`placeIds[${index}]: the place ${id} is named twice`);
    seen.add(id);
  }
  return faults;
};

/** Undefined if it is on sale at `now` (epoch milliseconds). */
const notOnSale = (
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

/** The first one, with what others say of the same kind of reference. */
export function selectFirstRefusal(refusals: readonly Refusal[]): Refusal | undefined {
  const [first] = refusals;
  if (!first || first.reason === 'not_on_sale') return first;
  const same = refusals.filter(({ reason }) => reason === first.reason);
  return { ...first, details: same.map(({ details }) => details).join('; ') };
}
