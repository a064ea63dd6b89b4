import type { Order } from './order.ts';

/** The sum of integers. @throws RangeError if it is not exact */
const sum = (amounts: readonly number[]): number =>
  amounts.reduce((subtotal, amount) => {
    const next = subtotal + amount;
    if (!Number.isSafeInteger(next)) throw new RangeError('the sum of the amounts is not a safe integer');
    return next;
  }, 0);

/** Whether the amounts are integers from `least` up and their sum is exact. */
export const areAmounts = (amounts: readonly number[], least = 0): boolean =>
  amounts.every((amount) => Number.isSafeInteger(amount) && amount >= least) &&
  Number.isSafeInteger(amounts.reduce((subtotal, amount) => subtotal + amount, 0));

/** The price of all lines, in minor units. */
export const total = ({ lines }: Pick<Order, 'lines'>): number => sum(lines.map(({ amount }) => amount));

/** Captured money in minor units; refunds do not lower it. */
export const paid = ({ payments }: Pick<Order, 'payments'>): number =>
  sum(payments.flatMap(({ status, amount }) => (status === 'captured' ? [amount] : [])));

/** Refunded money, in minor units. */
export const refunded = ({ refunds }: Pick<Order, 'refunds'>): number => sum(refunds.map(({ amount }) => amount));

/** Money still to be paid in minor units, at least 0; pending payments do not lower it. */
export const due = (order: Pick<Order, 'lines' | 'payments'>): number => Math.max(0, total(order) - paid(order));

/** Whether captured money minus refunds covers the total. `due` does not show this: refunds do not raise it. */
export const isCovered = (order: Pick<Order, 'lines' | 'payments' | 'refunds'>): boolean =>
  paid(order) - refunded(order) >= total(order);

/**
 * Whether money that was captured, and not refunded, covers the total: such an order is confirmed. A total of zero
 * alone is not paid.
 */
export const isPaidInFull = (order: Pick<Order, 'lines' | 'payments' | 'refunds'>): boolean =>
  order.lines.length > 0 && paid(order) > refunded(order) && isCovered(order);

export type PaymentStatus = 'unpaid' | 'partial' | 'paid';

/**
 * Derived from captured money. Until the order is confirmed only what was not refunded counts, as for its confirmation;
 * afterwards refunds change {@link refundStatus} alone. An order free of charge is paid, one without lines and money is
 * not.
 */
export const paymentStatus = (order: Pick<Order, 'lines' | 'payments' | 'refunds' | 'confirmedAt'>): PaymentStatus => {
  const counting = paid(order) - (order.confirmedAt === null ? refunded(order) : 0);
  if (order.lines.length === 0 && counting === 0) return 'unpaid';
  if (counting >= total(order)) return 'paid';
  return counting > 0 ? 'partial' : 'unpaid';
};

export type RefundStatus = 'none' | 'partial' | 'full';

/** Derived from the refunds: full once all captured money was refunded. */
export const refundStatus = (order: Pick<Order, 'payments' | 'refunds'>): RefundStatus => {
  const back = refunded(order);
  if (back === 0) return 'none';
  return back < paid(order) ? 'partial' : 'full';
};
