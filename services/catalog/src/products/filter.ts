import { timestamp } from '@boxoffice/http';
import type { Query } from '@boxoffice/store';
import { Type } from 'typebox';
import type { PerformanceState } from '../domain/performance.ts';
import type { Collections, ProductDocument } from '../store.ts';

/** Query parameters that choose by the start of performances. Both ends belong to the period. */
export const startingWithin = {
  from: Type.Optional({ ...timestamp, description: 'begins then or later' }),
  to: Type.Optional({ ...timestamp, description: 'begins then or earlier' }),
};

/** What a list of products is narrowed to. */
export interface ProductFilter {
  readonly code?: string;
  /** ISO 8601 UTC, both inclusive: a performance begins in between. */
  readonly from?: string;
  readonly to?: string;
}

/** The condition on `startDate`; undefined without limits. */
export const startCondition = ({ from, to }: Pick<ProductFilter, 'from' | 'to'>) =>
  from === undefined && to === undefined
    ? undefined
    : { ...(from === undefined ? {} : { gte: from }), ...(to === undefined ? {} : { lte: to }) };

/** The least number of products that are read at once while few of them fit. */
const BATCH = 200;

/**
 * The products with a performance, in one of these states, that begins within the filter's period; all without one. In
 * order of creation.
 */
export const productsWithin = (
  { products, performances }: Collections,
  filter: Pick<ProductFilter, 'from' | 'to'>,
  states: readonly PerformanceState[],
): { find(query: Query): Promise<ProductDocument[]> } => {
  const startDate = startCondition(filter);
  if (startDate === undefined) return products;
  return {
    async find({ limit = Number.POSITIVE_INFINITY, ...query }) {
      const fitting: ProductDocument[] = [];
      const batch = Math.min(Math.max(limit, BATCH), Number.MAX_SAFE_INTEGER);
      for (let { after } = query; ; ) {
        const found = await products.find({ ...query, ...(after && { after }), limit: batch });
        const ids = found.map(({ id }) => id);
        const begin = await performances.find({ where: { productId: { in: ids }, state: { in: states }, startDate } });
        const withOne = new Set(begin.map(({ productId }) => productId));
        fitting.push(...found.filter(({ id }) => withOne.has(id)));
        const last = found.at(-1);
        if (!last || found.length < batch || fitting.length >= limit) return fitting.slice(0, limit);
        after = { value: last.createdAt, id: last.id };
      }
    },
  };
};
