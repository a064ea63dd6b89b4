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

/** What payments and refunds are counted by. */
type Paying = Pick<Order, 'lines' | 'payments' | 'refunds' | 'confirmedAt'>;

/**
 * Captured money that pays for the order. What was refunded before its confirmation does not; later refunds give back
 * what was paid, so they leave a confirmed order paid.
 */
const paying = ({ payments, refunds, confirmedAt }: Paying): number =>
  paid({ payments }) -
  refunded({ refunds: refunds.filter(({ createdAt }) => confirmedAt === null || createdAt < confirmedAt) });

/** Money still to be paid in minor units, at least 0; pending payments do not lower it. */
export const due = (order: Paying): number => Math.max(0, total(order) - paying(order));

/** Whether captured money covers the total: such an order is confirmed. A total of zero alone is not paid. */
export const isPaidInFull = (order: Paying): boolean => order.lines.length > 0 && paying(order) > 0 && due(order) === 0;

/** Derived like {@link due}. An order free of charge is paid; one without lines is unpaid unless money was captured. */
export const paymentStatus = (order: Paying): 'unpaid' | 'partial' | 'paid' => {
  const money = paying(order);
  if (order.lines.length === 0 && money === 0) return 'unpaid';
  if (due(order) === 0) return 'paid';
  return money > 0 ? 'partial' : 'unpaid';
};

/** Derived from the refunds: full once all captured money was refunded. */
export const refundStatus = (order: Pick<Order, 'payments' | 'refunds'>): 'none' | 'partial' | 'full' => {
  const back = refunded(order);
  if (back === 0) return 'none';
  return back < paid(order) ? 'partial' : 'full';
};
