import { createNullableSchema, oneOf, timestamp } from '@boxoffice/http';
import { type Announcement, createAnnouncementExample, createAnnouncementSchema } from '@boxoffice/service';
import type { Fact } from '@boxoffice/store';
import { type Static, Type } from 'typebox';
import type { Performance } from './domain/performance.ts';
import type { Product } from './domain/product.ts';
import type { Institution } from './domain/tariff.ts';

type Identified<T> = T & { readonly id: string };

export const PERFORMANCE_CANCELLED = 'performance.cancelled';
export const PERFORMANCE_MOVED = 'performance.moved';
export const PLACES_RELEASED = 'places.released';
export const INSTITUTION_CHANGED = 'institution.changed';
export const PRODUCT_RECORDED = 'product.recorded';
export const PERFORMANCE_RECORDED = 'performance.recorded';

/** Consumers rely on these members, and the next release keeps them. */
export const schemas = {
  [PERFORMANCE_CANCELLED]: Type.Object(
    {
      performanceId: Type.String(),
      productId: Type.String(),
      cancelledAt: timestamp,
    },
    { description: 'A performance is cancelled; so are the orders for it.' },
  ),
  [PERFORMANCE_MOVED]: Type.Object(
    {
      performanceId: Type.String(),
      startDate: timestamp,
      timeZone: Type.String(),
      venue: Type.Object({ name: Type.String(), city: createNullableSchema(Type.String()) }),
      movedAt: Type.Optional(timestamp),
    },
    { description: 'A performance has another start, time zone or venue; tickets show it as it is now.' },
  ),
  [PLACES_RELEASED]: Type.Object(
    {
      orderId: Type.String(),
      // The event after which they were released.
      cause: oneOf(['order.cancelled', 'tickets.cancelled']),
      // Those that the event named and that the order no longer has.
      placeIds: Type.Array(Type.String()),
      placesReleased: Type.Integer({ minimum: 0 }),
    },
    { description: 'The places that an order gave up, or that its cancelled tickets had, are free again.' },
  ),
  [INSTITUTION_CHANGED]: Type.Object(
    { name: Type.String(), languages: Type.Array(Type.String()) },
    { description: 'An institution was created, or has another name or other languages.' },
  ),
  [PRODUCT_RECORDED]: createAnnouncementSchema('A product was created or changed, as the event of partners tells it.'),
  [PERFORMANCE_RECORDED]: createAnnouncementSchema(
    'A performance was created, changed or cancelled, as the event of partners tells it.',
  ),
} as const;

/** The orders service cancels its orders, or returns its lines of them. Keyed by the performance. */
export function createPerformanceCancelledFact(data: Static<(typeof schemas)[typeof PERFORMANCE_CANCELLED]>): Fact {
  return {
    type: PERFORMANCE_CANCELLED,
    key: data.performanceId,
    data,
  };
}

/** Its tickets show the present time and place. Keyed by the performance, whose version is the event's. */
export function createPerformanceMovedFact({
  id,
  startDate,
  timeZone,
  venue: { name, city },
  movedAt,
}: Identified<Pick<Performance, 'startDate' | 'timeZone' | 'venue' | 'movedAt'>>): Fact {
  return {
    type: PERFORMANCE_MOVED,
    key: id,
    data: {
      performanceId: id,
      startDate,
      timeZone,
      venue: { name, city },
      ...(movedAt === undefined ? {} : { movedAt }),
    },
  };
}

export type PlacesReleased = Static<(typeof schemas)[typeof PLACES_RELEASED]>;

/** The orders service completes the cancellation. Keyed by the order; the version is that of the release. */
export function createPlacesReleasedFact(data: PlacesReleased): Fact {
  return { type: PLACES_RELEASED, key: data.orderId, data };
}

/** The authorizer shows name and languages on the pages of sign-in. Keyed by the institution. */
export function createInstitutionChangedFact(
  institution: string,
  { name, languages }: Pick<Institution, 'name' | 'languages'>,
): Fact {
  return { type: INSTITUTION_CHANGED, key: institution, data: { name, languages } };
}

export function toProductEventData({
  type,
  state,
  startDate,
  endDate,
}: Pick<Product, 'type' | 'state' | 'startDate' | 'endDate'>): object {
  return { type, state, startDate, endDate };
}

export function toPerformanceEventData({
  productId,
  state,
  startDate,
  salesFrom,
  salesTo,
}: Pick<Performance, 'productId' | 'state' | 'startDate' | 'salesFrom' | 'salesTo'>): object {
  return {
    productId,
    state,
    startDate,
    salesFrom,
    salesTo,
  };
}

/** The revision counts the visible changes. */
export function announceProduct(before: Identified<Product> | undefined, after: Identified<Product>): Announcement[] {
  if (before?.revision === after.revision) return [];
  const type = before ? 'product.changed' : 'product.created';
  return announcement(type, 'product', after.id, toProductEventData(after));
}

const announcement = (type: string, kind: 'product' | 'performance', id: string, data: object): Announcement[] => [
  { type, resource: { type: kind, id }, data },
];

export function announcePerformance(
  before: Identified<Performance> | undefined,
  after: Identified<Performance>,
): Announcement[] {
  if (before?.revision === after.revision) return [];
  const isCancelled = after.state === 'cancelled' && before?.state !== 'cancelled';
  const changed = isCancelled ? 'performance.cancelled' : 'performance.changed';
  const type = before ? changed : 'performance.created';
  return announcement(type, 'performance', after.id, toPerformanceEventData(after));
}

export const examples = {
  [PERFORMANCE_CANCELLED]: {
    performanceId: 'prf_00mhs1k2e7d3kq0w8z1x',
    productId: 'prd_00mhs1k2a4h9rv2c6t5b',
    cancelledAt: '2027-03-01T10:15:00.000Z',
  },
  [PERFORMANCE_MOVED]: {
    performanceId: 'prf_00mhs1k2e7d3kq0w8z1x',
    startDate: '2027-03-21T19:30:00.000Z',
    timeZone: 'Europe/Zurich',
    venue: { name: 'Grand Théâtre', city: 'Genève' },
    movedAt: '2027-03-01T10:15:00.000Z',
  },
  [PLACES_RELEASED]: {
    orderId: 'ord_00mhs1k9f5g7ja3p1y6d',
    cause: 'order.cancelled',
    placeIds: ['plc_00mhs1k2e7d3kq0w8z1x_0_0_14', 'plc_00mhs1k2e7d3kq0w8z1x_0_0_15'],
    placesReleased: 2,
  },
  [INSTITUTION_CHANGED]: { name: 'Opéra du Lac', languages: ['fr', 'de', 'en'] },
  [PRODUCT_RECORDED]: createAnnouncementExample({
    type: 'product.changed',
    resource: { type: 'product', id: 'prd_00mhs1k2a4h9rv2c6t5b' },
    data: toProductEventData({ type: 'show', state: 'running', startDate: null, endDate: null }),
  }),
  [PERFORMANCE_RECORDED]: createAnnouncementExample({
    type: 'performance.changed',
    resource: { type: 'performance', id: 'prf_00mhs1k2e7d3kq0w8z1x' },
    data: toPerformanceEventData({
      productId: 'prd_00mhs1k2a4h9rv2c6t5b',
      state: 'on_sale',
      startDate: '2027-03-14T19:30:00.000Z',
      salesFrom: null,
      salesTo: null,
    }),
  }),
} satisfies { readonly [T in keyof typeof schemas]: Static<(typeof schemas)[T]> };
