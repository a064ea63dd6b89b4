import { changesPage, named, oneOf } from '@boxoffice/http';
import { Type } from 'typebox';
import { levels } from '../domain/capacity.ts';
import { Availability, Performance, SeatCategory } from '../performances/schemas.ts';
import { Product } from '../products/schemas.ts';
import { shownCode } from '../schemas.ts';

const { capacity: _, rows: __, ...seatCategory } = SeatCategory.properties;

const PublicSeatCategory = named(
  'PublicSeatCategory',
  Type.Object(seatCategory, { additionalProperties: false, description: 'without `capacity` and `rows`' }),
);

const { seatMap: ___, ...performance } = Performance.properties;

/** A performance as public access shows it. */
export const PublicPerformance = named(
  'PublicPerformance',
  Type.Object(
    {
      ...performance,
      state: oneOf(['on_sale', 'cancelled'], { description: 'others are not shown' }),
      seatCategories: Type.Array(PublicSeatCategory),
    },
    { additionalProperties: false },
  ),
);

/** A product as public access shows it. */
export const PublicProduct = named(
  'PublicProduct',
  Type.Object(
    {
      ...Product.properties,
      state: oneOf(['running'], { description: 'others are not shown' }),
      performances: Type.Array(PublicPerformance),
    },
    { additionalProperties: false },
  ),
);

const level = named('AvailabilityLevel', oneOf(levels));

/** The availability of a performance as public access shows it. */
export const PublicAvailability = named(
  'PublicAvailability',
  Type.Object(
    {
      performanceId: Type.String(),
      asOf: Availability.properties.asOf,
      availability: level,
      seatCategories: Type.Array(
        named(
          'PublicSeatCategoryAvailability',
          Type.Object({ id: Type.String(), code: shownCode, availability: level }, { additionalProperties: false }),
        ),
      ),
    },
    { additionalProperties: false },
  ),
);

export const PublicProductPage = changesPage(PublicProduct);
export const PublicPerformancePage = changesPage(PublicPerformance);
