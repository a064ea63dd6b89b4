import { nullable, oneOf, timestamp } from '@boxoffice/http';
import { type Announcement, announcementExample, announcementSchema } from '@boxoffice/service';
import type { Fact } from '@boxoffice/store';
import { Type } from 'typebox';
import type { Performance, Venue } from './domain/performance.ts';
import type { Product } from './domain/product.ts';

/** A performance is cancelled; the orders service cancels the affected orders. */
export interface PerformanceCancelled {
  readonly performanceId: string;
  readonly productId: string;
  /** ISO 8601 UTC. */
  readonly cancelledAt: string;
}

export const PERFORMANCE_CANCELLED = 'performance.cancelled';

/** The event, keyed by the performance. */
export const performanceCancelled = (data: PerformanceCancelled): Fact => ({
  type: PERFORMANCE_CANCELLED,
  key: data.performanceId,
  data,
});

/** A performance takes place at another time or in another place; its tickets show the present ones. */
export interface PerformanceMoved {
  readonly performanceId: string;
  /** ISO 8601 UTC. */
  readonly startDate: string;
  /** IANA name. */
  readonly timeZone: string;
  readonly venue: Venue;
}

export const PERFORMANCE_MOVED = 'performance.moved';

/** The event, keyed by the performance; its version is that of the performance. */
export const performanceMoved = ({
  id,
  startDate,
  timeZone,
  venue: { name, city },
}: Pick<Performance, 'startDate' | 'timeZone' | 'venue'> & { readonly id: string }): Fact => ({
  type: PERFORMANCE_MOVED,
  key: id,
  data: { performanceId: id, startDate, timeZone, venue: { name, city } } satisfies PerformanceMoved,
});

/** Places returned to stock after a cancellation; the orders service completes the cancellation. */
export interface PlacesReleased {
  readonly orderId: string;
  /** The event after which they were released. */
  readonly cause: 'order.cancelled' | 'tickets.cancelled';
  /** The places that the event named and that the order no longer has. */
  readonly placeIds: readonly string[];
  /** The number of `placeIds`. */
  readonly placesReleased: number;
}

export const PLACES_RELEASED = 'places.released';

/** The event, keyed by the order. Its version is that of the release, not of the order. */
export const placesReleased = (data: PlacesReleased): Fact => ({ type: PLACES_RELEASED, key: data.orderId, data });

/** An institution was created or changed; the authorizer shows its name and languages on the pages of sign-in. */
export interface InstitutionChanged {
  readonly name: string;
  /** Language tags (BCP 47), the preferred one first. */
  readonly languages: readonly string[];
}

export const INSTITUTION_CHANGED = 'institution.changed';

/** The event, keyed by the institution. */
export const institutionChanged = (institution: string, { name, languages }: InstitutionChanged): Fact => ({
  type: INSTITUTION_CHANGED,
  key: institution,
  data: { name, languages },
});

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

/** An example payload of each event that the catalog publishes, for the tests of its consumers. */
export const examples = {
  [PERFORMANCE_CANCELLED]: {
    performanceId: 'prf_00mhs1k2e7d3kq0w8z1x',
    productId: 'prd_00mhs1k2a4h9rv2c6t5b',
    cancelledAt: '2027-03-01T10:15:00.000Z',
  } satisfies PerformanceCancelled,
  [PERFORMANCE_MOVED]: {
    performanceId: 'prf_00mhs1k2e7d3kq0w8z1x',
    startDate: '2027-03-21T19:30:00.000Z',
    timeZone: 'Europe/Zurich',
    venue: { name: 'Grand Théâtre', city: 'Genève' },
  } satisfies PerformanceMoved,
  [PLACES_RELEASED]: {
    orderId: 'ord_00mhs1k9f5g7ja3p1y6d',
    cause: 'order.cancelled',
    placeIds: ['plc_00mhs1k2e7d3kq0w8z1x_0_0_14', 'plc_00mhs1k2e7d3kq0w8z1x_0_0_15'],
    placesReleased: 2,
  } satisfies PlacesReleased,
  [INSTITUTION_CHANGED]: { name: 'Opéra du Lac', languages: ['fr', 'de', 'en'] } satisfies InstitutionChanged,
  [PRODUCT_RECORDED]: announcementExample({
    type: 'product.changed',
    resource: { type: 'product', id: 'prd_00mhs1k2a4h9rv2c6t5b' },
    data: shownOfProduct({ type: 'show', state: 'running', startDate: null, endDate: null }),
  }),
  [PERFORMANCE_RECORDED]: announcementExample({
    type: 'performance.changed',
    resource: { type: 'performance', id: 'prf_00mhs1k2e7d3kq0w8z1x' },
    data: shownOfPerformance({
      productId: 'prd_00mhs1k2a4h9rv2c6t5b',
      state: 'on_sale',
      startDate: '2027-03-14T19:30:00.000Z',
      salesFrom: null,
      salesTo: null,
    }),
  }),
} as const;

/** The members that every event of a type has: consumers rely on them, and the next release keeps them. */
export const schemas = {
  [PERFORMANCE_CANCELLED]: Type.Object({
    performanceId: Type.String(),
    productId: Type.String(),
    cancelledAt: timestamp,
  }),
  [PERFORMANCE_MOVED]: Type.Object({
    performanceId: Type.String(),
    startDate: timestamp,
    timeZone: Type.String(),
    venue: Type.Object({ name: Type.String(), city: nullable(Type.String()) }),
  }),
  [PLACES_RELEASED]: Type.Object({
    orderId: Type.String(),
    cause: oneOf(['order.cancelled', 'tickets.cancelled']),
    placeIds: Type.Array(Type.String()),
    placesReleased: Type.Integer({ minimum: 0 }),
  }),
  [INSTITUTION_CHANGED]: Type.Object({ name: Type.String(), languages: Type.Array(Type.String()) }),
  [PRODUCT_RECORDED]: announcementSchema,
  [PERFORMANCE_RECORDED]: announcementSchema,
} as const;
