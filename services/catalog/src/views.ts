import type { Static } from 'typebox';
import { later } from './domain/period.ts';
import { lowestAmount } from './domain/price.ts';
import type { Institution, Performance, Product, Tariff } from './schemas.ts';
import type { InstitutionDocument, PerformanceDocument, ProductDocument, TariffDocument } from './store.ts';

/** A performance as it is answered. */
export const performanceView = (performance: PerformanceDocument): Static<typeof Performance> => ({
  id: performance.id,
  productId: performance.productId,
  startDate: performance.startDate,
  durationMinutes: performance.durationMinutes,
  venue: { name: performance.venue.name, city: performance.venue.city },
  timeZone: performance.timeZone,
  salesFrom: performance.salesFrom,
  salesTo: performance.salesTo,
  state: performance.state,
  seatCategories: performance.seatCategories.map(({ id, code, name, numbered, capacity, rows }) => ({
    id,
    code,
    name,
    numbered,
    capacity,
    ...(numbered ? { rows: rows.filter(({ seats }) => seats > 0) } : {}),
  })),
  prices: performance.prices.map(({ seatCategoryId, tariffId, amount, currency }) => ({
    seatCategoryId,
    tariffId,
    amount,
    currency,
  })),
  createdAt: performance.createdAt,
  updatedAt: performance.updatedAt,
});

const byStart = (left: PerformanceDocument, right: PerformanceDocument): number =>
  left.startDate < right.startDate || (left.startDate === right.startDate && left.id < right.id) ? -1 : 1;

/** A product as it is answered, with its performances in the order in which they begin. */
export const productView = (
  product: ProductDocument,
  performances: readonly PerformanceDocument[],
  currency: string,
): Static<typeof Product> => ({
  id: product.id,
  code: product.code,
  type: product.type,
  state: product.state,
  name: product.name,
  description: product.description,
  startDate: product.startDate,
  endDate: product.endDate,
  priceFrom: lowestAmount(performances.filter(({ state }) => state !== 'cancelled').flatMap(({ prices }) => prices)),
  currency,
  performances: [...performances].sort(byStart).map(performanceView),
  createdAt: product.createdAt,
  updatedAt: performances.reduce((latest, { updatedAt }) => later(latest, updatedAt), product.updatedAt),
});

/** The ETag of a product: it moves with the product and with each of its performances, and never back. */
export const productEtag = (product: ProductDocument, performances: readonly PerformanceDocument[]): string =>
  `${product.revision}.${performances.reduce((sum, { revision }) => sum + revision, 0)}`;

/** The ETag of a performance. */
export const performanceEtag = ({ revision }: PerformanceDocument): string => String(revision);

/** A tariff as it is answered. */
export const tariffView = ({
  id,
  code,
  name,
  criterion,
  createdAt,
  updatedAt,
}: TariffDocument): Static<typeof Tariff> => ({
  id,
  code,
  name,
  criterion,
  createdAt,
  updatedAt,
});

/** The institution as the catalog answers it. */
export const institutionView = ({
  id,
  name,
  currency,
  languages,
}: InstitutionDocument): Static<typeof Institution> => ({ id, name, currency, languages: [...languages] });
