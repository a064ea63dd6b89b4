import { type Answer, created, ok } from '@boxoffice/http';
import type { OrderDocument } from './store.ts';
import { orderView } from './views.ts';

/** Where an order is. */
export const addressOf = (orderId: string): string => `/svc/v3/orders/${orderId}`;

/** Where a payment is. */
export const addressOfPayment = (orderId: string, paymentId: string): string =>
  `${addressOf(orderId)}/payments/${paymentId}`;

/** What an answer about an order carries: its validator, and whom it speaks of. */
export const about = ({ version, contactNumber }: OrderDocument): Pick<Answer, 'etag' | 'subjects'> => ({
  etag: String(version),
  subjects: contactNumber === null ? [] : [contactNumber],
});

/** 200 with the order. */
export const one = (order: OrderDocument) => ok(orderView(order), about(order));

/** 201 with the order. */
export const newOne = (order: OrderDocument) => created(orderView(order), addressOf(order.id), about(order));
