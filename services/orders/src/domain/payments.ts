import { type Accepted, accept, acceptButRefuse, type Decision, type Refused, refuse } from './decisions.ts';
import { addRaisedCredit } from './order/credit.ts';
import {
  addRefund,
  computeDue,
  computeNet,
  computePaid,
  isAmountList,
  isPaidInFull,
  putPayment,
} from './order/money.ts';
import { type Creator, type Order, type Payment, states } from './order/order.ts';
import {
  checkDecidable,
  endIfDue,
  endWaiting,
  endWaitingIfNonePending,
  isUnpaid,
  markModified,
} from './order/state.ts';

export interface PaymentInput {
  /** The same for a repeat of the request. */
  readonly id: string;
  readonly method: string;
  readonly amount: number;
  readonly currency?: string;
  readonly reference?: string | null;
  readonly status: 'captured' | 'pending';
  readonly createdBy?: Creator | undefined;
  /** Captured money beyond what is due, of an order in whatever state. */
  readonly overpaid?: boolean | undefined;
  /** After `expiresAt`: a pending payment may still be settled, and the places are held. */
  readonly graceMs: number;
}

export function hasPayment({ payments }: Pick<Order, 'payments'>, id: string): boolean {
  return payments.some((payment) => payment.id === id);
}

/**
 * Captured in full its sale is due, also of an expired order; pending it makes the order wait. A known id changes
 * nothing. `overpaid`: what does not pay is credit, and stays it. Refused: `overpaid_pending`, `exceeds_due`,
 * `invalid_amount`, `currency_mismatch`, `wrong_state`.
 */
export function addPayment<O extends Order>(order: O, input: PaymentInput, now: number): Decision<O> {
  if (hasPayment(order, input.id)) return accept(order);
  const open = ['open', 'reserved', 'payment_pending', 'confirmed'] as const;
  const isOverpaid = input.overpaid === true;
  if (isOverpaid && input.status === 'pending') return refuse('overpaid_pending');
  const late = isOverpaid ? states : [...open, 'expired' as const];
  const refused = checkDecidable(order, input.status === 'captured' ? late : open, 'paid', now);
  if (refused) return refused;
  const odd = checkMoney(order, input) ?? checkSum(order, input);
  if (odd) return odd;
  const rest = computeDue(order);
  if (input.amount > rest && !isOverpaid)
    return refuse('exceeds_due', `$.amount is ${input.amount}, but only ${rest} is due.`);
  const payment: Payment = { ...toRecord(order, input, now), status: input.status, updatedAt: now };
  const recorded = markModified({ ...order, payments: [...order.payments, payment] }, now);
  if (input.status === 'pending') return accept(waitForPayment(recorded, input, now));
  if (!isOverpaid) return capture(order, recorded, input.id, now);
  const { next, facts } = applyCapture(recorded, input.id, now);
  return accept(next, ...facts);
}

export function checkMoney(
  order: Order,
  { amount, currency }: Pick<RefundInput, 'amount' | 'currency'>,
): Refused | undefined {
  if (!isAmountList([amount], 1)) return refuse('invalid_amount', '$.amount must be a whole number above 0.');
  return currency === undefined || currency === order.currency
    ? undefined
    : refuse('currency_mismatch', `$.currency must be ${order.currency}, the currency of the order.`);
}

const checkSum = (order: Order, { amount }: Pick<Payment, 'amount'>): Refused | undefined =>
  isAmountList([computePaid(order), amount]) ? undefined : refuse('invalid_amount', 'More than an order can count.');

const toRecord = (
  { currency }: Order,
  { id, method, amount, reference = null, createdBy }: RefundInput,
  now: number,
) => ({
  id,
  method,
  amount,
  currency,
  reference,
  ...(createdBy && { createdBy }),
  createdAt: now,
});

/** The sale of an order that it covers; otherwise the end of waiting. */
export function applyCapture<O extends Order>(order: O, paymentId: string, now: number): Accepted<O> {
  const late = order.state === 'expired';
  const canBeSold = order.lines.length > 0 && (late || isUnpaid(order));
  if (canBeSold && isPaidInFull(order)) return accept({ ...order, saleDue: { since: now, paymentId } });
  if (late) return acceptButRefuse(accept(order), refuse('late_and_unpaid'), paymentId);
  return accept(endWaitingIfNonePending(order, now));
}

