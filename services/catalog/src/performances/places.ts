import type { Condition } from '@boxoffice/store';
import { orderRange, SOLD } from '../domain/place.ts';
import type { Collections, PerformanceDocument } from '../store.ts';
import { settle } from './capacity.ts';

const freeFrom = (state: 'free' | 'held' | 'sold' | undefined, now: number): Condition => {
  if (state === 'free') return { lte: now };
  if (state === 'held') return { gt: now, lt: SOLD };
  return state === 'sold' ? SOLD : { lte: SOLD };
};

/** The query that lists a performance's places by `order`, without withdrawn ones. */
export const listedPlaces = async (
  collections: Collections,
  performance: PerformanceDocument,
  query: { readonly seatCategoryId?: string; readonly state?: 'free' | 'held' | 'sold' },
  now: number,
) => {
  await settle(collections, performance);
  const { seatCategoryId, state } = query;
  const category = performance.seatCategories.findIndex(({ id }) => id === seatCategoryId);
  // The range of `order` of that category; empty for an unknown one.
  const order = seatCategoryId === undefined ? {} : { order: orderRange(category) };
  return {
    where: { performanceId: performance.id, freeFrom: freeFrom(state, now), ...order },
    places: collections.places,
  };
};
