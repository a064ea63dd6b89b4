import { createNullableSchema, currency, named, oneOf, timestamp } from '@boxoffice/http';
import { Type } from 'typebox';
import { levels } from '../domain/offer.ts';
import { localPeriod, localStart } from './local-times.ts';
import { ReturnPolicy, returnText } from './money.ts';
import { createMapSchema, productType, Venue, where } from './schemas.ts';

const { Array: List, Boolean: Flag, Integer, Object: Members, Optional, Record: MapOf, String: Text } = Type;

const availability = oneOf(levels, { description: '`few`: at most 5 places or 5 %' });
const onSale = Flag({ description: 'by state and dates, regardless of stock' });

const paidAlone =
  'price of one place that this visitor can buy alone: after his automatic discounts, with fees per ticket, in the minor unit';

const product = {
  id: Text(),
  code: Text({ description: "the institution's own" }),
  type: productType,
  name: Text(),
  description: createNullableSchema(Text({ description: 'in the wanted language' })),
  startDate: createNullableSchema(timestamp),
  endDate: createNullableSchema(timestamp),
  priceFrom: createNullableSchema(Integer({ description: `the lowest ${paidAlone}` })),
  currency,
  availability,
  onSale,
};

export const ProductEntry = named('ShopProduct', Members(product));

const entries = createNullableSchema(
  oneOf(['once', 'daily', 'unlimited'], {
    description:
      'how often a ticket of what is no show admits: `daily`: once per local day of the venue; null: a show, which ' +
      'admits once',
  }),
);

const image = createNullableSchema(
  named(
    'ShopProductPicture',
    Members({
      url: Text({ description: 'of https; the shop shows it if the point of sale names its host in `imageHosts`' }),
      alt: Text({ description: 'what it shows, in the wanted language' }),
    }),
  ),
);

const details = createNullableSchema(
  Text({ description: 'in the wanted language; paragraphs are apart by an empty line' }),
);

export const ListedProduct = named('ShopProductExperimental', Members({ ...product, entries, image, details }));

const Price = named(
  'ShopPrice',
  Members({
    tariffId: Text(),
    tariff: Text({ description: 'its name' }),
    amount: Integer({ description: `the ${paidAlone}` }),
  }),
);

const free = Integer({ description: 'places that can be bought now' });

const SeatCategory = named(
  'ShopSeatCategory',
  Members({
    id: Text(),
    name: Text(),
    numbered: Flag({ description: 'true: places have rows and seats' }),
    free,
    prices: List(Price),
  }),
);

export const ProgrammeEntry = named(
  'ShopProgrammeEntry',
  Members({
    ...product,
    ...localPeriod,
    performance: createNullableSchema(
      Members(
        {
          id: Text(),
          startDate: timestamp,
          ...localStart,
          timeZone: Text({ description: 'name of the IANA database' }),
          venue: Venue,
        },
        { description: 'the first that is wanted; null: it has none' },
      ),
    ),
    performances: Integer({ description: 'how many are wanted' }),
    entries,
    image,
  }),
);

export const Programme = named(
  'ShopProgramme',
  Members({
    products: createMapSchema(ProgrammeEntry),
    days: MapOf(Text(), Integer(), {
      description: 'performances by their local day (`2027-03-12`), on any day at the wanted venue',
    }),
    venues: List(Text(), { description: 'names of venues, of any venue on the wanted days' }),
    types: List(productType, { description: 'of all products, whatever is wanted of them' }),
  }),
);

const PerformanceEntry = named(
  'ShopPerformance',
  Members({
    id: Text(),
    startDate: timestamp,
    durationMinutes: createNullableSchema(Integer({ description: 'null: unknown' })),
    venue: Venue,
    timeZone: Text({ description: 'name of the IANA database' }),
    salesFrom: createNullableSchema(timestamp),
    salesTo: createNullableSchema(timestamp),
    availability,
    onSale,
    seatCategories: List(SeatCategory),
  }),
);

export const ProductDetail = named('ShopProductDetail', Members({ ...product, performances: List(PerformanceEntry) }));

const { seatCategories: _, ...performance } = PerformanceEntry.properties;
const { prices: __, ...seatCategory } = SeatCategory.properties;

const PriceWithPolicy = named(
  'ShopPriceExperimental',
  Members({ ...Price.properties, returnPolicy: ReturnPolicy, returnText }),
);

const seatCategories = List(
  named('ShopSeatCategoryExperimental', Members({ ...seatCategory, prices: List(PriceWithPolicy) })),
);

export const ProductPage = named(
  'ShopProductDetailExperimental',
  Members({
    ...product,
    ...localPeriod,
    entries,
    image,
    details,
    performances: List(
      named('ShopPerformanceExperimental', Members({ ...performance, ...localStart, seatCategories })),
    ),
  }),
);

export const AvailabilityEntry = named(
  'ShopAvailability',
  Members({
    startDate: timestamp,
    availability,
    seatCategories: List(Members({ id: Text(), name: Text(), free }), { description: 'with what is free' }),
  }),
);

export const PlaceEntry = named(
  'ShopPlace',
  Members({
    id: Text(),
    ...where,
    row: Optional(where.row),
    seat: Optional(where.seat),
    seatCategoryId: Text(),
    free: Flag({ description: 'whether it can be bought now' }),
  }),
);
