import type { OrdersContext } from '../context.ts';
import { due } from '../domain/order/money.ts';
import type { Payment } from '../domain/order/order.ts';
import { isUnpaid } from '../domain/order/state.ts';
import { addPayment, hasPayment, settlePayment } from '../domain/payments.ts';
import { faultOf, isUnavailable } from '../faults.ts';
import { sellPending } from '../orders/confirm.ts';
import { type Command, type CommandResult, runCommand } from '../steps/command.ts';
import { holdLonger } from '../steps/extend-hold.ts';
import { whileOwningStep } from '../steps/step-ownership.ts';
import type { OrderDocument } from '../store.ts';

/** A payment as requested. */
export interface PaymentRequest {
  /** The same for a repeat of the request. */
  readonly id: string;
  readonly method: string;
  readonly amount: number;
  readonly currency?: string;
  readonly reference?: string;
  readonly status: 'captured' | 'pending';
}

/** Refuses a repeat whose first attempt recorded the money but found the places gone. */
const refuseUnconfirmed = (order: OrderDocument, paymentId: string): void => {
  const payment = order.payments.find(({ id }) => id === paymentId);
  const wasPaid = due(order) === 0 && order.lines.length > 0;
  if (payment?.status !== 'captured' || !(order.state === 'expired' || (isUnpaid(order) && wasPaid))) return;
  throw faultOf({
    reason: 'places_gone',
    details: 'The payment is recorded, but the order could not be confirmed.',
    recorded: { orderId: order.id, paymentId },
  });
};

/** Extends the hold while the payment is pending. The payment is recorded whether or not the catalog answers. */
const wait = async (
  context: OrdersContext,
  order: OrderDocument,
  idempotencyRecord: Command['idempotencyRecord'],
): Promise<OrderDocument> => {
  const pending = order.pendingStep;
  if (pending?.step !== 'extend') return order;
  try {
    return await whileOwningStep(context, order, () => holdLonger(context, order, pending, idempotencyRecord));
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return order;
  }
};

/** Executes the step that a payment began. @throws Fault `payment_recorded`, `service_unavailable` */
export const executeStep = async (
  context: OrdersContext,
  { order, done }: CommandResult,
  idempotencyRecord: Command['idempotencyRecord'],
): Promise<OrderDocument> => {
  if (done) return order;
  return order.pendingStep?.step === 'extend'
    ? wait(context, order, idempotencyRecord)
    : sellPending(context, order, idempotencyRecord);
};

/**
 * Records a payment in the same write that begins the step which follows from it, so that no money is lost. Captured
 * in full it confirms the order, also an expired one if its places can be held again. @throws Fault
 * `payment_exceeds_due`, `semantically_invalid`, `payment_recorded`; `service_unavailable`: the payment is recorded,
 * and recovery confirms the order
 */
export const payOrder = async (
  context: OrdersContext,
  command: Command,
  requested: PaymentRequest,
): Promise<OrderDocument> => {
  const { idempotencyRecord } = command;
  const { graceMs } = context;
  const input = { ...requested, reference: requested.reference ?? null, graceMs };
  const result = await runCommand(
    context,
    command,
    (current, request, now) => addPayment(current, { ...input, request }, now),
    { isMade: (current) => hasPayment(current, requested.id) },
  );
  const order = await executeStep(context, result, idempotencyRecord);
  if (result.done) refuseUnconfirmed(order, requested.id);
  return order;
};

/** Records that a pending payment was captured or failed. @throws Fault as for a new payment, and `not_found` */
export const settleOrderPayment = async (
  context: OrdersContext,
  command: Command,
  paymentId: string,
  status: Payment['status'],
): Promise<OrderDocument> => {
  const result = await runCommand(context, command, (current, request, now) =>
    settlePayment(current, { paymentId, status, request }, now),
  );
  return executeStep(context, result, command.idempotencyRecord);
};
