import {
  createInstantSchema,
  createLineSchema,
  createNullableSchema,
  createView,
  currency,
  id,
  named,
  oneOf,
  timestamp,
} from '@boxoffice/http';
import { findIanaName } from '@boxoffice/http/local-time';
import { type Static, Type } from 'typebox';
import { type PerformanceInput, performanceStates } from '../domain/performance.ts';
import { countSeats } from '../domain/seat-category.ts';
import { MAX_ROWS } from '../domain/seat-map.ts';
import { changedReturnPolicy, givenReturnPolicy, readReturnTerms, returnPolicy } from '../pricing/return-policy.ts';
import type { TicketFees } from '../pricing/ticket-fees.ts';
import { amount, code, createdAt, ids, names, shownCode } from '../schemas.ts';
import type { PerformanceDocument } from '../store.ts';
import { SeatMap, seatMap, toSeatMap } from './seat-map.ts';

const row = (least: number) =>
  named(
    least > 0 ? 'SeatRow' : 'SeatRowChanges',
    Type.Object({
      row: createLineSchema({ maxLength: 20 }),
      seats: Type.Union(
        [
          Type.Integer({ minimum: least, maximum: 10_000, description: 'how many, counted from 1' }),
          Type.Array(createNullableSchema(createLineSchema({ maxLength: 20 })), {
            minItems: least,
            maxItems: 200,
            description: 'labels in order, each once in the row; null: a gap such as an aisle',
          }),
        ],
        { description: 'a number, or labels such as ["101", "103", null, "105"]' },
      ),
    }),
  );

/** In a change, 0 seats remove a row. */
const rows = (least: number) => Type.Optional(Type.Array(row(least), { maxItems: MAX_ROWS }));

export const capacity = Type.Integer({ minimum: 0, maximum: 100_000, description: 'places in all' });

export const numbered = Type.Boolean({ description: 'true: places have rows and seats' });

export const state = oneOf(performanceStates, { description: 'only `on_sale` is sold' });

export const salesFrom = createNullableSchema(createInstantSchema('begin of sales; null: at once'));

export const salesTo = createNullableSchema(createInstantSchema('end of sales; null: none'));

export const venue = named(
  'VenueInput',
  Type.Object({
    name: createLineSchema({ maxLength: 200 }),
    city: Type.Optional(createNullableSchema(createLineSchema({ maxLength: 200 }))),
  }),
);

export const durationMinutes = Type.Integer({ minimum: 0, maximum: 5_256_000, description: 'null: unknown' });

export const timeZone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'name of the IANA database; in any case, shown in its own',
});

export const Price = named(
  'Price',
  Type.Object({
    seatCategoryId: Type.String(),
    tariffId: Type.String(),
    amount,
    withFees: Type.Integer({ description: '`amount` and the fees per ticket that everybody pays' }),
    currency,
  }),
);

export const SeatCategory = named(
  'SeatCategory',
  Type.Object({
    id: Type.String(),
    code: shownCode,
    name: names,
    numbered,
    capacity,
    rows: rows(1),
  }),
);

export const Venue = named('Venue', Type.Object({ name: Type.String(), city: createNullableSchema(Type.String()) }));

