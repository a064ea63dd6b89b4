import { currency, id, lineOfText, named, nullable, timestamp } from '@boxoffice/http';
import { type Static, Type } from 'typebox';
import type { PerformanceInput } from '../domain/performance.ts';
import { ianaName } from '../domain/time-zones.ts';
import { amount, code, names, shownCode } from '../schemas.ts';
import { capacity, durationMinutes, numbered, rows, salesFrom, salesTo, state, timeZone, venue } from './schemas.ts';
import { SeatMap, seatMapOf } from './seat-map.ts';

const seatCategory = lineOfText({ maxLength: 64, description: 'code of the seat category' });

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
    rows: Type.Optional(rows(1)),
  }),
);

/** The body that creates a performance. */
export const NewPerformance = named(
  'PerformanceInput',
  Type.Object({
    startDate: timestamp,
    durationMinutes: Type.Optional(nullable(durationMinutes)),
    venue,
    timeZone,
    salesFrom: Type.Optional(salesFrom),
    salesTo: Type.Optional(salesTo),
    seatCategories: Type.Array(NewCategory, { minItems: 1, maxItems: 50 }),
    prices: Type.Array(NewPrice, { maxItems: 1_000 }),
    seatMap: Type.Optional(nullable(SeatMap)),
  }),
);

/** A change accepts seat categories and prices as GET returns them; read-only members are ignored. */
const ChangedPrice = named(
  'PriceChanges',
  Type.Object({
    seatCategory: Type.Optional(seatCategory),
    seatCategoryId: Type.Optional(id),
    tariffId: id,
    amount,
    currency: Type.Optional(currency),
  }),
);

const ChangedCategory = named(
  'SeatCategoryChanges',
  Type.Object({
    id,
    capacity: Type.Optional(capacity),
    rows: Type.Optional(rows(0)),
    code: Type.Optional({ ...shownCode, readOnly: true }),
    name: Type.Optional(Type.Record(Type.String(), Type.String(), { readOnly: true, description: 'by language' })),
    numbered: Type.Optional({ ...numbered, readOnly: true }),
  }),
);

/** The body that changes a performance. */
export const PerformanceChanges = named(
  'PerformanceChanges',
  Type.Object({
    state: Type.Optional(state),
    startDate: Type.Optional(timestamp),
    durationMinutes: Type.Optional(nullable(durationMinutes)),
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
    seatMap: Type.Optional(nullable(SeatMap)),
  }),
);

/** The body of a creation in the form of the domain. */
export const inputOf = (body: Static<typeof NewPerformance>): PerformanceInput => ({
  startDate: body.startDate,
  durationMinutes: body.durationMinutes ?? null,
  venue: { name: body.venue.name, city: body.venue.city ?? null },
  timeZone: ianaName(body.timeZone) ?? body.timeZone,
  salesFrom: body.salesFrom ?? null,
  salesTo: body.salesTo ?? null,
  seatCategories: body.seatCategories,
  prices: body.prices,
  seatMap: seatMapOf(body.seatMap ?? null),
});