/** It holds its places for the grace period too. */
const waitForPayment = <O extends Order>(order: O, { graceMs }: PaymentInput, now: number): O => {
  if (order.state === 'payment_pending' || !isUnpaid(order)) return order;
  return {
    ...order,
    state: 'payment_pending',
    cameFrom: order.state === 'reserved' ? 'reserved' : 'open',
    deadline: (order.expiresAt ?? now) + graceMs,
  };
};

/**
 * In every state: captured money is always recorded, so that it can be refunded. The same status again changes nothing,
 * but `captured` on a cancelled order repeats its answer, and on an expired one tries the sale again. Refused:
 * `unknown_payment`, `payment_by_provider`, `payment_final`.
 */
export function settlePayment<O extends Order>(
  order: O,
  report: { readonly paymentId: string; readonly status: Payment['status'] },
  now: number,
): Decision<O> {
  const refused = checkDecidable(order, states, 'paid', now);
  if (refused) return refused;
  const payment = order.payments.find(({ id }) => id === report.paymentId);
  if (!payment) return refuse('unknown_payment');
  if (payment.provider !== undefined) return refuse('payment_by_provider');
  const again = payment.status === report.status;
  if (again && report.status === 'captured' && order.state === 'cancelled')
    return refuseAfterCancellation(order, payment.id);
  if (again && (report.status !== 'captured' || order.state !== 'expired')) return accept(order);
  if (again) return applyCapture(order, payment.id, now);
  if (payment.status !== 'pending' || report.status === 'pending')
    return refuse('payment_final', `The payment is ${payment.status} and cannot become ${report.status}.`);
  const settled = { ...payment, status: report.status, updatedAt: now };
  const recorded = markModified(putPayment(order, settled), now);
  if (report.status === 'failed') return applyFailure(recorded, now);
  return checkSum(order, payment) ?? capture(order, recorded, payment.id, now);
}

/** A late or second one is credit that goes back by itself. */
const capture = <O extends Order>(before: O, recorded: O, paymentId: string, now: number): Accepted<O> => {
  const captured =
    recorded.state === 'cancelled'
      ? refuseAfterCancellation(recorded, paymentId)
      : applyCapture(recorded, paymentId, now);
  return { ...captured, next: addRaisedCredit(before, captured.next, now) };
};

/** Captured money is recorded and must be refunded. */
const refuseAfterCancellation = <O extends Order>(order: O, paymentId: string): Accepted<O> =>
  acceptButRefuse(accept(order), refuse('paid_after_cancellation'), paymentId);

/** Back in its previous state and deadline once no payment is pending. */
export function applyFailure<O extends Order>(order: O, now: number): Accepted<O> {
  if (order.state !== 'payment_pending' || order.payments.some(({ status }) => status === 'pending'))
    return accept(order);
  return endIfDue(endWaiting(order, now), now);
}

export type RefundInput = Omit<PaymentInput, 'status' | 'graceMs'>;

export function hasRefund({ refunds }: Pick<Order, 'refunds'>, id: string): boolean {
  return refunds.some((refund) => refund.id === id);
}

/**
 * In every state; a known id changes nothing. Refused: `sale_due` before a sale that relies on the money,
 * `exceeds_paid` (all refunds together), `invalid_amount`, `currency_mismatch`.
 */
export function refund<O extends Order>(order: O, input: RefundInput, now: number): Decision<O> {
  if (hasRefund(order, input.id)) return accept(order);
  if (order.saleDue) return refuse('sale_due');
  const odd = checkMoney(order, input);
  if (odd) return odd;
  const rest = Math.max(0, computeNet(order));
  if (input.amount > rest)
    return refuse('exceeds_paid', `$.amount is ${input.amount}, but only ${rest} is captured and not refunded.`);
  return accept(markModified(addRefund(order, toRecord(order, input, now)), now));
}
