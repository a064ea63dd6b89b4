import type { Context } from '../context.ts';
import type { Price } from '../domain/price.ts';
import {
  notOnSale,
  notSoldHere,
  priceOf,
  quantityOf,
  type Refusal,
  refusal,
  repeatedPlaces,
  type SaleItem,
  unknownIn,
} from '../domain/sale.ts';
import { settle } from '../performances/capacity.ts';
import type {
  InstitutionDocument,
  PerformanceDocument,
  PlaceDocument,
  PointOfSaleDocument,
  ProductDocument,
  TariffDocument,
} from '../store.ts';
import { claimPlaces, type StockItem } from './claim.ts';
import { type Contention, createContention } from './contention.ts';
import { unknownPlaces } from './unknown-places.ts';

/** The length of a hold without `heldUntil` and without a point of sale. */
export const DEFAULT_HOLD_MINUTES = 15;

export interface HoldRequest {
  readonly holder: string;
  readonly request: string;
  /** The version of the order; a later one is a new attempt of the same request. */
  readonly asOf?: number | undefined;
  readonly items: readonly SaleItem[];
  /** ISO 8601 UTC. */
  readonly heldUntil?: string | undefined;
  /** The service host of a point of sale, whose tariffs, limit of places per order and hold time apply. */
  readonly pointOfSale?: string | undefined;
  /** The number of places that the order has already. */
  readonly placesInOrder?: number | undefined;
}

/** One held place, with everything that an order line records. */
export interface HeldLine {
  readonly item: number;
  readonly place: PlaceDocument;
  readonly price: Price;
  readonly tariff: TariffDocument;
  readonly performance: PerformanceDocument;
  readonly product: ProductDocument | undefined;
}

export interface Held {
  /** Epoch milliseconds. */
  readonly until: number;
  readonly lines: readonly HeldLine[];
  readonly pointOfSale: PointOfSaleDocument | null;
  /** Undefined if it is not set up in the catalog. */
  readonly institution: InstitutionDocument | undefined;
}

/** What a request for places refers to; a point of sale that does not exist is undefined, none requested null. */
export interface Offers {
  readonly performances: ReadonlyMap<string, PerformanceDocument>;
  readonly products: ReadonlyMap<string, ProductDocument>;
  readonly tariffs: ReadonlyMap<string, TariffDocument>;
  readonly pointOfSale: PointOfSaleDocument | null | undefined;
  readonly institution: InstitutionDocument | undefined;
}

const byId = async <T extends { readonly id: string }>(
  ids: readonly string[],
  get: (id: string) => Promise<T | undefined>,
): Promise<ReadonlyMap<string, T>> => {
  const found = await Promise.all([...new Set(ids)].map(get));
  return new Map(found.flatMap((document) => (document ? [[document.id, document]] : [])));
};

/** Reads what the request refers to. */
export const loadOffers = async ({ collections }: Context, requested: HoldRequest): Promise<Offers> => {
  const [performances, tariffs, pointOfSale, institution] = await Promise.all([
    byId(
      requested.items.map(({ performanceId }) => performanceId),
      collections.performances.get,
    ),
    byId(
      requested.items.map(({ tariffId }) => tariffId),
      collections.tariffs.get,
    ),
    requested.pointOfSale === undefined ? null : collections.pointsOfSale.get(requested.pointOfSale.toLowerCase()),
    collections.institutions.get(collections.institution),
  ]);
  const found = [...performances.values()];
  const products = await byId(
    found.map(({ productId }) => productId),
    collections.products.get,
  );
  // A committed change of capacity must be applied before any place is claimed.
  await Promise.all(found.map((performance) => settle(collections, performance)));
  return { performances, products, tariffs, pointOfSale, institution };
};

const isRefusal = (value: object): value is Refusal => 'reason' in value;

const check = (requested: HoldRequest, offers: Offers, now: number): Price[] | Refusal => {
  const { performances, products, tariffs, pointOfSale } = offers;
  const repeated = repeatedPlaces(requested.items);
  const faults = requested.items.map((item, index) => {
    const performance = performances.get(item.performanceId);
    const productState = products.get(performance?.productId ?? '')?.state;
    const offer = { performance, productState, tariff: tariffs.get(item.tariffId) };
    return [...unknownIn(item, index, offer), ...(repeated[index] ?? [])];
  });
  if (pointOfSale === undefined) {
    const fault = `$.pointOfSale: there is no point of sale ${requested.pointOfSale}`;
    return refusal('invalid_reference', [fault, ...faults.flat()].join('; '));
  }
  const first = faults.findIndex((found) => found.length > 0);
  if (first >= 0) return refusal('invalid_reference', faults.flat().join('; '), first);
  for (const [index, { performanceId }] of requested.items.entries()) {
    const performance = performances.get(performanceId);
    const product = products.get(performance?.productId ?? '');
    const why = performance && product && notOnSale(performance, product.state, now);
    if (why) return refusal('not_on_sale', `The performance ${performanceId} is not on sale: ${why}.`, index);
  }
  const prices = requested.items.flatMap((item) => priceOf(item, performances.get(item.performanceId)) ?? []);
  return (pointOfSale && notSoldHere(requested.items, requested.placesInOrder ?? 0, pointOfSale)) ?? prices;
};

