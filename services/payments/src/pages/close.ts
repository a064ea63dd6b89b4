import { Fault } from '@boxoffice/envelope';
import type { WorkResult } from '@boxoffice/service';
import { BY_ITSELF_MS, type PaymentsContext } from '../context.ts';
import { abandon, toShownState } from '../domain/payment.ts';
import { connectFor } from '../keys/keys.ts';
import { ProviderFault } from '../provider/port.ts';
import type { PaymentDocument } from '../store.ts';
import { readAndApply } from './read.ts';

/** At the provider at once if it answers, else as soon as it does. */
export async function closePage(context: PaymentsContext, institution: string, paymentId: string) {
  const payments = context.payments.of(institution);
  const payment = await payments.update(paymentId, (current) =>
    current.state === 'pending' ? { next: current, due: { close: context.now() + BY_ITSELF_MS } } : undefined,
  );
  if (!payment) throw new Fault('not_found', 'There is no such payment.');
  const closed = await closeNow(context, payment).catch((error: unknown) => {
    context.log.warn('a payment page could not be closed yet', { institution, payment: paymentId, error });
    return payment;
  });
  return { state: toShownState(closed) };
}

/** Due work: a minute before the page ends, or once its order is sold or has ended. */
export async function close(context: PaymentsContext, payment: PaymentDocument): Promise<WorkResult> {
  await closeNow(context, payment);
  return 'done';
}

/** It may be paid: what the provider says afterwards counts. @throws where the provider does not answer */
export async function closeNow(context: PaymentsContext, payment: PaymentDocument): Promise<PaymentDocument> {
  const { institution, id, reference, state } = payment;
  const payments = context.payments.of(institution);
  if (state === 'opening') {
    const due = { ask: null, close: null };
    const change = (current: PaymentDocument) =>
      current.state === 'opening' ? { next: abandon(current, context.now()), due } : undefined;
    return (await payments.update(id, change)) ?? payment;
  }
  if (state !== 'pending' || reference === null) return payment;
  const provider = await connectFor(context, payment);
  try {
    await provider.closePage(reference);
  } catch (error) {
    // It is not open any more: paid, or ended by itself.
    if (!(error instanceof ProviderFault) || error.refusal !== 'refused') throw error;
  }
  return readAndApply(context, payment);
}
