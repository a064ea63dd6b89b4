import { nullable, oneOf, timestamp } from '@boxoffice/http';
import { announcementExample, announcementSchema } from '@boxoffice/service';
import { Type } from 'typebox';
import { ORDER_RECORDED } from './announcements.ts';
import { catalogValues } from './clients/generated/catalog.ts';
import type { DomainFact, OrderCancelled, OrderConfirmed, OrderExpired } from './domain/order/facts.ts';

export const ORDER_CONFIRMED = 'order.confirmed' satisfies DomainFact['type'];
export const ORDER_CANCELLED = 'order.cancelled' satisfies DomainFact['type'];
export const ORDER_EXPIRED = 'order.expired' satisfies DomainFact['type'];

const orderId = 'ord_00mhs1k9f5g7ja3p1y6d';
const place = { id: 'plc_00mhs1k2e7d3kq0w8z1x_0_0_14', label: 'A-14', row: 'A', seat: 14 };

/**
 * Events that orders publishes: an example payload of each, for the tests of consumers. The key is the order's id,
 * the version is the order's version.
 */
export const examples = {
  [ORDER_CONFIRMED]: {
    orderId,
    contactNumber: 'C7K2M9QX4TB03',
    pointOfSale: 'tickets.opera.example',
    ticketDelivery: 'electronic',
    tickets: [
      {
        ticketId: 'tic_00mhs1k9f8c2vn5e0r4t',
        lineId: 'lin_00mhs1k9f8c2vn5e0r4t',
        performanceId: 'prf_00mhs1k2e7d3kq0w8z1x',
        seatCategoryId: 'cat_00mhs1k2e7d3kq0w8z1x_0',
        tariffId: 'trf_00mhs1k1z2s6xe8b0n4m',
        place,
        price: { amount: 12_500, currency: 'CHF' },
        productId: 'prd_00mhs1k2a4h9rv2c6t5b',
        startDate: '2027-03-14T19:30:00.000Z',
      },
    ],
  } satisfies OrderConfirmed['data'],
  [ORDER_CANCELLED]: {
    orderId,
    hadTickets: true,
    override: false,
    placeIds: [place.id],
  } satisfies OrderCancelled['data'],
  [ORDER_EXPIRED]: { orderId, placeIds: [place.id] } satisfies OrderExpired['data'],
  [ORDER_RECORDED]: announcementExample({
    type: 'order.confirmed',
    resource: { type: 'order', id: orderId },
    data: {
      state: 'confirmed',
      contactNumber: 'C7K2M9QX4TB03',
      pointOfSale: 'tickets.opera.example',
      performanceIds: ['prf_00mhs1k2e7d3kq0w8z1x'],
      currency: 'CHF',
      total: 12_500,
      paid: 12_500,
      due: 0,
      expiresAt: null,
      confirmedAt: '2027-02-01T12:00:00.000Z',
      cancellation: null,
    },
  }),
} as const;

const id = Type.String();
const ids = Type.Array(id);
const name = nullable(Type.String());

/** The members that every event of a type has. Consumers may rely on them, and later releases keep them. */
export const schemas = {
  [ORDER_CONFIRMED]: Type.Object({
    orderId: id,
    contactNumber: nullable(Type.String()),
    pointOfSale: nullable(Type.String()),
    ticketDelivery: Type.Optional(oneOf(catalogValues['Hold.pointOfSale.ticketDelivery'])),
    callFollows: Type.Optional(Type.Literal(true)),
    tickets: Type.Array(
      Type.Object({
        ticketId: id,
        lineId: id,
        performanceId: id,
        seatCategoryId: id,
        tariffId: id,
        place: Type.Object({ id, label: Type.String(), row: name, seat: nullable(Type.Integer()) }),
        price: Type.Object({ amount: Type.Integer(), currency: Type.String() }),
        productId: id,
        startDate: timestamp,
      }),
    ),
  }),
  [ORDER_CANCELLED]: Type.Object({
    orderId: id,
    hadTickets: Type.Boolean(),
    override: Type.Boolean(),
    placeIds: ids,
  }),
  [ORDER_EXPIRED]: Type.Object({ orderId: id, placeIds: ids }),
  [ORDER_RECORDED]: announcementSchema,
} as const;