/** Completes a refusal that may be due to unknown places: names each of them by its path. */
const namingPlaces = async (
  { collections }: Context,
  { items }: Pick<HoldRequest, 'items'>,
  { performances }: Offers,
  why: Refusal,
): Promise<Refusal> => {
  if (why.reason !== 'invalid_reference' && why.reason !== 'places_unavailable') return why;
  const isKnown = ({ performanceId, seatCategoryId }: SaleItem) =>
    performances.get(performanceId)?.seatCategories.some(({ id }) => id === seatCategoryId);
  // Places of an unknown seat category are not checked.
  const unknown = await unknownPlaces(
    collections.places,
    items.map((item) => (isKnown(item) ? item : { ...item, placeIds: [] })),
  );
  const [first] = unknown;
  if (!first) return why;
  const places = unknown.flatMap(({ faults }) => faults);
  const all = why.reason === 'invalid_reference' ? [why.details, ...places] : places;
  return refusal('invalid_reference', all.join('; '), why.reason === 'invalid_reference' ? why.item : first.item);
};

/** The price of a place at a tariff. */
export interface Quote {
  readonly price: Price;
  readonly tariff: TariffDocument;
}

/** The prices of the items if they were held now, by item; or the refusal. Nothing is held. */
export const quote = async (
  context: Context,
  requested: Pick<HoldRequest, 'items' | 'pointOfSale'>,
): Promise<Quote[] | Refusal> => {
  const request = { ...requested, holder: '', request: '' };
  const offers = await loadOffers(context, request);
  const prices = check(request, offers, context.now());
  if (isRefusal(prices)) return namingPlaces(context, requested, offers, prices);
  return prices.flatMap((price) => {
    const tariff = offers.tariffs.get(price.tariffId);
    return tariff ? [{ price, tariff }] : [];
  });
};

const stockItem = (item: SaleItem, { performances }: Offers): StockItem => {
  const categories = performances.get(item.performanceId)?.seatCategories ?? [];
  const { numbered = false, rows = [] } = categories.find(({ id }) => id === item.seatCategoryId) ?? {};
  return {
    performanceId: item.performanceId,
    seatCategoryId: item.seatCategoryId,
    count: quantityOf(item),
    placeIds: item.placeIds,
    seats: numbered ? { seatsInRow: (row) => rows[row]?.seats ?? 0 } : undefined,
  };
};

const unavailable = (item: number): Refusal =>
  refusal('places_unavailable', `Not enough places are free for $.items[${item}]; nothing is held.`, item);

const linesOf = (
  requested: HoldRequest,
  offers: Offers,
  prices: readonly Price[],
  held: readonly (readonly PlaceDocument[])[],
): HeldLine[] =>
  held.flatMap((places, item) => {
    const { performanceId = '', tariffId = '' } = requested.items[item] ?? {};
    const price = prices[item];
    const performance = offers.performances.get(performanceId);
    const tariff = offers.tariffs.get(tariffId);
    if (!price || !performance || !tariff) return [];
    const product = offers.products.get(performance.productId);
    return places.map((place) => ({ item, place, price, tariff, performance, product }));
  });

/** The state that the holds of one process share: contention, and the requests that are running, by key. */
export interface HoldsContext {
  readonly contention: Contention;
  readonly running: Map<string, Promise<Held | Refusal>>;
}

export const createHoldsContext = (): HoldsContext => ({ contention: createContention(), running: new Map() });

const holdOnce = async (context: Context, requested: HoldRequest, contention: Contention): Promise<Held | Refusal> => {
  const offers = await loadOffers(context, requested);
  const now = context.now();
  const prices = check(requested, offers, now);
  if (isRefusal(prices)) return namingPlaces(context, requested, offers, prices);
  const minutes = offers.pointOfSale?.holdMinutes ?? DEFAULT_HOLD_MINUTES;
  const until =
    requested.heldUntil === undefined ? now + Math.round(minutes * 60_000) : Date.parse(requested.heldUntil);
  const { holder, request, asOf = 0 } = requested;
  const items = requested.items.map((item) => stockItem(item, offers));
  const { random, collections } = context;
  const claim = { holder, request, asOf, items, until, now, random };
  const outcome = await claimPlaces(collections.places, claim, contention);
  if ('short' in outcome) return namingPlaces(context, requested, offers, unavailable(outcome.short));
  // A repeat returns the end of the existing hold, not of a new one.
  const ends = outcome.held.flat().flatMap(({ state, freeFrom }) => (state === 'held' ? [freeFrom] : []));
  const lines = linesOf(requested, offers, prices, outcome.held);
  const { pointOfSale = null, institution } = offers;
  return { until: ends.length > 0 ? Math.min(...ends) : until, lines, pointOfSale, institution };
};

/**
 * Checks that every requested item is on sale, then holds all its places or none. A repeated request (same holder,
 * request and version) returns the same places, also while the first one is running.
 */
export const hold = (
  context: Context,
  requested: HoldRequest,
  { contention, running }: HoldsContext,
): Promise<Held | Refusal> => {
  const key = JSON.stringify([context.collections.institution, requested.holder, requested.request, requested.asOf]);
  const first = running.get(key);
  if (first) return first;
  const outcome = holdOnce(context, requested, contention).finally(() => running.delete(key));
  running.set(key, outcome);
  return outcome;
};
