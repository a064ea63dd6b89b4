import { isHoldUncertain, RefusedOrder, toFault } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { findPendingChange } from '../domain/changes/change.ts';
import { computeDue } from '../domain/order/money.ts';
import type { Payment } from '../domain/order/order.ts';
import { isUnpaid } from '../domain/order/state.ts';
import { addPayment, hasPayment, type PaymentInput, settlePayment } from '../domain/payments.ts';
import { type ProviderRefundInput, refundByProvider } from '../domain/provider-refunds.ts';
import { hasRefund, type MoneyInput, refund } from '../domain/refunds.ts';
import { holdUntil } from '../orders/actions.ts';
import { finishIfPaid, finishPaidChange, holdNewUntil } from '../saga/change.ts';
import { type Command, runCommand, runStockFirst } from '../saga/command.ts';
import { sell, sellIfDue } from '../saga/sell.ts';
import { shortenHold } from '../saga/shorten.ts';
import type { OrderDocument } from '../store.ts';

/** Milliseconds for which a payment that is pending is waited for. 0 if places are gone, or the catalog does not answer: nobody knows then for how long they are held. */
export async function holdForGrace(context: OrdersContext, order: OrderDocument, next: OrderDocument): Promise<number> {
  const { graceMs } = context;
  const change = findPendingChange(next);
  const isLonger = change && change.deadline !== findPendingChange(order)?.deadline;
  if (!isLonger && (next.state !== 'payment_pending' || order.state === 'payment_pending')) return graceMs;
  try {
    if (isLonger) await holdNewUntil(context, order, change, change.deadline ?? 0);
    else await holdUntil(context, order, next.deadline ?? 0);
    return graceMs;
  } catch (error) {
    if (isHoldUncertain(error)) return 0;
    throw error;
  }
}

/**
 * A captured payment is written first, so that no money is lost, then the order is sold, or its change done. @throws Fault `payment_exceeds_due`,
 * `semantically_invalid`, `payment_recorded`; `service_unavailable`: the payment is recorded, and the sale stays due
 */
export async function payOrder(
  context: OrdersContext,
  command: Command,
  requested: Omit<PaymentInput, 'graceMs'>,
): Promise<OrderDocument> {
  const add = (graceMs: number) => (order: OrderDocument, now: number) =>
    addPayment(order, { ...requested, graceMs }, now);
  const own = { ...command, isMade: (order: OrderDocument) => hasPayment(order, requested.id) };
  const rule = add(context.graceMs);
  if (requested.status === 'pending') {
    const effect = (order: OrderDocument, next: OrderDocument) => holdForGrace(context, order, next);
    return (await runStockFirst(context, own, { rule, effect, write: add })).order;
  }
  const { order: recorded, done } = await runCommand(context, own, rule);
  const { changeId, overpaid } = requested;
  if (changeId !== undefined) {
    const finish = overpaid ? finishIfPaid : finishPaidChange;
    return finish(context, recorded, changeId, command.idempotencyRecord);
  }
  const sold = await (overpaid ? sellOrCredit : sell)(context, recorded, command.idempotencyRecord);
  const order = done ? sold : await shortenHold(context, sold, command.idempotencyRecord);
  if (done && !overpaid) refuseUnconfirmed(order, requested.id);
  return order;
}

/** Of an order that cannot be sold the money is credit. @throws Fault `service_unavailable`: the sale stays due */
const sellOrCredit: typeof sell = async (context, order, idempotencyRecord) => {
  try {
    return await sell(context, order, idempotencyRecord);
  } catch (error) {
    if (!(error instanceof RefusedOrder)) throw error;
    return (await context.orders.of(order.institution).get(order.id)) ?? order;
  }
};

/** The first attempt recorded the money but found the places gone. */
const refuseUnconfirmed = (order: OrderDocument, paymentId: string): void => {
  const payment = order.payments.find(({ id }) => id === paymentId);
  const wasPaid = computeDue(order) === 0 && order.lines.length > 0;
  if (payment?.status !== 'captured' || !(order.state === 'expired' || (isUnpaid(order) && wasPaid))) return;
  throw toFault({
    reason: 'places_gone',
    details: 'The payment is recorded, but the order could not be confirmed.',
    recorded: { orderId: order.id, paymentId },
  });
};

/** @throws Fault as for a new payment, and `not_found` */
export async function settleOrderPayment(
  context: OrdersContext,
  command: Command,
  paymentId: string,
  status: Payment['status'],
): Promise<OrderDocument> {
  const { order, done } = await runCommand(context, command, (current, now) =>
    settlePayment(current, { paymentId, status }, now),
  );
  const { changeId } = order.payments.find(({ id }) => id === paymentId) ?? {};
  if (changeId !== undefined && status === 'captured')
    return finishPaidChange(context, order, changeId, command.idempotencyRecord);
  if (order.saleDue?.paymentId === paymentId) return sell(context, order, command.idempotencyRecord);
  if (order.saleDue) return sellIfDue(context, order);
  return done ? order : shortenHold(context, order, command.idempotencyRecord);
}

/**
 * Sells an order first whose sale is due. A provider's is requested with its record. @throws Fault `conflict`,
 * `payment_disputed`, `refund_exceeds_paid`, `semantically_invalid`
 */
export async function refundOrder(
  context: OrdersContext,
  command: Command,
  requested: MoneyInput | ProviderRefundInput,
): Promise<OrderDocument> {
  const own = { ...command, isMade: (order: OrderDocument) => hasRefund(order, requested.id) };
  const { order } = await runCommand(context, own, (current, now) =>
    'provider' in requested ? refundByProvider(current, requested, now) : refund(current, requested, now),
  );
  return order;
}
