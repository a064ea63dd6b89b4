import type { Static } from 'typebox';
import { due, paid, paymentStatus, refundStatus, total } from './domain/order/money.ts';
import type { Cancellation, Order, Payment, Refund, State } from './domain/order/order.ts';
import type * as shapes from './schemas.ts';
import type { OrderDocument } from './store.ts';

const instant = (epochMs: number): string => new Date(epochMs).toISOString();
const instantOrNull = (epochMs: number | null): string | null => (epochMs === null ? null : instant(epochMs));

const cancellationView = (cancellation: Cancellation): NonNullable<Static<typeof shapes.Order>['cancellation']> => ({
  reason: cancellation.reason,
  requestedAt: instant(cancellation.requestedAt),
  ticketsCancelled: cancellation.ticketsCancelled,
  controlled: cancellation.controlled,
  placesReleased: cancellation.placesReleased,
  settledAt: instantOrNull(cancellation.settledAt),
});

/** An order as answers show it; a draft is never shown. */
export const orderView = (order: OrderDocument): Static<typeof shapes.Order> => ({
  id: order.id,
  state: order.state as Exclude<State, 'draft'>,
  version: order.version,
  institution: order.institution,
  pointOfSale: order.pointOfSale,
  contactNumber: order.contactNumber,
  externalReference: order.externalReference,
  currency: order.currency,
  lines: order.lines.map(
    ({ id, productId, performanceId, startDate, seatCategoryId, tariffId, place, amount, ticketId }) => ({
      id,
      productId,
      performanceId,
      startDate,
      seatCategoryId,
      tariffId,
      place: { id: place.id, label: place.label, row: place.row, seat: place.seat },
      amount,
      currency: order.currency,
      ticketId,
    }),
  ),
  total: total(order),
  paid: paid(order),
  due: due(order),
  paymentStatus: paymentStatus(order),
  refundStatus: refundStatus(order),
  expiresAt: instantOrNull(order.expiresAt),
  dueAt: instantOrNull(order.dueAt),
  confirmedAt: instantOrNull(order.confirmedAt),
  cancellation: order.cancellation && cancellationView(order.cancellation),
  createdAt: instant(order.createdAt),
  updatedAt: instant(order.modifiedAt ?? order.createdAt),
});

/** Who may see references of payments. */
export const seesReferences = (scopes: readonly string[]): boolean => scopes.includes('orders.sensitive:read');

/** A payment as answers show it; without the scope for it there is no `reference` at all. */
export const paymentView = (
  { id: orderId }: Pick<Order, 'id'>,
  payment: Payment,
  scopes: readonly string[],
): Static<typeof shapes.Payment> => ({
  id: payment.id,
  orderId,
  method: payment.method,
  amount: payment.amount,
  currency: payment.currency,
  ...(seesReferences(scopes) ? { reference: payment.reference } : {}),
  status: payment.status,
  createdAt: instant(payment.createdAt),
  updatedAt: instant(payment.updatedAt),
});

/** A refund as answers show it; its reference as in a payment. */
export const refundView = (
  { id: orderId }: Pick<Order, 'id'>,
  refund: Refund,
  scopes: readonly string[],
): Static<typeof shapes.Refund> => ({
  id: refund.id,
  orderId,
  amount: refund.amount,
  currency: refund.currency,
  method: refund.method,
  ...(seesReferences(scopes) ? { reference: refund.reference } : {}),
  createdAt: instant(refund.createdAt),
});