export const Performance = named(
  'Performance',
  Type.Object({
    id: Type.String(),
    productId: Type.String(),
    startDate: timestamp,
    durationMinutes: createNullableSchema(durationMinutes),
    venue: Venue,
    timeZone,
    salesFrom,
    salesTo,
    state,
    seatCategories: Type.Array(SeatCategory),
    prices: Type.Array(Price),
    seatMap: Type.Optional(createNullableSchema(SeatMap)),
    returnPolicy,
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);

const SeatCategoryAvailability = named(
  'SeatCategoryAvailability',
  Type.Object({
    id: Type.String(),
    code: shownCode,
    capacity,
    free: Type.Integer({ description: 'places that can be ordered now' }),
    held: Type.Integer({ description: 'places in carts and unpaid orders' }),
    sold: Type.Integer({ description: 'places of confirmed orders' }),
  }),
);

export const Availability = named(
  'Availability',
  Type.Object({
    performanceId: Type.String(),
    asOf: Type.String({ format: 'date-time', description: 'when it was counted' }),
    seatCategories: Type.Array(SeatCategoryAvailability, { description: 'free + held + sold = capacity' }),
  }),
);

const view = createView(Performance);

/** Leaves out the plan of the hall, which may be large; null if it has none. */
export function viewPerformanceOfProduct(performance: PerformanceDocument, fees: TicketFees) {
  return withPlan(performance, fees, performance.seatMap ? undefined : null);
}

const withPlan = (
  performance: PerformanceDocument,
  { withFees }: TicketFees,
  seatMap: PerformanceDocument['seatMap'],
) => ({
  ...performance,
  seatMap,
  returnPolicy: performance.returnPolicy ?? null,
  prices: performance.prices.map((price) => ({ ...price, withFees: withFees(price.amount) })),
  seatCategories: performance.seatCategories.map(({ rows, ...category }) =>
    category.numbered ? { ...category, rows: rows.filter(({ seats }) => countSeats(seats) > 0) } : category,
  ),
});

/** Lists and products show a performance without the plan of its hall. */
export function toPerformanceView(performance: PerformanceDocument, fees: TicketFees): Static<typeof Performance> {
  return view(viewPerformanceOfProduct(performance, fees));
}

/** Shows the plan of its hall. */
export function toPerformanceDetail(performance: PerformanceDocument, fees: TicketFees): Static<typeof Performance> {
  return view(withPlan(performance, fees, performance.seatMap ?? null));
}

export function computePerformanceEtag({ revision }: PerformanceDocument, { mark }: TicketFees): string {
  return `${revision}${mark}`;
}

export const newPerformance = {
  startDate: '2027-03-14T19:30:00.000Z',
  durationMinutes: 165,
  venue: { name: 'Grand Théâtre', city: 'Genève' },
  timeZone: 'Europe/Zurich',
  salesFrom: '2027-01-15T09:00:00.000Z',
  salesTo: '2027-03-14T19:00:00.000Z',
  seatCategories: [
    {
      code: 'STALLS',
      name: { fr: 'Parterre', en: 'Stalls' },
      numbered: true,
      capacity: 42,
      rows: [
        { row: 'A', seats: 20 },
        { row: 'B', seats: 22 },
      ],
    },
  ],
  prices: [{ seatCategory: 'STALLS', tariffId: ids.tariff, amount: 12_500 }],
};

export const newPerformanceWithPlan = { ...newPerformance, seatMap };

export const performance = {
  ...newPerformance,
  id: ids.performance,
  productId: ids.product,
  state: 'on_sale' as const,
  returnPolicy: null,
  seatCategories: [{ ...newPerformance.seatCategories[0], id: ids.category }],
  prices: [{ seatCategoryId: ids.category, tariffId: ids.tariff, amount: 12_500, withFees: 12_750, currency: 'CHF' }],
  createdAt,
  updatedAt: createdAt,
};

export const performanceWithPlan = { ...performance, seatMap };

export const availability = {
  performanceId: ids.performance,
  asOf: '2027-02-01T12:00:00.000Z',
  seatCategories: [{ id: ids.category, code: 'STALLS', capacity: 42, free: 30, held: 2, sold: 10 }],
};

const seatCategory = createLineSchema({ maxLength: 64, description: 'code of the seat category' });

const NewPrice = named(
  'PriceInput',
  Type.Object({
    seatCategory,
    tariffId: id,
    amount,
    currency: Type.Optional(currency),
  }),
);

const NewCategory = named(
  'SeatCategoryInput',
  Type.Object({
    code,
    name: names,
    numbered,
    capacity,
    rows: rows(1),
  }),
);

export const NewPerformance = named(
  'PerformanceInput',
  Type.Object({
    startDate: timestamp,
    durationMinutes: Type.Optional(createNullableSchema(durationMinutes)),
    venue,
    timeZone,
    salesFrom: Type.Optional(salesFrom),
    salesTo: Type.Optional(salesTo),
    seatCategories: Type.Array(NewCategory, { minItems: 1, maxItems: 50 }),
    prices: Type.Array(NewPrice, { maxItems: 1_000 }),
    seatMap: Type.Optional(createNullableSchema(SeatMap)),
    returnPolicy: Type.Optional(givenReturnPolicy),
  }),
);

/** Accepts prices as GET returns them; read-only members are ignored. */
const ChangedPrice = named(
  'PriceChanges',
  Type.Object({
    seatCategory: Type.Optional(seatCategory),
    seatCategoryId: Type.Optional(id),
    tariffId: id,
    amount,
    withFees: Type.Optional(Type.Integer({ description: 'ignored: it follows from the fees' })),
    currency: Type.Optional(currency),
  }),
);

const ChangedCategory = named(
  'SeatCategoryChanges',
  Type.Object({
    id,
    capacity: Type.Optional(capacity),
    rows: rows(0),
    code: Type.Optional({ ...shownCode, readOnly: true }),
    name: Type.Optional(Type.Record(Type.String(), Type.String(), { readOnly: true, description: 'by language' })),
    numbered: Type.Optional({ ...numbered, readOnly: true }),
  }),
);

export const PerformanceChanges = named(
  'PerformanceChanges',
  Type.Object({
    state: Type.Optional(state),
    startDate: Type.Optional(timestamp),
    durationMinutes: Type.Optional(createNullableSchema(durationMinutes)),
    venue: Type.Optional(
      Type.Object(
        { name: Type.Optional(venue.properties.name), city: venue.properties.city },
        { description: 'where' },
      ),
    ),
    timeZone: Type.Optional(timeZone),
    salesFrom: Type.Optional(salesFrom),
    salesTo: Type.Optional(salesTo),
    seatCategories: Type.Optional(Type.Array(ChangedCategory, { maxItems: 50 })),
    prices: Type.Optional(Type.Array(ChangedPrice, { maxItems: 1_000 })),
    seatMap: Type.Optional(createNullableSchema(SeatMap)),
    returnPolicy: Type.Optional(changedReturnPolicy),
  }),
);

/** `at` is its path. @throws Fault `validation_error` */
export function toPerformanceInput(body: Static<typeof NewPerformance>, at = '$'): PerformanceInput {
  return {
    startDate: body.startDate,
    durationMinutes: body.durationMinutes ?? null,
    venue: { name: body.venue.name, city: body.venue.city ?? null },
    timeZone: findIanaName(body.timeZone) ?? body.timeZone,
    salesFrom: body.salesFrom ?? null,
    salesTo: body.salesTo ?? null,
    seatCategories: body.seatCategories,
    prices: body.prices,
    seatMap: toSeatMap(body.seatMap ?? null),
    returnPolicy: readReturnTerms(body.returnPolicy, null, at),
  };
}
