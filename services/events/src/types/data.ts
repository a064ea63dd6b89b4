// The types of events: what each is about, who may see it, and its members.

import { currency, id, instant, named, nullable, oneOf, timestamp } from '@boxoffice/http';
import { Type } from 'typebox';

const amount = Type.Integer({ description: 'in the minor unit of the currency' });
const count = nullable(Type.Integer({ minimum: 0, description: 'how many; null until known' }));
const stateOf = (noun: string) => ({ description: `of the ${noun} after the change` });

const Cancellation = named(
  'OrderEventCancellation',
  Type.Object({
    requestedAt: timestamp,
    ticketsCancelled: count,
    controlled: count,
    placesReleased: count,
    settledAt: nullable(instant('when tickets and places had followed')),
  }),
);

/** `data` of the events of an order: the order after the change. */
export const OrderEventData = named(
  'OrderEventData',
  Type.Object({
    state: oneOf(['open', 'reserved', 'payment_pending', 'confirmed', 'expired', 'cancelled'], stateOf('order')),
    contactNumber: nullable({ ...id, description: 'the buyer' }),
    // Absent in events of earlier releases.
    externalReference: Type.Optional(
      nullable(Type.String({ maxLength: 200, description: 'the own reference of institution or reseller' })),
    ),
    pointOfSale: nullable({ ...id, description: 'its service host' }),
    performanceIds: Type.Array(id),
    currency,
    total: amount,
    paid: amount,
    due: amount,
    expiresAt: nullable(timestamp),
    confirmedAt: nullable(timestamp),
    cancellation: nullable(Cancellation),
  }),
);

export const PaymentEventData = named(
  'PaymentEventData',
  Type.Object({ orderId: id, status: oneOf(['captured', 'failed'], stateOf('payment')), amount, currency }),
);

export const RefundEventData = named('RefundEventData', Type.Object({ orderId: id, amount, currency }));

/** `data` of the events of a ticket: without barcode and beneficiary. */
export const TicketEventData = named(
  'TicketEventData',
  Type.Object({
    status: oneOf(['not_printed', 'printed', 'controlled', 'invalidated', 'cancelled'], stateOf('ticket')),
    orderId: id,
    lineId: id,
    performanceId: id,
    seatCategoryId: id,
    tariffId: id,
    placeId: id,
    price: amount,
    currency,
    printedAt: nullable(timestamp),
    controlledAt: nullable(timestamp),
    replaces: nullable({ ...id, description: 'the ticket that this one replaces' }),
    replacedBy: nullable({ ...id, description: 'the ticket that replaces this one' }),
  }),
);

export const ContactEventData = named(
  'ContactEventData',
  Type.Object({
    kind: oneOf(['individual', 'structure'], { description: 'a person, or a company' }),
    erasedAt: nullable(timestamp),
  }),
);

export const ProductEventData = named(
  'ProductEventData',
  Type.Object({
    type: oneOf(['show', 'pass', 'season_ticket', 'membership', 'service', 'goods', 'package'], {
      description: 'of product',
    }),
    state: oneOf(['preparing', 'validated', 'running', 'suspended', 'closed', 'cancelled'], stateOf('product')),
    startDate: nullable(timestamp),
    endDate: nullable(timestamp),
  }),
);

export const PerformanceEventData = named(
  'PerformanceEventData',
  Type.Object({
    productId: id,
    state: oneOf(['on_sale', 'closed', 'cancelled'], stateOf('performance')),
    startDate: timestamp,
    salesFrom: nullable(timestamp),
    salesTo: nullable(timestamp),
  }),
);
