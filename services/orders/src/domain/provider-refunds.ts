// Refunds that a provider makes: requested by a fact of the write that records them, and settled by its reports.

import { accept, type Decision, refuse } from './decisions.ts';
import type { Order, Refund } from './order/order.ts';
import { markModified } from './order/state.ts';

export interface RefundReport {
  readonly refundId: string;
  readonly status: NonNullable<Refund['status']>;
  /** The provider's. */
  readonly reference: string | null;
}

/** A pending one ends, and a done one may fail later; anything else changes nothing. Refused: `unknown_refund`. */
export function recordRefundReport<O extends Order>(
  order: O,
  { refundId, status, reference }: RefundReport,
  now: number,
): Decision<O> {
  const refund = order.refunds.find(({ id, provider }) => id === refundId && provider !== undefined);
  if (!refund) return refuse('unknown_refund');
  const { status: known = 'done' } = refund;
  const isNews = known === 'pending' ? status !== 'pending' || refund.reference !== reference : status === 'failed';
  if (!isNews || known === 'failed') return accept(order);
  const settled: Refund = { ...refund, status, reference: reference ?? refund.reference, updatedAt: now };
  const refunds = order.refunds.map((other) => (other.id === refundId ? settled : other));
  return accept(markModified({ ...order, refunds }, now));
}
