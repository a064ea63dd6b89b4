import type { Documents } from '@boxoffice/store';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context.ts';
import {
  countItemPlaces,
  countLines,
  createRefusal,
  findPrice,
  findRefusals,
  hasCategory,
  type ItemsRequest,
  type Offered,
  type Refusal,
  type SaleItem,
  selectFirstRefusal,
} from '../domain/sale.ts';
import { countPositions } from '../domain/seat-category.ts';
import type { Price } from '../domain/tariff.ts';
import { settle } from '../performances/capacity.ts';
import { listCodes, readPricing } from '../pricing/offer.ts';
import {
  type CodeDocument,
  discountCodes,
  type InstitutionDocument,
  institutions,
  type PerformanceDocument,
  type PlaceDocument,
  type PointOfSaleDocument,
  type ProductDocument,
  performances,
  pointsOfSale,
  products,
  type TariffDocument,
  tariffs,
} from '../store.ts';
import { type Contention, claimPlaces, createContention, type StockItem } from './claim.ts';

export interface Offers extends Offered {
  readonly performances: ReadonlyMap<string, PerformanceDocument>;
  readonly products: ReadonlyMap<string, ProductDocument>;
  readonly tariffs: ReadonlyMap<string, TariffDocument>;
  readonly pointOfSale: PointOfSaleDocument | null | undefined;
  readonly institution: InstitutionDocument | undefined;
  /** Of the request's codes that there are, by id. */
  readonly codes: ReadonlyMap<string, CodeDocument>;
}

/** The product of a performance, which never changes: so it is read together with the performance. */
const productIds = new LRUCache<string, string>({ max: 10_000 });

export async function loadOffers({ collections }: Context, requested: ItemsRequest): Promise<Offers> {
  const { items, pointOfSale: host } = requested;
  const ids = [...new Set(items.map(({ performanceId }) => performanceId))];
  const found = await collections.getTogether({
    institutions: { collection: institutions, ids: [collections.institution] },
    performances: { collection: performances, ids },
    products: { collection: products, ids: ids.flatMap((id) => productIds.get(id) ?? []) },
    tariffs: { collection: tariffs, ids: items.map(({ tariffId }) => tariffId) },
    pointsOfSale: { collection: pointsOfSale, ids: host === undefined ? [] : [host.toLowerCase()] },
    codes: { collection: discountCodes, ids: [...listCodes(collections.institution, requested.codes).keys()] },
  });
  const own = [...found.performances.values()];
  const unread = own.filter(({ productId }) => !found.products.has(productId));
  const more = { products: { collection: products, ids: unread.map(({ productId }) => productId) } };
  const read = unread.length === 0 ? [] : (await collections.getTogether(more)).products;
  for (const { id, productId } of own) productIds.set(id, productId);
  // A written change of capacity is applied before any place is claimed.
  await Promise.all(own.map((performance) => settle(collections, performance)));
  return {
    performances: found.performances,
    products: new Map([...found.products, ...read]),
    tariffs: found.tariffs,
    pointOfSale: host === undefined ? null : found.pointsOfSale.get(host.toLowerCase()),
    institution: found.institutions.get(collections.institution),
    codes: found.codes,
  };
}

/** Places outside the item's seat category, or withdrawn; each fault has its path in the request. */
export interface UnknownPlaces {
  readonly item: number;
  readonly faults: readonly string[];
}

/** Skips items of an unknown seat category. Called after a refused hold: a claim proves that its places exist. */
export async function findUnknownPlaces(
  places: Pick<Documents<PlaceDocument>, 'find'>,
  items: readonly SaleItem[],
  offers: Offers,
): Promise<UnknownPlaces[]> {
  const all = await Promise.all(
    items.map(async (requested, item) => {
      const { seatCategoryId } = requested;
      const placeIds = (hasCategory(requested, offers) && requested.placeIds) || [];
      const found = placeIds.length > 0 ? await places.find({ where: { id: { in: placeIds }, seatCategoryId } }) : [];
      const known = new Set(found.flatMap(({ id, state }) => (state === 'withdrawn' ? [] : [id])));
      const faults = placeIds.flatMap((id, index) =>
        known.has(id) ? [] : [`$.items[${item}].placeIds[${index}]: there is no place ${id} in this seat category`],
      );
      return { item, faults };
    }),
  );
  return all.filter(({ faults }) => faults.length > 0);
}

/** Applies without `heldUntil` and without a point of sale. */
const DEFAULT_HOLD_MINUTES = 15;

interface HoldRequest extends ItemsRequest {
  readonly holder: string;
  readonly request: string;
  /** A later version of the order is a new attempt of the same request. */
  readonly asOf?: number | undefined;
  /** ISO 8601 UTC. */
  readonly heldUntil?: string | undefined;
  /** Looks for what an earlier attempt holds only where too few places are free: that lapses by itself. */
  readonly claimFirst?: boolean | undefined;
}

interface Sold {
  readonly price: Price;
  readonly tariff: TariffDocument;
  readonly performance: PerformanceDocument;
  readonly product: ProductDocument;
}

export interface HeldLine extends Sold {
  readonly item: number;
  readonly place: PlaceDocument;
}

