import type { Static } from 'typebox';
import type { PerformanceDocument } from '../store.ts';
import type { Performance } from './schemas.ts';

/** A performance as answers show it. */
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

/** The ETag of a performance. */
export const performanceEtag = ({ revision }: PerformanceDocument): string => String(revision);
