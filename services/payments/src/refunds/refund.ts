import type { WorkResult } from '@boxoffice/service';
import { BY_ITSELF_MS, type PaymentsContext } from '../context.ts';
import type { ProviderAmount } from '../domain/amount.ts';
import {
  applyRefund,
  beginAttempt,
  computeNextLook,
  failRefund,
  mayRepeatAttempt,
  type ProviderRefund,
  planRenewal,
  type RefundRequest,
} from '../domain/refund.ts';
import { connectFor, isForeign, planOfOver } from '../keys/keys.ts';
import { type Provider, ProviderFault } from '../provider/port.ts';
import { toProviderAmount } from '../provider/units.ts';
import type { PaymentDocument, RefundDocument } from '../store.ts';

/** Due work: until the refund is done or has failed, and a while longer, since a bank may return it. */
export async function refund(context: PaymentsContext, document: RefundDocument): Promise<WorkResult> {
  const reported = await report(context, document);
  const { institution, id, orderId: order, state } = reported;
  let looked = reported;
  try {
    if (state !== 'failed') looked = await refundAtProvider(context, reported);
  } catch (error) {
    if (state === 'done') return planOfOver(context, error, { institution, id });
    if (!isForeign(error) && !(error instanceof Impossible)) throw error;
    context.log.error('a refund cannot be made', { institution, order, id, error });
    looked = await changed(context, reported, (current) => failRefund(current, context.now()));
  }
  const next = computeNextLook(await report(context, looked), context.now());
  return next === null ? 'done' : { again: next };
}

class Impossible extends Error {
  override readonly name = 'Impossible';
}

/** Looks for it first, unless it was never sent. */
const refundAtProvider = async (context: PaymentsContext, document: RefundDocument): Promise<RefundDocument> => {
  const payment = await context.payments.of(document.institution).get(document.paymentId);
  if (!payment) throw new Impossible('there is no such payment');
  const provider = await connectFor(context, payment);
  const { charge } = payment;
  if (charge === null) throw new Error('the payment was not captured');
  const found = await findAtProvider(context, provider, document, charge);
  if (found) return record(context, document, found);
  // Made and not there any more: not ours to repeat.
  if (document.reference !== null) return document;
  return send(context, await store(context, document, createRequest(document, payment, charge)), provider);
};

const findAtProvider = async (
  { log, metrics }: PaymentsContext,
  provider: Provider,
  { institution, id, attempt, orderId: order, reference }: RefundDocument,
  charge: string,
): Promise<ProviderRefund | undefined> => {
  if (attempt === 0) return undefined;
  const ours = (await provider.listRefunds(charge)).filter(({ refundId }) => refundId === id);
  const made = ours.filter(({ status }) => status !== 'failed');
  if (made.length > 1) {
    metrics.countRefund('doubled');
    log.error('a refund was made more than once', { institution, order, id });
  }
  return ours.find((one) => one.reference === reference) ?? made[0] ?? ours[0];
};

const createRequest = (
  { id: refundId, paymentId, orderId, institution, purpose, amount, currency }: RefundDocument,
  { mismatch }: PaymentDocument,
  charge: string,
): RefundRequest => {
  const whole: ProviderAmount | undefined =
    purpose === 'mismatch' ? mismatch && { amount: mismatch.amount, currency: mismatch.currency } : undefined;
  const expressed = whole ?? toProviderAmount(amount ?? 0, currency);
  if (!expressed) throw new Impossible('the provider’s unit cannot express its amount');
  return { ...expressed, refundId, paymentId, orderId, institution, charge };
};

const store = async (
  context: PaymentsContext,
  { institution, id }: RefundDocument,
  request: RefundRequest,
): Promise<RefundDocument> => {
  const now = context.now();
  const updated = await context.refunds.of(institution).update(id, (current) => {
    if (current.reference !== null || mayRepeatAttempt(current, now)) return undefined;
    return { next: beginAttempt(current, current.request ?? request, now) };
  });
  if (!updated) throw new Error('a refund is gone');
  return updated;
};

const send = async (
  context: PaymentsContext,
  document: RefundDocument,
  provider: Provider,
): Promise<RefundDocument> => {
  const { id, attempt, request, reference } = document;
  if (reference !== null || request === null) return document;
  try {
    return record(context, document, await provider.refund(request, `${id}.${attempt}`));
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    if (error.refusal === 'broken' || error.refusal === 'insufficient')
      await change(context, document, (current) => planRenewal(current, context.now()));
    if (error.refusal !== 'refused') throw error;
    // Perhaps since an earlier attempt has made it.
    const made = await findAtProvider(context, provider, document, request.charge);
    if (made) return record(context, document, made);
    const { institution, orderId: order } = document;
    const code = error.code === null ? {} : { code: error.code };
    context.log.error('the payment provider has refused a refund', { institution, order, id, ...code });
    return changed(context, document, (current) => failRefund(current, context.now()));
  }
};

const record = (context: PaymentsContext, document: RefundDocument, found: ProviderRefund) =>
  changed(context, document, (current) => applyRefund(current, found, context.now()));

const changed = async (
  context: PaymentsContext,
  document: RefundDocument,
  apply: (current: RefundDocument) => RefundDocument,
): Promise<RefundDocument> => {
  const updated = await change(context, document, apply);
  if (updated.state !== document.state) context.metrics.countRefund(updated.state);
  return updated;
};

const change = async (
  { refunds, now }: PaymentsContext,
  { institution, id }: RefundDocument,
  apply: (current: RefundDocument) => RefundDocument,
): Promise<RefundDocument> => {
  const updated = await refunds.of(institution).update(id, (current) => {
    const next = apply(current);
    if (next === current) return undefined;
    return { next, ...(!next.reported && { due: { refund: now() + BY_ITSELF_MS } }) };
  });
  if (!updated) throw new Error('a refund is gone');
  return updated;
};

/** Money that could not go back has to be seen again, also by who has acknowledged that it came. */
const reopenMismatch = async (
  { payments, log }: PaymentsContext,
  { institution, id, orderId: order, paymentId, state }: RefundDocument,
): Promise<void> => {
  if (state !== 'failed') return;
  log.error('the refund of money of another amount or currency has failed', { institution, order, id });
  await payments.of(institution).update(paymentId, (current) => {
    if (!current.mismatch || current.mismatch.acknowledgedAt === null) return undefined;
    return { next: { ...current, mismatch: { ...current.mismatch, acknowledgedAt: null } } };
  });
};

/** That of a mismatch is no refund of the order. @throws where orders does not answer */
const report = async (context: PaymentsContext, document: RefundDocument): Promise<RefundDocument> => {
  if (document.reported) return document;
  const { institution, id, purpose, state } = document;
  if (purpose === 'mismatch') await reopenMismatch(context, document);
  else if (!(await context.orders.reportRefund(institution, document)) && state !== 'pending')
    throw new Error(`an order does not have its refund: ${document.orderId}`);
  const updated = await context.refunds.of(institution).update(id, (current) => {
    if (current.reported || current.state !== state) return undefined;
    const next = { ...current, reported: true };
    return { next, due: { refund: computeNextLook(next, context.now()) } };
  });
  return updated ?? document;
};
