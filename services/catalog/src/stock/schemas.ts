import {
  requestId as anyRequestId,
  createNullableSchema,
  createView,
  currency,
  ID_PATTERN,
  id,
  named,
  oneOf,
  timestamp,
} from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import { paymentMethods, ticketDeliveries } from '../domain/point-of-sale.ts';
import { computeValidUntil, getEntries } from '../domain/product.ts';
import { refusalReasons } from '../domain/sale.ts';
import { sortTexts, type Texts } from '../domain/tariff.ts';
import { ReceiptHead } from '../points-of-sale/receipt.ts';
import { codes, Pricing } from '../pricing/offer.ts';
import { productType } from '../products/schemas.ts';
import { amount, ids, names } from '../schemas.ts';
import type { PlaceDocument } from '../store.ts';
import type { RenewalOutcome, sell } from './changes.ts';
import type { Held, HeldLine } from './hold.ts';
import { ItemQuote, tariffTerms, viewTerms } from './terms.ts';

/** Without a colon: names with one are the catalog's own holds. */
export const holder = Type.String({ pattern: ID_PATTERN, description: 'an order' });
export const requestId = Type.String({ ...anyRequestId, description: 'unique per holder' });
export const asOf = Type.Integer({
  minimum: 0,
  description: 'the version of the order: a release or an expiry of an earlier version does not free what it takes',
});
export const claimFirst = Type.Boolean({
  description: 'looks for what an earlier attempt holds only where too little is free: that lapses',
});
export const placeIds = Type.Array(id, { minItems: 1, maxItems: 1_000, uniqueItems: true });

export const Place = named(
  'StockPlace',
  Type.Object({
    id: Type.String(),
    performanceId: Type.String(),
    seatCategoryId: Type.String(),
    label: Type.String(),
    row: createNullableSchema(Type.String()),
    seat: createNullableSchema(Type.Integer()),
    state: oneOf(['held', 'sold', 'free']),
    heldUntil: createNullableSchema(timestamp),
  }),
);

const view = createView(Place);

export function toPlaceView(place: PlaceDocument): Static<typeof Place> {
  return view({
    ...place,
    state: place.state as 'held' | 'sold' | 'free',
    heldUntil: place.state === 'held' ? new Date(place.freeFrom).toISOString() : null,
  });
}

export const exampleItem = { performanceId: ids.performance, seatCategoryId: ids.category, tariffId: ids.tariff };

export const Hold = named(
  'HoldRequest',
  Type.Object({
    holder,
    requestId,
    asOf: Type.Optional(asOf),
    heldUntil: Type.Optional(timestamp),
    claimFirst: Type.Optional(claimFirst),
    pointOfSale: Type.Optional(Type.String({ minLength: 1, maxLength: 253 })),
    placesInOrder: Type.Optional(
      Type.Integer({ minimum: 0, description: 'the number of places that the order has already' }),
    ),
    items: Type.Array(
      Type.Object({
        performanceId: id,
        seatCategoryId: id,
        tariffId: id,
        quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
        placeIds: Type.Optional(Type.Array(id, { minItems: 1, maxItems: 50 })),
      }),
      { minItems: 1, maxItems: 100 },
    ),
    codes: Type.Optional(codes),
  }),
);

const SaleDescription = named(
  'SaleDescription',
  Type.Object({
    institution: Type.Optional(Type.String()),
    seller: Type.Optional(ReceiptHead),
    product: names,
    seatCategory: names,
    tariff: names,
    venue: Type.Object({ name: Type.String(), city: createNullableSchema(Type.String()) }),
    timeZone: Type.String(),
    productType: Type.Optional(productType),
    validUntil: Type.Optional({ ...timestamp, description: 'of what is no show, if its validity ends' }),
    entries: Type.Optional(oneOf(['daily', 'unlimited'], { description: 'absent: once' })),
  }),
);

const Line = named(
  'HeldLine',
  Type.Object({
    item: Type.Integer({ description: 'the index of the requested item' }),
    productId: Type.String(),
    performanceId: Type.String(),
    startDate: timestamp,
    seatCategoryId: Type.String(),
    tariffId: Type.String(),
    criterion: createNullableSchema(Type.String()),
    about: Type.Optional(SaleDescription),
    amount,
    currency,
    ...tariffTerms,
    place: Type.Object({
      id: Type.String(),
      label: Type.String(),
      row: createNullableSchema(Type.String()),
      seat: createNullableSchema(Type.Integer()),
    }),
  }),
);

export const Refused = Type.Object({
  reason: oneOf(refusalReasons),
  details: Type.String(),
  item: createNullableSchema(Type.Integer()),
});

