import { currency, named, nullable, oneOf, timestamp } from '@boxoffice/http';
import { Type } from 'typebox';
import { performanceStates } from './domain/performance.ts';
import { productStates, productTypes } from './domain/product.ts';

const language = '^[a-z]{2,3}(-[A-Z]{2})?$';

/** A text by language. */
export const texts = (maxLength: number) =>
  named(
    maxLength > 200 ? 'LocalisedLongText' : 'LocalisedText',
    Type.Record(Type.String({ pattern: language }), Type.String({ minLength: 1, maxLength }), {
      minProperties: 1,
      additionalProperties: false,
      description: 'by language (ISO 639)',
    }),
  );

export const languages = Type.Array(Type.String({ pattern: language }), {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
});

/** A code that an institution gives. */
export const code = Type.String({ minLength: 1, maxLength: 64, pattern: '^\\S(.*\\S)?$' });

/** Money: 500 times the largest amount is still a safe integer. */
export const amount = Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: "in the currency's minor unit" });

export const productType = named('ProductType', oneOf(productTypes));
export const productState = named('ProductState', oneOf(productStates));

const row = (least: number) =>
  named(
    least > 0 ? 'SeatRow' : 'SeatRowChanges',
    Type.Object({
      row: Type.String({ minLength: 1, maxLength: 20 }),
      seats: Type.Integer({ minimum: least, maximum: 10_000 }),
    }),
  );
/** The rows of a numbered seat category; in a change, 0 seats remove a row. */
export const rows = (least: number) => Type.Array(row(least), { maxItems: 900 });

export const capacity = Type.Integer({ minimum: 0, maximum: 100_000 });

export const venue = named(
  'NewVenue',
  Type.Object({
    name: Type.String({ minLength: 1, maxLength: 200 }),
    city: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 200 }))),
  }),
);

export const durationMinutes = Type.Integer({ minimum: 0, maximum: 5_256_000 });

export const timeZone = Type.String({ minLength: 1, maxLength: 64, description: 'IANA name' });

export const Price = named(
  'Price',
  Type.Object({ seatCategoryId: Type.String(), tariffId: Type.String(), amount, currency }),
);

export const SeatCategory = named(
  'SeatCategory',
  Type.Object({
    id: Type.String(),
    code: Type.String(),
    name: texts(200),
    numbered: Type.Boolean(),
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
    salesFrom: nullable(timestamp),
    salesTo: nullable(timestamp),
    state: oneOf(performanceStates),
    seatCategories: Type.Array(SeatCategory),
    prices: Type.Array(Price),
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);

export const Product = named(
  'Product',
  Type.Object({
    id: Type.String(),
    code: Type.String(),
    type: productType,
    state: productState,
    name: texts(200),
    description: nullable(texts(20_000)),
    startDate: nullable(timestamp),
    endDate: nullable(timestamp),
    priceFrom: nullable(amount),
    currency,
    performances: Type.Array(Performance),
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);

/** The body that creates a tariff; a PATCH is merged into it. */
export const TariffBody = named(
  'NewTariff',
  Type.Object({
    code,
    name: texts(200),
    criterion: Type.Optional(nullable(oneOf(['member']))),
  }),
);

export const Tariff = named(
  'Tariff',
  Type.Object({
    id: Type.String(),
    code: Type.String(),
    name: texts(200),
    criterion: nullable(oneOf(['member'])),
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);

export const Institution = named(
  'Institution',
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    currency,
    languages: Type.Array(Type.String()),
  }),
);
