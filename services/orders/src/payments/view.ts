import { type Answer, type Listed, ok } from '@boxoffice/http';
import type { Static } from 'typebox';
import type { Order, Payment } from '../domain/order/order.ts';
import { notFound } from '../faults.ts';
import { instant } from '../orders/view.ts';
import type * as shapes from '../schemas.ts';
import type { OrderDocument } from '../store.ts';

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

/** Payments or refunds as a list that pages are cut from: they stand in order of creation. */
export const listed = <Entry extends { readonly id: string }>(records: readonly Entry[]): Listed<Entry> => ({
  find: async ({ after, limit }) => {
    const start = after === undefined ? 0 : records.findIndex(({ id }) => id === after.id) + 1;
    return records.slice(start, limit === undefined ? undefined : start + limit);
  },
});

/** The one with this id. @throws Fault `not_found` */
export const named = <Entry extends { readonly id: string }>(records: readonly Entry[], wanted: string): Entry => {
  const record = records.find(({ id }) => id === wanted);
  if (!record) throw notFound();
  return record;
};

/** What the answer about a payment or a refund carries: the order's validator. It speaks of nobody, so an erasure leaves it. */
export const ofOrder = ({ version }: OrderDocument): Pick<Answer, 'etag'> => ({ etag: String(version) });

/** 200 with a payment or a refund. */
export const record = <View>(order: OrderDocument, view: View) => ok(view, ofOrder(order));
