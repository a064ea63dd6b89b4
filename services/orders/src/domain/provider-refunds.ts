// Refunds that a provider makes: requested by a fact of the write that records them, and settled by its reports.

import { accept, type Decision, refuse } from './decisions.ts';
import { replaceRefund } from './order/money.ts';
import type { Order, Refund } from './order/order.ts';
import { markModified, sellIfPaid } from './order/state.ts';

export interface RefundReport {
  readonly refundId: string;
  readonly status: NonNullable<Refund['status']>;
  /** The provider's. */
  readonly reference: string | null;
}

/**
 * A pending one ends, and a done one may fail later; anything else changes nothing. One that fails takes back what it
 * counted for, so that the sale of the order may be due. Refused: `unknown_refund`.
 */
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
  return sellIfPaid(markModified(replaceRefund(order, settled), now), now);
}
