// Public access: what anybody with an API key, or a customer who has signed in, sees of the catalog.

import { createHash } from 'node:crypto';
import { createChangesPageSchema, named, oneOf } from '@boxoffice/http';
import type { Caller } from '@boxoffice/identity';
import { type Static, Type } from 'typebox';
import { computeLevel, levels } from '../domain/capacity.ts';
import { selectLater } from '../domain/product.ts';
import type { readAvailability } from '../performances/capacity.ts';
import { Availability, Performance, SeatCategory, toPerformanceView } from '../performances/schemas.ts';
import type { TicketFees } from '../pricing/ticket-fees.ts';
import { Product, toProductView } from '../products/schemas.ts';
import { shownCode } from '../schemas.ts';
import type { PerformanceDocument, PointOfSaleDocument, ProductDocument, TariffDocument } from '../store.ts';
import { toTariffView } from '../tariffs.ts';

const { capacity: _, rows: __, ...seatCategory } = SeatCategory.properties;

const PublicSeatCategory = named(
  'PublicSeatCategory',
  Type.Object(seatCategory, { additionalProperties: false, description: 'without `capacity` and `rows`' }),
);

const { seatMap: ___, ...performance } = Performance.properties;

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

export const PublicProductPage = createChangesPageSchema(PublicProduct);
export const PublicPerformancePage = createChangesPageSchema(PublicPerformance);

export function isLimitedToPublic({ isPublic, user }: Caller): boolean {
  return isPublic || user?.role === 'customer';
}

export interface PublicTariffs {
  readonly ids: ReadonlySet<string>;
  /** The last change of a tariff, a point of sale or a fee, which may have changed any price. ISO 8601 UTC. */
  readonly changedAt: string;
  readonly fees: TicketFees;
}

/** Public tariffs have no criterion, are not hidden, and some point of sale sells them. */
export function selectPublicTariffs(
  tariffs: readonly TariffDocument[],
  pointsOfSale: readonly PointOfSaleDocument[],
  fees: TicketFees,
): PublicTariffs {
  const sold = new Set(pointsOfSale.flatMap(({ tariffIds }) => tariffIds));
  const isPublic = ({ id, criterion, hidden }: TariffDocument) => criterion === null && !hidden && sold.has(id);
  const ids = tariffs.filter(isPublic).map(({ id }) => id);
  const changes = [...tariffs, ...pointsOfSale].map(({ updatedAt }) => updatedAt);
  return { ids: new Set(ids), changedAt: changes.reduce(selectLater, fees.changedAt), fees };
}

export function toPublicTariff(tariff: TariffDocument, { ids }: PublicTariffs) {
  return ids.has(tariff.id) ? toTariffView(tariff) : undefined;
}

export const publicStates = ['on_sale', 'cancelled'] as const;

export function keepPublicPrices(performance: PerformanceDocument, { ids }: PublicTariffs): PerformanceDocument {
  return {
    ...performance,
    prices: performance.prices.filter(({ tariffId }) => ids.has(tariffId)),
  };
}

export function isPublic(
  performance: Pick<PerformanceDocument, 'state'>,
  product: Pick<ProductDocument, 'state'>,
): boolean {
  return product.state === 'running' && isPublicPerformance(performance);
}

const isPublicPerformance = ({ state }: Pick<PerformanceDocument, 'state'>): boolean =>
  publicStates.some((shown) => shown === state);

export function toPublicPerformance(
  performance: PerformanceDocument,
  product: Pick<ProductDocument, 'state'>,
  tariffs: PublicTariffs,
): Static<typeof PublicPerformance> | undefined {
  return isPublic(performance, product)
    ? shownPerformance(toPerformanceView(keepPublicPrices(performance, tariffs), tariffs.fees))
    : undefined;
}

const shownPerformance = ({
  seatMap: _,
  ...view
}: ReturnType<typeof toPerformanceView>): Static<typeof PublicPerformance> => ({
  ...view,
  state: view.state === 'cancelled' ? 'cancelled' : 'on_sale',
  seatCategories: view.seatCategories.map(({ id, code, name, numbered }) => ({ id, code, name, numbered })),
});

export function toPublicProduct(
  product: ProductDocument,
  performances: readonly PerformanceDocument[],
  currency: string,
  tariffs: PublicTariffs,
): Static<typeof PublicProduct> | undefined {
  if (product.state !== 'running') return undefined;
  const shown = performances.filter(isPublicPerformance).map((performance) => keepPublicPrices(performance, tariffs));
  const view = toProductView(product, shown, currency, tariffs.fees);
  const { priceFrom, performances: own } = view;
  return {
    ...view,
    state: 'running',
    priceFrom: priceFrom === null ? null : tariffs.fees.withFees(priceFrom),
    performances: own.map(shownPerformance),
  };
}

export function toPublicAvailability({
  performanceId,
  asOf,
  seatCategories,
}: Awaited<ReturnType<typeof readAvailability>>): Static<typeof PublicAvailability> {
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
  return {
    performanceId,
    asOf,
    availability: computeLevel(
      sum(seatCategories.map(({ free }) => free)),
      sum(seatCategories.map(({ capacity }) => capacity)),
    ),
    seatCategories: seatCategories.map(({ id, code, free, capacity }) => ({
      id,
      code,
      availability: computeLevel(free, capacity),
    })),
  };
}

export function computeEtag(data: object): string {
  return createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, 27);
}

/** The ETag is of the data alone, so that it tells nothing of what is not shown. */
export function computePublicEtag(data: object): string {
  return `public-${computeEtag(data)}`;
}
