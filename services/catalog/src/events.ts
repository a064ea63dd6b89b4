import { oneOf, timestamp } from '@boxoffice/http';
import type { Fact } from '@boxoffice/store';
import { Type } from 'typebox';

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

/** Places went back to stock after a cancellation; orders settles it. */
export interface PlacesReleased {
  readonly orderId: string;
  /** The fact after which they were released. */
  readonly cause: 'order.cancelled' | 'tickets.cancelled';
  /** Those that the fact named and that the order no longer has, whoever has them now. */
  readonly placeIds: readonly string[];
  /** How many these are. */
  readonly placesReleased: number;
}

export const PLACES_RELEASED = 'places.released';

/** The fact, keyed by the order. Its version is that of the release, not of the order. */
export const placesReleased = (data: PlacesReleased): Fact => ({ type: PLACES_RELEASED, key: data.orderId, data });

/** An example payload of each fact that the catalog publishes, for the tests of those who react. */
export const examples = {
  [PERFORMANCE_CANCELLED]: {
    performanceId: 'prf_00mhs1k2e7d3kq0w8z1x',
    productId: 'prd_00mhs1k2a4h9rv2c6t5b',
    cancelledAt: '2027-03-01T10:15:00.000Z',
  } satisfies PerformanceCancelled,
  [PLACES_RELEASED]: {
    orderId: 'ord_00mhs1k9f5g7ja3p1y6d',
    cause: 'order.cancelled',
    placeIds: ['plc_00mhs1k2e7d3kq0w8z1x_0_0_14', 'plc_00mhs1k2e7d3kq0w8z1x_0_0_15'],
    placesReleased: 2,
  } satisfies PlacesReleased,
} as const;

/** What every fact of a type has at least: consumers may rely on it, and the next release keeps it. */
export const schemas = {
  [PERFORMANCE_CANCELLED]: Type.Object({
    performanceId: Type.String(),
    productId: Type.String(),
    cancelledAt: timestamp,
  }),
  [PLACES_RELEASED]: Type.Object({
    orderId: Type.String(),
    cause: oneOf(['order.cancelled', 'tickets.cancelled']),
    placeIds: Type.Array(Type.String()),
    placesReleased: Type.Integer({ minimum: 0 }),
  }),
} as const;
