import { availability } from '../domain/availability.ts';
import { SOLD } from '../domain/place.ts';
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
