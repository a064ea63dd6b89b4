import type { Fact } from '@boxoffice/store';

/** A performance will not take place; orders cancels the orders concerned. */
export interface PerformanceCancelled {
  readonly performanceId: string;
  readonly productId: string;
  /** ISO 8601 UTC. */
  readonly cancelledAt: string;
}

export const PERFORMANCE_CANCELLED = 'performance.cancelled';

/** The fact, keyed by the performance. */
export const performanceCancelled = (data: PerformanceCancelled): Fact => ({
  type: PERFORMANCE_CANCELLED,
  key: data.performanceId,
  data,
});

/** An example payload of each fact that the catalog publishes, for the tests of those who react. */
export const examples = {
  [PERFORMANCE_CANCELLED]: {
    performanceId: 'prf_00mhs1k2e7d3kq0w8z1x',
    productId: 'prd_00mhs1k2a4h9rv2c6t5b',
    cancelledAt: '2027-03-01T10:15:00.000Z',
  } satisfies PerformanceCancelled,
} as const;
