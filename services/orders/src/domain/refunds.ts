// Refunds that somebody has made and records.

import { accept, type Decision, type Refused, refuse } from './decisions.ts';
import { addRefund, computeNet, isAmountList } from './order/money.ts';
import type { Creator, Order } from './order/order.ts';
import { markModified } from './order/state.ts';

/** Of a payment or a refund. */
export interface MoneyInput {
  /** The same for a repeat of the request. */
  readonly id: string;
  readonly method: string;
  readonly amount: number;
  readonly currency?: string;
  readonly reference?: string | null;
  readonly createdBy?: Creator | undefined;
}

export function checkMoney(
  order: Order,
  { amount, currency }: Pick<MoneyInput, 'amount' | 'currency'>,
): Refused | undefined {
  if (!isAmountList([amount], 1)) return refuse('invalid_amount', '$.amount must be a whole number above 0.');
  return currency === undefined || currency === order.currency
    ? undefined
    : refuse('currency_mismatch', `$.currency must be ${order.currency}, the currency of the order.`);
}

export function toMoneyRecord(
  { currency }: Order,
  { id, method, amount, reference = null, createdBy }: MoneyInput,
  now: number,
) {
  return { id, method, amount, currency, reference, ...(createdBy && { createdBy }), createdAt: now };
}

export function hasRefund({ refunds }: Pick<Order, 'refunds'>, id: string): boolean {
  return refunds.some((refund) => refund.id === id);
}

/** A sale, or a change that is paid for, relies on the money. */
export function checkRefundable({ saleDue, changes }: Order): Refused | undefined {
  const isChanging = changes?.some(({ state, coveredAt }) => state === 'pending' && coveredAt !== null);
  return saleDue || isChanging ? refuse('sale_due') : undefined;
}

/**
 * In every state; a known id changes nothing. Refused: `sale_due` before a sale or a change that relies on the money,
 * `exceeds_paid` (all refunds together), `invalid_amount`, `currency_mismatch`.
 */
export function refund<O extends Order>(order: O, input: MoneyInput, now: number): Decision<O> {
  if (hasRefund(order, input.id)) return accept(order);
  const refused = checkRefundable(order) ?? checkMoney(order, input);
  if (refused) return refused;
  const rest = Math.max(0, computeNet(order));
  if (input.amount > rest)
    return refuse('exceeds_paid', `$.amount is ${input.amount}, but only ${rest} is captured and not refunded.`);
  return accept(markModified(addRefund(order, toMoneyRecord(order, input, now)), now));
}
