import type { WorkResult } from '@boxoffice/service';
import { connectWith, type PaymentsContext } from '../context.ts';
import type { ProviderAmount } from '../domain/amount.ts';
import {
  applyRefund,
  beginAttempt,
  computeNextLook,
  failRefund,
  markBroken,
  mayRepeatAttempt,
  type ProviderRefund,
  type RefundRequest,
} from '../domain/refund.ts';
import { findKeys } from '../keys/keys.ts';
import { type Provider, ProviderFault } from '../provider/port.ts';
import { toProviderAmount } from '../provider/units.ts';
import type { PaymentDocument, RefundDocument } from '../store.ts';

/** Who finds a new state reports it. Milliseconds. */
const BY_ITSELF_MS = 10_000;

/** Due work: until the refund is done or has failed, and a while longer, since a bank may return it. */
export async function refund(context: PaymentsContext, document: RefundDocument): Promise<WorkResult> {
  const reported = await report(context, document);
  const isOver = reported.state === 'failed';
  const current = isOver ? reported : await report(context, await refundAtProvider(context, reported));
  const next = computeNextLook(current, context.now());
  return next === null ? 'done' : { again: next };
}

/** Looks for it first, unless it was never sent. @throws where the provider does not answer */
const refundAtProvider = async (context: PaymentsContext, document: RefundDocument): Promise<RefundDocument> => {
  const { institution } = document;
  const payment = await context.payments.of(institution).get(document.paymentId);
  const keys = payment && (await findKeys(context, institution, payment.provider));
  if (!payment || !keys) throw new Error('the payment provider has no keys, or the payment is gone');
  const provider = connectWith(context, keys);
  const { charge } = payment;
  if (charge === null) throw new Error('the payment was not captured');
  const found = await findAtProvider(provider, document, charge);
  if (found) return record(context, document, found);
  // Made and not there any more: not ours to repeat.
  if (document.reference !== null) return document;
  return send(context, await store(context, document, createRequest(document, payment, charge)), provider);
};

const findAtProvider = async (
  provider: Provider,
  { id, attempt }: RefundDocument,
  charge: string,
): Promise<ProviderRefund | undefined> =>
  attempt === 0 ? undefined : (await provider.listRefunds(charge)).find(({ refundId }) => refundId === id);

const createRequest = (
  { id: refundId, paymentId, orderId, institution, purpose, amount, currency }: RefundDocument,
  { mismatch }: PaymentDocument,
  charge: string,
): RefundRequest => {
  const whole: ProviderAmount | undefined =
    purpose === 'mismatch' ? mismatch && { amount: mismatch.amount, currency: mismatch.currency } : undefined;
  const expressed = whole ?? toProviderAmount(amount ?? 0, currency);
  if (!expressed) throw new Error('the provider’s unit cannot express the refund');
  return { ...expressed, refundId, paymentId, orderId, institution, charge };
};

/** The attempt is stored before it is sent. */
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
    if (error.refusal === 'broken') await change(context, document, markBroken);
    if (error.refusal !== 'refused' && error.refusal !== 'not_found') throw error;
    // Perhaps since an earlier attempt has made it.
    const made = await findAtProvider(provider, document, request.charge);
    if (made) return record(context, document, made);
    const { institution, orderId: order } = document;
    const code = error.code === null ? {} : { code: error.code };
    context.log.error('the payment provider has refused a refund', { institution, order, id, ...code });
    return changed(context, document, (current) => failRefund(current, context.now()));
  }
};

const record = (context: PaymentsContext, document: RefundDocument, found: ProviderRefund) =>
  changed(context, document, (current) => applyRefund(current, found, context.now()));

/** A new state is due to be reported. */
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

/** That of a mismatch is no refund of the order. @throws where orders does not answer */
const report = async (context: PaymentsContext, document: RefundDocument): Promise<RefundDocument> => {
  if (document.reported) return document;
  const { institution, id, purpose, state } = document;
  if (purpose === 'order') await context.orders.reportRefund(institution, document);
  const updated = await context.refunds.of(institution).update(id, (current) => {
    if (current.reported || current.state !== state) return undefined;
    const next = { ...current, reported: true };
    return { next, due: { refund: computeNextLook(next, context.now()) } };
  });
  return updated ?? document;
};
