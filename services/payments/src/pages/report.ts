import { deriveId } from '@boxoffice/runtime';
import { insertUnlessTaken } from '@boxoffice/store';
import type { PaymentsContext } from '../context.ts';
import { computeNextAsk, isSameDispute } from '../domain/payment.ts';
import { createRefund } from '../domain/refund.ts';
import type { PaymentDocument } from '../store.ts';

/**
 * Idempotent, in every order: orders records what it does not have yet.
 * @throws where orders does not answer, or does not have what money came for: it stays due, and is seen as overdue
 */
export async function report(context: PaymentsContext, payment: PaymentDocument): Promise<PaymentDocument> {
  if (payment.reported) return payment;
  const { institution, id, orderId, state, dispute } = payment;
  if (payment.mismatch) await refundMismatch(context, payment);
  const known = await context.orders.reportPayment(institution, payment);
  if (!known && state === 'captured') throw new Error(`money came for an order that does not exist: ${orderId}`);
  if (known && dispute && !(await context.orders.reportDispute(institution, payment)))
    throw new Error(`a payment is in dispute that its order does not have: ${orderId}`);
  const updated = await context.payments.of(institution).update(id, (current) => {
    const isSame = current.state === state && isSameDispute(current.dispute, dispute);
    if (current.reported || !isSame) return undefined;
    const next = { ...current, reported: true };
    return { next, due: { ask: computeNextAsk(next, context.now()) } };
  });
  return updated ?? payment;
}

const refundMismatch = async (
  context: PaymentsContext,
  { institution, id, orderId, provider, mismatch, currency }: PaymentDocument,
): Promise<void> => {
  if (!mismatch) return;
  const now = context.now();
  const asked = { orderId, paymentId: id, provider, purpose: 'mismatch' as const, amount: null, currency };
  const refund = createRefund({ id: deriveId('ref', id, 'mismatch'), ...asked }, now);
  await insertUnlessTaken(context.refunds.of(institution), refund, { due: { refund: now } });
};
