import type { Order } from './order.ts';

/** From `least` up, with an exact sum. */
export function isAmountList(amounts: readonly number[], least = 0): boolean {
  return (
    amounts.every((amount) => Number.isSafeInteger(amount) && amount >= least) &&
    Number.isSafeInteger(amounts.reduce((subtotal, amount) => subtotal + amount, 0))
  );
}

/** In minor units. */
export function computeTotal({ lines }: Pick<Order, 'lines'>): number {
  return sum(lines.map(({ amount }) => amount));
}

/** @throws RangeError if the sum is not exact */
const sum = (amounts: readonly number[]): number =>
  amounts.reduce((subtotal, amount) => {
    const next = subtotal + amount;
    if (!Number.isSafeInteger(next)) throw new RangeError('the sum of the amounts is not a safe integer');
    return next;
  }, 0);

/** In minor units; refunds do not lower it. */
export function computePaid({ payments }: Pick<Order, 'payments'>): number {
  return sum(payments.flatMap(({ status, amount }) => (status === 'captured' ? [amount] : [])));
}

/** In minor units. */
export function computeRefunded({ refunds }: Pick<Order, 'refunds'>): number {
  return sum(refunds.map(({ amount }) => amount));
}

type Paying = Pick<Order, 'lines' | 'payments' | 'refunds' | 'confirmedAt'>;

/** In minor units, at least 0; pending payments do not lower it. */
export function computeDue(order: Paying): number {
  return Math.max(0, computeTotal(order) - computeNetPaid(order));
}

/** Captured, without what was refunded before the confirmation: later refunds leave a confirmed order paid. */
const computeNetPaid = ({ payments, refunds, confirmedAt }: Paying): number =>
  computePaid({ payments }) -
  computeRefunded({ refunds: refunds.filter(({ createdAt }) => confirmedAt === null || createdAt < confirmedAt) });

/** Such an order is confirmed. A total of zero alone is not paid. */
export function isPaidInFull(order: Paying): boolean {
  return order.lines.length > 0 && computeNetPaid(order) > 0 && computeDue(order) === 0;
}

/** An order free of charge is paid; one without lines is unpaid unless money was captured. */
export function computePaymentStatus(order: Paying): 'unpaid' | 'partial' | 'paid' {
  const money = computeNetPaid(order);
  if (order.lines.length === 0 && money === 0) return 'unpaid';
  if (computeDue(order) === 0) return 'paid';
  return money > 0 ? 'partial' : 'unpaid';
}

/** Full once all captured money was refunded. */
export function computeRefundStatus(order: Pick<Order, 'payments' | 'refunds'>): 'none' | 'partial' | 'full' {
  const back = computeRefunded(order);
  if (back === 0) return 'none';
  return back < computePaid(order) ? 'partial' : 'full';
}

/** What went beyond what is owed, in minor units. */
export function computeCredit({ state, ...order }: Paying & Pick<Order, 'state'>): number {
  const owed = state === 'cancelled' || state === 'expired' ? 0 : computeTotal(order);
  return Math.max(0, computePaid(order) - computeRefunded(order) - owed);
}
