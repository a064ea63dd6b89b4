import { accept, type Decision, refuse } from './order/decision.ts';
import { areAmounts, paid, refunded } from './order/money.ts';
import type { Order, Refund } from './order/order.ts';
import { touched } from './order/state.ts';

/** Whether the order has the refund. */
export const hasRefund = ({ refunds }: Pick<Order, 'refunds'>, id: string): boolean =>
  refunds.some((refund) => refund.id === id);

/**
 * Records a refund, in every state. Refused as `sale_due` before a sale that relies on the money. A known id
 * changes nothing. Refused: `exceeds_paid` if all refunds together exceed what was captured,
 * `invalid_amount`, `currency_mismatch`.
 */
export const refund = <O extends Order>(
  order: O,
  input: {
    /** The same for a repeat of the request. */
    readonly id: string;
    readonly method: string;
    readonly amount: number;
    readonly currency?: string;
    readonly reference: string | null;
  },
  now: number,
): Decision<O> => {
  if (hasRefund(order, input.id)) return accept(order);
  if (order.saleDue) return refuse('sale_due');
  if (!areAmounts([input.amount], 1)) return refuse('invalid_amount', '$.amount must be a whole number above 0.');
  if (input.currency !== undefined && input.currency !== order.currency)
    return refuse('currency_mismatch', `$.currency must be ${order.currency}, the currency of the order.`);
  const rest = paid(order) - refunded(order);
  if (input.amount > rest)
    return refuse('exceeds_paid', `$.amount is ${input.amount}, but only ${rest} is captured and not refunded.`);
  const record: Refund = {
    id: input.id,
    method: input.method,
    amount: input.amount,
    currency: order.currency,
    reference: input.reference,
    createdAt: now,
  };
  return accept(touched({ ...order, refunds: [...order.refunds, record] }, now));
};
