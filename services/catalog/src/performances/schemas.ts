import { currency, instant, lineOfText, named, nullable, oneOf, timestamp } from '@boxoffice/http';
import { Type } from 'typebox';
import { performanceStates } from '../domain/performance.ts';
import { amount, names, shownCode } from '../schemas.ts';

const row = (least: number) =>
  named(
    least > 0 ? 'SeatRow' : 'SeatRowChanges',
    Type.Object({
      row: lineOfText({ maxLength: 20 }),
      seats: Type.Integer({ minimum: least, maximum: 10_000, description: 'how many, counted from 1' }),
    }),
  );
/** The rows of a numbered seat category; in a change, 0 seats remove a row. */
export const rows = (least: number) => Type.Array(row(least), { maxItems: 900 });

export const capacity = Type.Integer({ minimum: 0, maximum: 100_000, description: 'places in all' });

export const numbered = Type.Boolean({ description: 'true: places have rows and seats' });

export const state = oneOf(performanceStates, { description: 'only `on_sale` is sold' });

export const salesFrom = nullable(instant('begin of sales; null: at once'));

export const salesTo = nullable(instant('end of sales; null: none'));

export const venue = named(
  'VenueInput',
  Type.Object({
    name: lineOfText({ maxLength: 200 }),
    city: Type.Optional(nullable(lineOfText({ maxLength: 200 }))),
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
  Type.Object({ seatCategoryId: Type.String(), tariffId: Type.String(), amount, currency }),
);

export const SeatCategory = named(
  'SeatCategory',
  Type.Object({
    id: Type.String(),
    code: shownCode,
    name: names,
    numbered,
    capacity,
    rows: Type.Optional(rows(1)),
  }),
);

const Venue = named('Venue', Type.Object({ name: Type.String(), city: nullable(Type.String()) }));

export const Performance = named(
  'Performance',
  Type.Object({
    id: Type.String(),
    productId: Type.String(),
    startDate: timestamp,
    durationMinutes: nullable(durationMinutes),
    venue: Venue,
    timeZone,
    salesFrom,
    salesTo,
    state,
    seatCategories: Type.Array(SeatCategory),
    prices: Type.Array(Price),
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
