import type { Static } from 'typebox';
import { later } from '../domain/period.ts';
import { lowestAmount } from '../domain/price.ts';
import { performanceView } from '../performances/view.ts';
import type { PerformanceDocument, ProductDocument } from '../store.ts';
import type { Product } from './schemas.ts';

const byStart = (left: PerformanceDocument, right: PerformanceDocument): number =>
  left.startDate < right.startDate || (left.startDate === right.startDate && left.id < right.id) ? -1 : 1;

/** A product as answers show it, with its performances by start date. */
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

/** The ETag of a product: it increases with each change of the product and of its performances. */
export const productEtag = (product: ProductDocument, performances: readonly PerformanceDocument[]): string =>
  `${product.revision}.${performances.reduce((sum, { revision }) => sum + revision, 0)}`;
