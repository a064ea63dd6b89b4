import { timestamp } from '@boxoffice/http';
import { type Documents, findFitting, type Query } from '@boxoffice/store';
import { Type } from 'typebox';
import type { PerformanceState } from '../domain/performance.ts';
import { findPerformancesByProduct } from '../performances/performances.ts';
import type { Collections, PerformanceDocument, ProductDocument } from '../store.ts';

/** Both ends belong to the period. */
export const startingWithin = {
  from: Type.Optional({ ...timestamp, description: 'begins then or later' }),
  to: Type.Optional({ ...timestamp, description: 'begins then or earlier' }),
};

export interface ProductFilter {
  readonly code?: string;
  /** ISO 8601 UTC, both inclusive: a performance begins in between. */
  readonly from?: string;
  readonly to?: string;
}

export function buildStartCondition({ from, to }: Pick<ProductFilter, 'from' | 'to'>) {
  return from === undefined && to === undefined
    ? undefined
    : { ...(from === undefined ? {} : { gte: from }), ...(to === undefined ? {} : { lte: to }) };
}

/** Products that are read at once while few of them fit. */
const BATCH = 200;

/**
 * The products with a performance, in one of these states, that begins within the period, or all; in order of creation,
 * each with its view, of all its performances. Those without a view are left out.
 */
export function filterProducts<View>(
  collections: Collections,
  filter: Pick<ProductFilter, 'from' | 'to'>,
  states: readonly PerformanceState[],
  viewOf: (product: ProductDocument, performances: readonly PerformanceDocument[]) => View | undefined,
) {
  return {
    async find(query: Query) {
      const products = await documentsWithin(collections, filter, states).find(query);
      const performances = await findPerformancesByProduct(collections, products);
      return products.flatMap((product) => {
        const view = viewOf(product, performances.get(product.id) ?? []);
        return view ? [{ id: product.id, createdAt: product.createdAt, view }] : [];
      });
    },
  };
}

const documentsWithin = (
  { products, performances }: Collections,
  filter: Pick<ProductFilter, 'from' | 'to'>,
  states: readonly PerformanceState[],
): Pick<Documents<ProductDocument>, 'find'> => {
  const startDate = buildStartCondition(filter);
  if (startDate === undefined) return products;
  const selectBeginning = async (found: readonly ProductDocument[]) => {
    const ids = found.map(({ id }) => id);
    const begin = await performances.find({ where: { productId: { in: ids }, state: { in: states }, startDate } });
    const withOne = new Set(begin.map(({ productId }) => productId));
    return found.filter(({ id }) => withOne.has(id));
  };
  return findFitting(products, selectBeginning, BATCH);
};
