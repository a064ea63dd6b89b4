import { settleWithin } from '@boxoffice/runtime';
import type { WorkResult } from '@boxoffice/service';
import type { PaymentsContext } from '../context.ts';
import { abandon, computeExpiry, computeNextAsk, toShownState } from '../domain/payment.ts';
import { planOfOver } from '../keys/keys.ts';
import type { PaymentDocument } from '../store.ts';
import { closeNow } from './close.ts';
import { readAndApply } from './read.ts';
import { report } from './report.ts';

/** For each payment at most once in this time, over all instances. */
const LOOK_EVERY_MS = 5_000;
/** For which a buyer waits: the caller gives up after 3 s. */
const WAIT_MS = 2_500;
const SHOWN = 20;

export async function lookAtOrder(context: PaymentsContext, institution: string, orderId: string) {
  const payments = context.payments.of(institution);
  const list = () =>
    payments.find({ where: { orderId }, orderBy: 'createdAt', descending: true, limit: SHOWN, index: 'order' });
  const found = await list();
  const looked = await Promise.all(found.map((payment) => lookAsBuyer(context, payment)));
  const shown = looked.some(Boolean) ? await list() : found;
  return { payments: shown.filter(({ reference }) => reference !== null).map((payment) => toView(context, payment)) };
}

const toView = ({ now }: PaymentsContext, payment: PaymentDocument) => {
  const expiry = computeExpiry(payment);
  const isPayable = payment.state === 'pending' && !payment.undecided && now() < expiry;
  return {
    paymentId: payment.id,
    state: toShownState(payment),
    url: isPayable ? payment.url : null,
    expiresAt: new Date(expiry).toISOString(),
  };
};

const lookAsBuyer = async (context: PaymentsContext, payment: PaymentDocument): Promise<boolean> => {
  if (payment.state !== 'pending' && payment.reported) return false;
  const { institution, id } = payment;
  let isOurs = false;
  const current = await context.payments.of(institution).update(id, (stored) => {
    const now = context.now();
    isOurs = stored.lookedAt === null || now - stored.lookedAt >= LOOK_EVERY_MS;
    return isOurs ? { next: { ...stored, lookedAt: now } } : undefined;
  });
  if (!isOurs || !current) return false;
  const looking = readAndApply(context, current).catch((error: unknown) =>
    context.log.warn('a payment could not be looked at', { institution, payment: id, error }),
  );
  await settleWithin(looking, WAIT_MS, () => undefined);
  return true;
};

/** Due work: what the provider says is recorded here and reported; until nothing can change any more. */
export async function ask(context: PaymentsContext, payment: PaymentDocument): Promise<WorkResult> {
  const now = context.now();
  if (payment.state === 'opening') {
    if (now < payment.endsAt) return { again: payment.endsAt };
    const change = (current: PaymentDocument) =>
      current.state === 'opening' && current.endsAt <= now ? { next: abandon(current, now) } : undefined;
    await context.payments.of(payment.institution).update(payment.id, change);
    return 'done';
  }
  try {
    const current = await readWhatCanChange(context, payment);
    if (current.state === 'pending') await closeUnlessWanted(context, current);
    const next = computeNextAsk(current, context.now());
    return next === null ? 'done' : { again: next };
  } catch (error) {
    if (payment.state !== 'captured') throw error;
    return planOfOver(context, error, { institution: payment.institution, payment: payment.id });
  }
}

const readWhatCanChange = (context: PaymentsContext, payment: PaymentDocument): Promise<PaymentDocument> =>
  payment.state === 'failed' || payment.state === 'expired' ? report(context, payment) : readAndApply(context, payment);

const closeUnlessWanted = async (context: PaymentsContext, payment: PaymentDocument): Promise<void> => {
  const answer = await context.orders.reportPayment(payment.institution, payment);
  if (answer?.wanted !== true) await closeNow(context, payment);
};