export const HoldAnswer = named(
  'Hold',
  Type.Object({
    outcome: oneOf(['held', 'refused']),
    refusal: createNullableSchema(Refused),
    heldUntil: createNullableSchema(timestamp),
    pointOfSale: createNullableSchema(
      Type.Object({
        serviceHost: Type.String(),
        paymentMethods: Type.Array(oneOf(paymentMethods)),
        maxPlacesPerOrder: Type.Integer(),
        holdMinutes: Type.Number(),
        ticketDelivery: oneOf(ticketDeliveries),
      }),
    ),
    lines: Type.Array(Line, { description: 'one per place, in the order of the items' }),
    quotes: Type.Optional(
      Type.Array(ItemQuote, { description: 'of the items, where nothing but places refuses the hold' }),
    ),
    pricing: Type.Optional(createNullableSchema(Pricing)),
  }),
);

export function toHoldView({ until, lines, pointOfSale, institution, pricing }: Held): Static<typeof HoldAnswer> {
  return {
    outcome: 'held',
    refusal: null,
    heldUntil: new Date(until).toISOString(),
    pointOfSale: pointOfSale && {
      serviceHost: pointOfSale.serviceHost,
      paymentMethods: [...pointOfSale.paymentMethods],
      maxPlacesPerOrder: pointOfSale.maxPlacesPerOrder,
      holdMinutes: pointOfSale.holdMinutes,
      ticketDelivery: pointOfSale.ticketDelivery ?? 'electronic',
    },
    lines: lines.map((line) => {
      const { item, place, price, tariff, performance } = line;
      return {
        item,
        productId: performance.productId,
        performanceId: performance.id,
        startDate: performance.startDate,
        seatCategoryId: place.seatCategoryId,
        tariffId: tariff.id,
        criterion: tariff.criterion,
        ...aboutOf({ pointOfSale, institution }, line),
        amount: price.amount,
        currency: price.currency,
        ...viewTerms(line),
        place: { id: place.id, label: place.label, row: place.row, seat: place.seat },
      };
    }),
    pricing,
  };
}

const aboutOf = (
  { pointOfSale, institution }: Pick<Held, 'pointOfSale' | 'institution'>,
  { product, performance, tariff, place }: HeldLine,
) => {
  const { seatCategories, venue, timeZone } = performance;
  const category = seatCategories.find(({ id }) => id === place.seatCategoryId);
  if (!category) return {};
  const { name, city } = venue;
  const sortByLanguage = (texts: Texts) => sortTexts(institution?.languages ?? [], texts);
  const names = {
    product: sortByLanguage(product.name),
    seatCategory: sortByLanguage(category.name),
    tariff: sortByLanguage(tariff.name),
  };
  const until = computeValidUntil(performance, product);
  const entries = getEntries(product);
  const more = {
    productType: product.type,
    ...(until === undefined ? {} : { validUntil: until }),
    ...(entries === null || entries === 'once' ? {} : { entries }),
  };
  const seller = pointOfSale?.receipt ?? institution?.receipt;
  const sale = { ...(institution && { institution: institution.name }), ...(seller && { seller }) };
  return { about: { ...sale, ...names, venue: { name, city }, timeZone, ...more } };
};

export const Changed = named(
  'StockChange',
  Type.Object({
    outcome: oneOf(['done', 'refused']),
    places: Type.Array(Place),
    missing: Type.Array(Type.String(), { description: 'places that the holder has lost; if any, nothing was changed' }),
    starts: Type.Optional(
      Type.Array(
        Type.Object({ performanceId: Type.String(), startDate: timestamp, asOf: Type.Integer({ minimum: 0 }) }),
        { description: 'of a sale: of its performances after it; `asOf` is the version, as of `performance.moved`' },
      ),
    ),
  }),
);

export function toChangeView(outcome: Awaited<ReturnType<typeof sell>>): Static<typeof Changed> {
  if (!('places' in outcome)) return refuseMissing(outcome);
  const starts = outcome.performances?.map(({ id: performanceId, startDate, version: asOf }) => ({
    ...{ performanceId, startDate, asOf },
  }));
  return { outcome: 'done', places: outcome.places.map(toPlaceView), missing: [], ...(starts && { starts }) };
}

const refuseMissing = ({ missing }: { readonly missing: readonly string[] }) => ({
  outcome: 'refused' as const,
  places: [],
  missing: [...missing],
});

export const Renewed = named(
  'StockRenewal',
  Type.Object({
    ...Changed.properties,
    places: Type.Array(Type.Object({ ...Place.properties, replaces: createNullableSchema(Type.String()) })),
  }),
);

export function toRenewalView(outcome: RenewalOutcome): Static<typeof Renewed> {
  return 'places' in outcome
    ? {
        outcome: 'done',
        places: outcome.places.map(({ place, replaces }) => ({ ...toPlaceView(place), replaces })),
        missing: [],
      }
    : refuseMissing(outcome);
}
