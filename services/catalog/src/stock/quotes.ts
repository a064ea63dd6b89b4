import {
  type AnyOperation,
  createNullableSchema,
  currency,
  id,
  named,
  ok,
  oneOf,
  operation,
  timestamp,
} from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import { type Static, Type } from 'typebox';
import { type Context, createContext } from '../context.ts';
import {
  countItemPlaces,
  countLines,
  createRefusal,
  findPrice,
  findRefusals,
  type ItemsRequest,
  type Refusal,
} from '../domain/sale.ts';
import { isPublic, keepPublicPrices } from '../feed/projection.ts';
import { readPublicTariffs } from '../feed/public.ts';
import { codes, listCodes, Pricing, readPricing } from '../pricing/offer.ts';
import { amount, ids, names } from '../schemas.ts';
import { type Collections, discountCodes, institutions } from '../store.ts';
import { findUnknownPlaces, loadOffers, type Offers, quote, type UnknownPlaces } from './hold.ts';
import { exampleItem, Hold, holder, Refused, requestId } from './schemas.ts';
import { ItemQuote, tariffTerms, toItemQuote, viewTerms } from './terms.ts';

interface Requested extends ItemsRequest {
  /** Shows only what public access does; everything else reads like what never existed. */
  readonly publicOnly?: boolean | undefined;
}

const NO_PLACES = { find: async () => [] };

const Item = named(
  'QuoteItem',
  Type.Object({
    performanceId: id,
    seatCategoryId: id,
    tariffId: id,
    placeIds: Type.Optional(
      Type.Array(id, { minItems: 1, maxItems: 50, description: 'checked only if the quote is refused' }),
    ),
  }),
);

const Quote = named(
  'Quote',
  Type.Object({
    tariffId: Type.String(),
    startDate: Type.Optional(timestamp),
    criterion: createNullableSchema(Type.String()),
    name: Type.Optional(names),
    amount,
    currency,
    ...tariffTerms,
  }),
);

const QuoteAnswer = named(
  'Quotes',
  Type.Object({
    outcome: oneOf(['quoted', 'refused']),
    refusal: createNullableSchema(Refused),
    quotes: Type.Array(Quote, { description: 'by item' }),
    pricing: Type.Optional(createNullableSchema(Pricing)),
  }),
);

const OrderQuote = named(
  'StockQuote',
  Type.Object({
    quotes: Type.Array(ItemQuote, { description: 'of each item that has a price' }),
    refusals: Type.Array(Refused),
    pricing: Type.Optional(createNullableSchema(Pricing)),
  }),
);

export function createQuoteRoutes(store: Store): AnyOperation[] {
  return [
    operation({
      id: 'quoteItems',
      method: 'post',
      path: '/internal/stock/quotes',
      access: 'internal',
      withoutIdempotency: true,
      summary: 'Returns the prices of places; nothing is held',
      body: Type.Object({
        pointOfSale: Type.Optional(Type.String({ minLength: 1, maxLength: 253 })),
        items: Type.Array(Item, { minItems: 1, maxItems: 100 }),
        codes: Type.Optional(codes),
      }),
      answers: { 200: QuoteAnswer },
      example: {
        body: { items: [exampleItem] },
        answer: {
          outcome: 'quoted' as const,
          refusal: null,
          quotes: [{ tariffId: ids.tariff, criterion: null, amount: 12_500, currency: 'CHF' }],
        },
      },
      handle: async ({ caller, body }) => {
        const quoted = await quote(createContext(store, caller.institution), body);
        if ('reason' in quoted) return ok({ outcome: 'refused' as const, refusal: quoted, quotes: [] });
        return ok({
          outcome: 'quoted' as const,
          refusal: null,
          quotes: quoted.sold.map(({ price, tariff, product, performance }) => ({
            tariffId: tariff.id,
            startDate: performance.startDate,
            criterion: tariff.criterion,
            name: tariff.name,
            amount: price.amount,
            currency: price.currency,
            ...viewTerms({ tariff, product, performance }),
          })),
          pricing: quoted.pricing,
        });
      },
    }),
    operation({
      id: 'readPricing',
      method: 'post',
      path: '/internal/pricing',
      access: 'internal',
      withoutIdempotency: true,
      summary: 'Returns what prices are made of now',
      body: Type.Object({
        codes: Type.Optional(codes),
        request: Type.Optional(Type.Object({ holder, requestId }, { description: 'whose uses count as free' })),
      }),
      answers: { 200: Type.Object({ pricing: createNullableSchema(Pricing) }) },
      example: { body: {}, answer: { pricing: null } },
      handle: async ({ caller, body }) => {
        const context = createContext(store, caller.institution);
        const found = await context.collections.getTogether({
          institutions: { collection: institutions, ids: [caller.institution] },
          codes: { collection: discountCodes, ids: [...listCodes(caller.institution, body.codes).keys()] },
        });
        const institution = found.institutions.get(caller.institution);
        const { codes: given, request } = body;
        const claimant = request && { holder: request.holder, request: request.requestId };
        return ok({ pricing: await readPricing(context, institution, given, found.codes, undefined, claimant) });
      },
    }),
    operation({
      id: 'quoteOrderItems',
      method: 'post',
      path: '/internal/stock/order-quotes',
      access: 'internal',
      withoutIdempotency: true,
      summary:
        'Returns the prices of items and every reason for which a hold of them would be refused; nothing is held',
      body: Type.Object({
        pointOfSale: Hold.properties.pointOfSale,
        items: Hold.properties.items,
        codes: Type.Optional(codes),
        publicOnly: Type.Optional(
          Type.Boolean({ description: 'whether only what public access shows is known, everything else is not' }),
        ),
      }),
      answers: { 200: OrderQuote },
      example: {
        body: { items: [{ ...exampleItem, quantity: 2 }] },
        answer: {
          quotes: [{ item: 0, quantity: 2, criterion: null, amount: 12_500, currency: 'CHF' }],
          refusals: [],
        },
      },
      handle: async ({ caller, body }) => ok(await quoteOrder(createContext(store, caller.institution), body)),
    }),
  ];
}

