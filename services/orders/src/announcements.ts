import type { Announcement } from '@boxoffice/service';
import { due, paid, total } from './domain/order/money.ts';
import type { Order } from './domain/order/order.ts';
import { isHidden } from './domain/order/state.ts';
import { orderView } from './orders/view.ts';
import type { OrderDocument } from './store.ts';
import { instant, instantOrNull } from './time.ts';

/** A change of an order, payment or refund that partners hear of was recorded. */
export const ORDER_RECORDED = 'order.recorded';

/** What an event shows of an order: ids, the state, amounts and instants. */
export const shownOf = (order: Order): object => {
  const { cancellation } = order;
  return {
    state: order.state,
    contactNumber: order.contactNumber,
    pointOfSale: order.pointOfSale,
    performanceIds: order.performanceIds,
    currency: order.currency,
    total: total(order),
    paid: paid(order),
    due: due(order),
    expiresAt: instantOrNull(order.expiresAt),
    confirmedAt: instantOrNull(order.confirmedAt),
    cancellation: cancellation && {
      requestedAt: instant(cancellation.requestedAt),
      ticketsCancelled: cancellation.ticketsCancelled,
      controlled: cancellation.controlled,
      placesReleased: cancellation.placesReleased,
      settledAt: instantOrNull(cancellation.settledAt),
    },
  };
};

/** The order as it is answered, without what follows from changes elsewhere: ticket ids, counts of a cancellation. */
const visible = (order: OrderDocument): string => {
  const { lines, cancellation, ...shown } = orderView(order);
  const own = lines.map((line) => ({ ...line, ticketId: null }));
  return JSON.stringify({ ...shown, lines: own, reason: cancellation?.reason, version: null, updatedAt: null });
};

const ofPayments = (before: Order | undefined, { id: orderId, payments, refunds }: Order): Announcement[] => {
  const statuses = new Map(before?.payments.map(({ id, status }) => [id, status]));
  const known = new Set(before?.refunds.map(({ id }) => id));
  return [
    ...payments.flatMap(({ id, status, amount, currency }): Announcement[] => {
      if (status === 'pending' || statuses.get(id) === status) return [];
      const type = status === 'captured' ? 'payment.recorded' : 'payment.failed';
      return [{ type, resource: { type: 'payment', id }, data: { orderId, status, amount, currency } }];
    }),
    ...refunds.flatMap(({ id, amount, currency }): Announcement[] =>
      known.has(id)
        ? []
        : [{ type: 'refund.recorded', resource: { type: 'refund', id }, data: { orderId, amount, currency } }],
    ),
  ];
};

/** Whether a payment was added that is pending: a change of the order, which need not show elsewhere in it. */
const hasNewPending = (before: Order, { payments }: Order): boolean => {
  const known = new Set(before.payments.map(({ id }) => id));
  return payments.some(({ id, status }) => status === 'pending' && !known.has(id));
};

/** The types that a change of the order has by itself. */
const ownTypes = (before: OrderDocument | undefined, after: OrderDocument): string[] => {
  const types: string[] = [];
  if (!before || isHidden(before)) types.push('order.created');
  const { state } = after;
  if (state !== before?.state && (state === 'confirmed' || state === 'expired' || state === 'cancelled'))
    types.push(`order.${state}`);
  const settledAt = after.cancellation?.settledAt ?? null;
  if (settledAt !== null && settledAt !== (before?.cancellation?.settledAt ?? null)) types.push('order.settled');
  return types;
};

/** The events of a write; none while the order is a cart. */
export const announceOrder = (before: OrderDocument | undefined, after: OrderDocument): Announcement[] => {
  if (isHidden(after)) return [];
  const payments = ofPayments(before, after);
  const types = ownTypes(before, after);
  const isChanged = (from: OrderDocument): boolean => hasNewPending(from, after) || visible(from) !== visible(after);
  const isOther = types.length === 0 && payments.length === 0 && before && isChanged(before);
  // What an erasure takes along is told by contact.erased.
  if (isOther && before.erasedContact === after.erasedContact) types.push('order.changed');
  const own = types.map((type) => ({ type, resource: { type: 'order', id: after.id }, data: shownOf(after) }));
  const [first, ...rest] = own;
  if (first?.type !== 'order.created') return [...payments, ...own];
  return [first, ...payments, ...rest];
};
