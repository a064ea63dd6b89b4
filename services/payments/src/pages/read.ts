import { BY_ITSELF_MS, type PaymentsContext } from '../context.ts';
import { applyPage, type ReadPage } from '../domain/payment.ts';
import { connectFor } from '../keys/keys.ts';
import type { PaymentDocument } from '../store.ts';
import { report } from './report.ts';

/** @throws where the provider or orders does not answer: what was found is stored, and reported later */
export async function readAndApply(context: PaymentsContext, payment: PaymentDocument): Promise<PaymentDocument> {
  const { reference } = payment;
  if (!payment.reported) return readAndApply(context, await report(context, payment));
  if (reference === null) throw new Error('the payment has no page');
  const page = await (await connectFor(context, payment)).readPage(reference);
  return page ? report(context, await apply(context, payment, page)) : payment;
}

const apply = async (
  context: PaymentsContext,
  { institution, id }: PaymentDocument,
  page: ReadPage,
): Promise<PaymentDocument> => {
  let before: PaymentDocument | undefined;
  const updated = await context.payments.of(institution).update(id, (current) => {
    const now = context.now();
    const next = applyPage(current, page, now);
    before = next === current ? undefined : current;
    if (next === current) return undefined;
    return {
      next,
      due: { ...(!next.reported && { ask: now + BY_ITSELF_MS }), ...(next.state !== 'pending' && { close: null }) },
    };
  });
  if (!updated) throw new Error('a payment is gone');
  if (before) countChange(context, before, updated);
  return updated;
};

const countChange = ({ metrics, log }: PaymentsContext, before: PaymentDocument, after: PaymentDocument): void => {
  if (after.dispute?.isConverted && before.dispute !== after.dispute)
    log.warn('a dispute is in another currency than its payment, whose amount is taken for it', {
      ...{ institution: after.institution, payment: after.id },
    });
  if (before.state !== after.state) metrics.countPayment(after.state);
  if (after.dispute && before.dispute?.state !== after.dispute.state) metrics.countDispute(after.dispute.state);
  if (before.mismatch || !after.mismatch) return;
  metrics.countMismatch();
  const { institution, orderId: order, reference: session } = after;
  log.error('a payment came with another amount or currency: it sells nothing and is refunded', {
    ...{ institution, order, ...(session !== null && { session }) },
  });
};
