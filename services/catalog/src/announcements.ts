import type { Announcement } from '@boxoffice/service';
import type { Performance } from './domain/performance.ts';
import type { Product } from './domain/product.ts';

type Identified<T> = T & { readonly id: string };

/** A change of a product or performance that partners hear of was recorded. */
export const PRODUCT_RECORDED = 'product.recorded';
export const PERFORMANCE_RECORDED = 'performance.recorded';

/** What an event shows of a product. */
export const shownOfProduct = ({
  type,
  state,
  startDate,
  endDate,
}: Pick<Product, 'type' | 'state' | 'startDate' | 'endDate'>): object => ({ type, state, startDate, endDate });

/** What an event shows of a performance. */
export const shownOfPerformance = ({
  productId,
  state,
  startDate,
  salesFrom,
  salesTo,
}: Pick<Performance, 'productId' | 'state' | 'startDate' | 'salesFrom' | 'salesTo'>): object => ({
  productId,
  state,
  startDate,
  salesFrom,
  salesTo,
});

const announcement = (type: string, kind: 'product' | 'performance', id: string, data: object): Announcement[] => [
  { type, resource: { type: kind, id }, data },
];

/** The event of a write; the revision counts the visible changes. */
export const announceProduct = (
  before: Identified<Product> | undefined,
  after: Identified<Product>,
): Announcement[] => {
  if (before?.revision === after.revision) return [];
  const type = before ? 'product.changed' : 'product.created';
  return announcement(type, 'product', after.id, shownOfProduct(after));
};

/** The event of a write; the revision counts the visible changes. */
export const announcePerformance = (
  before: Identified<Performance> | undefined,
  after: Identified<Performance>,
): Announcement[] => {
  if (before?.revision === after.revision) return [];
  const isCancelled = after.state === 'cancelled' && before?.state !== 'cancelled';
  const changed = isCancelled ? 'performance.cancelled' : 'performance.changed';
  const type = before ? changed : 'performance.created';
  return announcement(type, 'performance', after.id, shownOfPerformance(after));
};