/** Answers all prices, and every reason for which a hold would be refused now. Nothing is held. */
const quoteOrder = async (context: Context, requested: Requested): Promise<Static<typeof OrderQuote>> => {
  const { items, publicOnly } = requested;
  const { collections } = context;
  const all = await loadOffers(context, requested);
  const offers = publicOnly ? await publicOffers(context, all) : all;
  const now = context.now();
  const unknown = await findUnknownPlaces(publicOnly ? NO_PLACES : collections.places, items, offers);
  const refusals = withUnknownPlaces(findRefusals(requested, offers, now), unknown);
  const faulty = new Set(refusals.flatMap(({ reason, item }) => (reason === 'invalid_reference' ? [item] : [])));
  return {
    quotes: items.flatMap((item, index) => {
      const performance = offers.performances.get(item.performanceId);
      const price = findPrice(item, performance);
      if (!performance || !price) return [];
      const [tariff, product] = [offers.tariffs.get(item.tariffId), offers.products.get(performance.productId)];
      return [toItemQuote(item, index, { price, tariff, product, performance })];
    }),
    refusals: [...refusals, ...(await short(collections, requested, (index) => !faulty.has(index), now))],
    pricing: await readPricing(context, all.institution, requested.codes, all.codes, countLines(requested)),
  };
};

const publicOffers = async ({ collections }: Context, offers: Offers): Promise<Offers> => {
  const shown = await readPublicTariffs(collections);
  const performances = [...offers.performances].flatMap(([id, performance]) => {
    const product = offers.products.get(performance.productId);
    return product && isPublic(performance, product) ? [[id, keepPublicPrices(performance, shown)] as const] : [];
  });
  const tariffs = [...offers.tariffs].filter(([id]) => shown.ids.has(id));
  const { pointOfSale: at } = offers;
  const pointOfSale = at && { ...at, tariffIds: at.tariffIds.filter((id) => shown.ids.has(id)) };
  return { ...offers, performances: new Map(performances), tariffs: new Map(tariffs), pointOfSale };
};

/** Adds the unknown places to the unknown references of their items. */
const withUnknownPlaces = (refusals: readonly Refusal[], unknown: readonly UnknownPlaces[]): Refusal[] => {
  const isReference = ({ reason, item }: Refusal) => reason === 'invalid_reference' && item !== null;
  const faultsOf = new Map<number, string[]>();
  for (const { item, details } of refusals.filter(isReference)) faultsOf.set(Number(item), [details]);
  for (const { item, faults } of unknown) faultsOf.set(item, [...(faultsOf.get(item) ?? []), ...faults]);
  const references = [...faultsOf].sort(([one], [other]) => one - other);
  return [
    ...refusals.filter(({ reason, item }) => reason === 'invalid_reference' && item === null),
    ...references.map(([item, faults]) => createRefusal('invalid_reference', faults.join('; '), item)),
    ...refusals.filter(({ reason }) => reason !== 'invalid_reference'),
  ];
};

/**
 * Named places are counted first, so that the others share what is left of their category. `known`: items whose places
 * exist. Public is only which categories are sold out: quotes of one place more each would tell how many are free.
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
  for (const { item, index, key } of counted) if (!item.placeIds) take(index, key, countItemPlaces(item));
  return [...refused]
    .sort((one, other) => one - other)
    .map((index) => createRefusal('places_unavailable', `Not enough places are free for $.items[${index}].`, index));
};
