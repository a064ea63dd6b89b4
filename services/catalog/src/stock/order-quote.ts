import type { Context } from '../context.ts';
import { notOnSale, priceOf, quantityOf, type Refusal, refusal, repeatedPlaces, unknownIn } from '../domain/sale.ts';
import { isPublic, withPublicPrices } from '../public/projection.ts';
import { readPublicTariffs } from '../public/read.ts';
import type { Collections, PointOfSaleDocument } from '../store.ts';
import { type HoldRequest, loadOffers, type Offers } from './hold.ts';
import { unknownPlaces } from './unknown-places.ts';

interface Requested extends Pick<HoldRequest, 'items' | 'pointOfSale'> {
  /** Whether the quote knows only what public access shows; everything else reads like what never existed. */
  readonly publicOnly?: boolean | undefined;
}

/** What the places of an item would cost, each. */
export interface ItemQuote {
  readonly item: number;
  readonly quantity: number;
  readonly amount: number;
  readonly currency: string;
}

/** The prices of all items that have one, and every reason for which a hold of them would be refused now. */
export interface OrderQuote {
  readonly quotes: readonly ItemQuote[];
  readonly refusals: readonly Refusal[];
}

/** What public access shows of the offers. */
const publicOffers = async ({ collections }: Context, offers: Offers): Promise<Offers> => {
  const shown = await readPublicTariffs(collections);
  const performances = [...offers.performances].flatMap(([id, performance]) => {
    const product = offers.products.get(performance.productId);
    return product && isPublic(performance, product) ? [[id, withPublicPrices(performance, shown)] as const] : [];
  });
  const tariffs = [...offers.tariffs].filter(([id]) => shown.ids.has(id));
  const { pointOfSale: at } = offers;
  const pointOfSale = at && { ...at, tariffIds: at.tariffIds.filter((id) => shown.ids.has(id)) };
  return { ...offers, performances: new Map(performances), tariffs: new Map(tariffs), pointOfSale };
};

/** The places that public access shows: none. */
const NO_PLACES = { find: async () => [] };

/** Unknown references, and places that are unknown or named twice: one refusal for each item that has some. */
const unknown = async (
  { places }: Collections,
  { items, publicOnly }: Requested,
  { performances, products, tariffs }: Offers,
): Promise<Refusal[]> => {
  const repeated = repeatedPlaces(items);
  const isKnown = (performanceId: string, seatCategoryId: string) =>
    performances.get(performanceId)?.seatCategories.some(({ id }) => id === seatCategoryId);
  const outside = await unknownPlaces(
    publicOnly ? NO_PLACES : places,
    items.map((item) => (isKnown(item.performanceId, item.seatCategoryId) ? item : { ...item, placeIds: [] })),
  );
  const byItem = new Map(outside.map(({ item, faults }) => [item, faults]));
  return items.flatMap((item, index) => {
    const performance = performances.get(item.performanceId);
    const productState = products.get(performance?.productId ?? '')?.state;
    const faults = [
      ...unknownIn(item, index, { performance, productState, tariff: tariffs.get(item.tariffId) }),
      ...(repeated[index] ?? []),
      ...(byItem.get(index) ?? []),
    ];
    return faults.length > 0 ? [refusal('invalid_reference', faults.join('; '), index)] : [];
  });
};

const unsaleable = ({ items }: Requested, { performances, products }: Offers, now: number): Refusal[] =>
  items.flatMap(({ performanceId }, index) => {
    const performance = performances.get(performanceId);
    const product = products.get(performance?.productId ?? '');
    const why = performance && product && notOnSale(performance, product.state, now);
    return why ? [refusal('not_on_sale', `The performance ${performanceId} is not on sale: ${why}.`, index)] : [];
  });

const againstRules = (
  { items }: Requested,
  { serviceHost, tariffIds, maxPlacesPerOrder }: PointOfSaleDocument,
): Refusal[] => {
  const unsold = items.flatMap(({ tariffId }, index) => {
    const details = `$.items[${index}].tariffId: the tariff ${tariffId} is not sold at ${serviceHost}`;
    return tariffIds.includes(tariffId) ? [] : [refusal('tariff_not_sold_here', details, index)];
  });
  const places = items.reduce((sum, item) => sum + quantityOf(item), 0);
  const tooMany = refusal('too_many_places', `At most ${maxPlacesPerOrder} places can be in one order.`);
  return places > maxPlacesPerOrder ? [...unsold, tooMany] : unsold;
};

/**
 * The items for which there are not enough free places now. Named places are counted first, so that the others share
 * what is left of their category. `known`: the items whose places exist. Public is only which categories are sold out:
 * quotes of one place more each would tell how many places are free.
 */
const short = async (
  { places }: Collections,
  { items, publicOnly }: Requested,
  known: (index: number) => boolean,
  now: number,
): Promise<Refusal[]> => {
  const keyOf = (index: number) => `${items[index]?.performanceId} ${items[index]?.seatCategoryId}`;
  const left = new Map<string, number>();
  const counted = items.flatMap((item, index) => (known(index) ? [{ item, index, key: keyOf(index) }] : []));
  for (const { item, key } of counted) {
    const { performanceId, seatCategoryId } = item;
    const where = { performanceId, seatCategoryId, freeFrom: { lte: now } };
    if (!left.has(key)) left.set(key, await places.count(where));
  }
  const refused = new Set<number>();
  const take = (index: number, key: string, count: number): void => {
    const rest = (left.get(key) ?? 0) - (publicOnly ? 1 : count);
    if (rest < 0) refused.add(index);
    else if (!publicOnly) left.set(key, rest);
  };
  for (const { item, index, key } of counted) {
    if (!item.placeIds) continue;
    const free = await places.count({ id: { in: item.placeIds }, freeFrom: { lte: now } });
    if (free < item.placeIds.length) refused.add(index);
    else take(index, key, free);
  }
  for (const { item, index, key } of counted) if (!item.placeIds) take(index, key, quantityOf(item));
  return [...refused]
    .sort((one, other) => one - other)
    .map((index) => refusal('places_unavailable', `Not enough places are free for $.items[${index}].`, index));
};

/** What an order of these items would cost, and every reason for which it would be refused. Nothing is held. */
export const quoteOrder = async (context: Context, requested: Requested): Promise<OrderQuote> => {
  const all = await loadOffers(context, { ...requested, holder: '', request: '' });
  const offers = requested.publicOnly ? await publicOffers(context, all) : all;
  const now = context.now();
  const { pointOfSale, performances } = offers;
  const unknownItems = await unknown(context.collections, requested, offers);
  const faulty = new Set(unknownItems.map(({ item }) => item));
  const noPointOfSale = `$.pointOfSale: there is no point of sale ${requested.pointOfSale}`;
  return {
    quotes: requested.items.flatMap((item, index) => {
      const price = priceOf(item, performances.get(item.performanceId));
      return price ? [{ item: index, quantity: quantityOf(item), amount: price.amount, currency: price.currency }] : [];
    }),
    refusals: [
      ...(pointOfSale === undefined ? [refusal('invalid_reference', noPointOfSale)] : []),
      ...unknownItems,
      ...unsaleable(requested, offers, now),
      ...(pointOfSale ? againstRules(requested, pointOfSale) : []),
      ...(await short(context.collections, requested, (index) => !faulty.has(index), now)),
    ],
  };
};
