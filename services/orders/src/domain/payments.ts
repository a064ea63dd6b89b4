import { findChange } from './changes/change.ts';
import { computePayable, markCovered, stopWaitingForChange, waitForChange } from './changes/paying.ts';
import { type Accepted, accept, acceptButRefuse, type Decision, type Refused, refuse } from './decisions.ts';
import { addRaisedCredit } from './order/credit.ts';
import { computeDue, computePaid, isAmountList, isPaidInFull, putPayment } from './order/money.ts';
import { type Order, type Payment, states } from './order/order.ts';
import {
  checkDecidable,
  endIfDue,
  endWaiting,
  endWaitingIfNonePending,
  isUnpaid,
  markModified,
} from './order/state.ts';
import { checkMoney, type MoneyInput, toMoneyRecord } from './refunds.ts';

export interface PaymentInput extends MoneyInput {
  readonly status: 'captured' | 'pending';
  /** For which it pays, instead of what is due of the order. */
  readonly changeId?: string | undefined;
  /** Captured money beyond what is due, of an order in whatever state. */
  readonly overpaid?: boolean | undefined;
  /** After `expiresAt`: a pending payment may still be settled, and the places are held. */
  readonly graceMs: number;
}

export function hasPayment({ payments }: Pick<Order, 'payments'>, id: string): boolean {
  return payments.some((payment) => payment.id === id);
}

/**
 * Captured in full its sale is due, also of an expired order; pending it makes the order, or its change, wait. A known
 * id changes nothing. `overpaid`: what does not pay is credit, and stays it. Refused: `overpaid_pending`, `exceeds_due`,
 * `invalid_amount`, `currency_mismatch`, `invalid_reference` (of the change), `change_final`, `wrong_state`.
 */
export function addPayment<O extends Order>(order: O, input: PaymentInput, now: number): Decision<O> {
  if (hasPayment(order, input.id)) return accept(order);
  const open = ['open', 'reserved', 'payment_pending', 'confirmed'] as const;
  const isOverpaid = input.overpaid === true;
  if (isOverpaid && input.status === 'pending') return refuse('overpaid_pending');
  const { changeId } = input;
  const change = findChange(order, changeId);
  const late = isOverpaid || change?.state === 'lapsed' ? states : [...open, 'expired' as const];
  const refused = checkDecidable(order, input.status === 'captured' ? late : open, 'paid', now);
  if (refused) return refused;
  const odd = checkMoney(order, input) ?? checkSum(order, input);
  if (odd) return odd;
  if (changeId !== undefined && !change) return refuse('invalid_reference', '$.changeId is no change of the order.');
  if (change?.state === 'lapsed' && input.status === 'pending')
    return refuse('change_final', 'The change has lapsed, so that no payment for it can be waited for.');
  const rest = change ? computePayable(order, change) : computeDue(order);
  if (input.amount > rest && !isOverpaid)
    return refuse('exceeds_due', `$.amount is ${input.amount}, but only ${rest} is due.`);
  const payment: Payment = {
    ...{ ...toMoneyRecord(order, input, now), status: input.status, updatedAt: now },
    ...(changeId !== undefined && { changeId }),
  };
  const recorded = markModified({ ...order, payments: [...order.payments, payment] }, now);
  if (input.status === 'pending') return accept(waitForPayment(recorded, input, now));
  if (!isOverpaid) return capture(order, recorded, input.id, now);
  const { next, facts } = applyCapture(recorded, input.id, now);
  return accept(next, ...facts);
}

const checkSum = (order: Order, { amount }: Pick<Payment, 'amount'>): Refused | undefined =>
  isAmountList([computePaid(order), amount]) ? undefined : refuse('invalid_amount', 'More than an order can count.');

/** The change that it covers, or the sale of the order; otherwise the end of waiting. */
export function applyCapture<O extends Order>(order: O, paymentId: string, now: number): Accepted<O> {
  const { changeId } = order.payments.find(({ id }) => id === paymentId) ?? {};
  if (changeId !== undefined && order.state === 'confirmed') return applyToChange(order, changeId, paymentId, now);
  const late = order.state === 'expired';
  const canBeSold = order.lines.length > 0 && (late || isUnpaid(order));
  if (canBeSold && isPaidInFull(order)) return accept({ ...order, saleDue: { since: now, paymentId } });
  if (late) return acceptButRefuse(accept(order), refuse('late_and_unpaid'), paymentId);
  return accept(endWaitingIfNonePending(order, now));
}

const applyToChange = <O extends Order>(order: O, changeId: string, paymentId: string, now: number): Accepted<O> => {
  const covered = markCovered(order, changeId, now);
  if (covered !== order) return accept(covered);
  return findChange(order, changeId)?.state === 'lapsed'
    ? acceptButRefuse(accept(order), refuse('change_lapsed'), paymentId)
    : accept(stopWaitingForChange(order, changeId));
};

/** It holds its places for the grace period too. */
const waitForPayment = <O extends Order>(order: O, { graceMs, changeId }: PaymentInput, now: number): O => {
  if (changeId !== undefined)
    return waitForChange(order, changeId, (findChange(order, changeId)?.expiresAt ?? now) + graceMs);
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
 * but `captured` on a cancelled order repeats its answer, and on an expired one, or of a lapsed change, tries again.
 * Refused: `unknown_payment`, `payment_by_provider`, `payment_final`.
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
  const isLate = order.state === 'expired' || findChange(order, payment.changeId)?.state === 'lapsed';
  if (again && (report.status !== 'captured' || !isLate)) return accept(order);
  if (again) return applyCapture(order, payment.id, now);
  if (payment.status !== 'pending' || report.status === 'pending')
    return refuse('payment_final', `The payment is ${payment.status} and cannot become ${report.status}.`);
  const settled = { ...payment, status: report.status, updatedAt: now };
  const recorded = markModified(putPayment(order, settled), now);
  if (report.status === 'failed') return applyFailure(recorded, payment, now);
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

/** Back in its previous state and deadline once no payment is pending, or its change is. */
export function applyFailure<O extends Order>(order: O, { changeId }: Payment, now: number): Accepted<O> {
  if (changeId !== undefined) return accept(stopWaitingForChange(order, changeId));
  if (order.state !== 'payment_pending' || order.payments.some(({ status }) => status === 'pending'))
    return accept(order);
  return endIfDue(endWaiting(order, now), now);
}
