import type { Condition, Where } from '@boxoffice/store';
import { availability } from '../domain/capacity.ts';
import { orderRange, SOLD } from '../domain/place.ts';
import type { Collections, PerformanceDocument } from '../store.ts';
import { settle } from './capacity.ts';

/** The numbers of free, held and sold places of each seat category at `now` (epoch milliseconds). */
export const availabilityOf = async (collections: Collections, performance: PerformanceDocument, now: number) => {
  await settle(collections, performance);
  const seatCategories = await Promise.all(
    performance.seatCategories.map(async ({ id, code, capacity }) => {
      const where = { performanceId: performance.id, seatCategoryId: id };
      const sold = await collections.places.count({ ...where, freeFrom: SOLD });
      const taken = await collections.places.count({ ...where, freeFrom: { gt: now, lte: SOLD } });
      return { id, code, ...availability(capacity, sold, taken) };
    }),
  );
  return { performanceId: performance.id, asOf: new Date(now).toISOString(), seatCategories };
};

const freeFrom = (state: 'free' | 'held' | 'sold' | undefined, now: number): Condition => {
  if (state === 'free') return { lte: now };
  if (state === 'held') return { gt: now, lt: SOLD };
  return state === 'sold' ? SOLD : { lte: SOLD };
};

/** The condition that selects a performance's places, without withdrawn ones; for a list by `order`. */
export const whereListed = async (
  collections: Collections,
  performance: PerformanceDocument,
  query: { readonly seatCategoryId?: string; readonly state?: 'free' | 'held' | 'sold' },
  now: number,
): Promise<Where> => {
  await settle(collections, performance);
  const { seatCategoryId, state } = query;
  const where = { performanceId: performance.id, freeFrom: freeFrom(state, now) };
  if (seatCategoryId === undefined) return where;
  // The range of `order` of that category; empty for an unknown one.
  return { ...where, order: orderRange(performance.seatCategories.findIndex(({ id }) => id === seatCategoryId)) };
};
