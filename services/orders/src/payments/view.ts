import { type Answer, type Listed, ok } from '@boxoffice/http';
import type { Static } from 'typebox';
import type { Order, Payment } from '../domain/order/order.ts';
import { notFound } from '../faults.ts';
import type * as schemas from '../schemas.ts';
import type { OrderDocument } from '../store.ts';
import { instant } from '../time.ts';

/** Whether the scopes show references of payments and refunds. */
export const seesReferences = (scopes: readonly string[]): boolean => scopes.includes('orders.sensitive:read');

/** A payment as it is answered; without the scope the member `reference` is absent. */
export const paymentView = (
  { id: orderId }: Pick<Order, 'id'>,
  payment: Payment,
  scopes: readonly string[],
): Static<typeof schemas.Payment> => ({
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

/** Payments or refunds as a list for paging; they are stored in order of creation. */
export const listed = <Entry extends { readonly id: string }>(records: readonly Entry[]): Listed<Entry> => ({
  find: async ({ after, limit }) => {
    const start = after === undefined ? 0 : records.findIndex(({ id }) => id === after.id) + 1;
    return records.slice(start, limit === undefined ? undefined : start + limit);
  },
});

/** The record with this id. @throws Fault `not_found` */
export const named = <Entry extends { readonly id: string }>(records: readonly Entry[], wanted: string): Entry => {
  const record = records.find(({ id }) => id === wanted);
  if (!record) throw notFound();
  return record;
};

/**
 * The order's validator on an answer about a payment or refund. The answer contains no personal data, so it survives
 * an erasure.
 */
export const ofOrder = ({ version }: OrderDocument): Pick<Answer, 'etag'> => ({ etag: String(version) });

/** 200 with a payment or a refund. */
export const record = <View>(order: OrderDocument, view: View) => ok(view, ofOrder(order));