export interface Held {
  /** Epoch milliseconds. */
  readonly until: number;
  readonly lines: readonly HeldLine[];
  readonly pointOfSale: PointOfSaleDocument | null;
  /** Undefined if it is not set up in the catalog. */
  readonly institution: InstitutionDocument | undefined;
  readonly pricing: Awaited<ReturnType<typeof readPricing>>;
}

/** Prices each item; nothing is held. */
export async function quote(
  context: Context,
  requested: ItemsRequest,
): Promise<(Pick<Held, 'pricing'> & { readonly sold: readonly Sold[] }) | Refusal> {
  const offers = await loadOffers(context, requested);
  const sold = soldOf(requested, offers, context.now());
  if (isRefusal(sold)) return namingPlaces(context, requested, offers, sold);
  return { sold, pricing: await readPricing(context, offers.institution, requested.codes, offers.codes) };
}

const soldOf = (requested: ItemsRequest, offers: Offers, now: number): Sold[] | Refusal =>
  selectFirstRefusal(findRefusals(requested, offers, now)) ??
  requested.items.flatMap((item) => {
    const performance = offers.performances.get(item.performanceId);
    const product = performance && offers.products.get(performance.productId);
    const [tariff, price] = [offers.tariffs.get(item.tariffId), findPrice(item, performance)];
    return performance && product && tariff && price ? [{ price, tariff, performance, product }] : [];
  });

const isRefusal = (value: object): value is Refusal => 'reason' in value;

/** Names each unknown place by its path. */
const namingPlaces = async (
  { collections }: Context,
  { items }: ItemsRequest,
  offers: Offers,
  why: Refusal,
): Promise<Refusal> => {
  if (why.reason !== 'invalid_reference' && why.reason !== 'places_unavailable') return why;
  const unknown = await findUnknownPlaces(collections.places, items, offers);
  const [first] = unknown;
  if (!first) return why;
  const places = unknown.flatMap(({ faults }) => faults);
  const all = why.reason === 'invalid_reference' ? [why.details, ...places] : places;
  return createRefusal('invalid_reference', all.join('; '), why.reason === 'invalid_reference' ? why.item : first.item);
};

/** Nothing but places is missing: what else would refuse the order can be told from its prices. */
export interface ShortOfPlaces extends Refusal, Pick<Held, 'pricing'> {
  readonly sold: readonly Sold[];
}

/** Shared by the holds of a process: contention, and the running requests by key. */
export function createHoldsContext() {
  return {
    contention: createContention(),
    running: new Map<string, Promise<Outcome>>(),
  };
}

type Outcome = Held | Refusal | ShortOfPlaces;

/** A repeat (same holder, request and version) returns the same places, also while the first one is running. */
export function hold(
  context: Context,
  requested: HoldRequest,
  { contention, running }: ReturnType<typeof createHoldsContext>,
): Promise<Outcome> {
  const key = JSON.stringify([context.collections.institution, requested.holder, requested.request, requested.asOf]);
  const first = running.get(key);
  if (first) return first;
  const outcome = holdOnce(context, requested, contention).finally(() => running.delete(key));
  running.set(key, outcome);
  return outcome;
}

const holdOnce = async (context: Context, requested: HoldRequest, contention: Contention): Promise<Outcome> => {
  const offers = await loadOffers(context, requested);
  const now = context.now();
  const sold = soldOf(requested, offers, now);
  if (isRefusal(sold)) return namingPlaces(context, requested, offers, sold);
  const minutes = offers.pointOfSale?.holdMinutes ?? DEFAULT_HOLD_MINUTES;
  const until =
    requested.heldUntil === undefined ? now + Math.round(minutes * 60_000) : Date.parse(requested.heldUntil);
  const { holder, request, asOf = 0, claimFirst } = requested;
  const items = requested.items.map((item) => stockItem(item, offers));
  const claim = { holder, request, asOf, items, until, now, claimFirst };
  const [outcome, pricing] = await Promise.all([
    claimPlaces(context.collections.places, claim, contention),
    readPricing(context, offers.institution, requested.codes, offers.codes, countLines(requested), { holder, request }),
  ]);
  if ('short' in outcome)
    return { ...(await namingPlaces(context, requested, offers, unavailable(outcome.short))), sold, pricing };
  // The end is that of the existing hold, not of a new one.
  const ends = outcome.held.flat().flatMap(({ state, freeFrom }) => (state === 'held' ? [freeFrom] : []));
  const lines = sold.flatMap((one, item) => (outcome.held[item] ?? []).map((place) => ({ item, place, ...one })));
  const { pointOfSale = null, institution } = offers;
  return { until: ends.length > 0 ? Math.min(...ends) : until, lines, pointOfSale, institution, pricing };
};

const stockItem = (item: SaleItem, { performances }: Offers): StockItem => {
  const categories = performances.get(item.performanceId)?.seatCategories ?? [];
  const { numbered = false, rows = [] } = categories.find(({ id }) => id === item.seatCategoryId) ?? {};
  return {
    performanceId: item.performanceId,
    seatCategoryId: item.seatCategoryId,
    count: countItemPlaces(item),
    placeIds: item.placeIds,
    seats: numbered ? { seatsInRow: (row) => countPositions(rows[row]?.seats) } : undefined,
  };
};

const unavailable = (item: number): Refusal =>
  createRefusal('places_unavailable', `Not enough places are free for $.items[${item}]; nothing is held.`, item);
