import { accept, type Decision, refuse } from './order/decision.ts';
import { areAmounts, paid, refunded } from './order/money.ts';
import type { Order, Refund } from './order/order.ts';
import { busy, touched, wrongState } from './order/state.ts';

/** The refund that an earlier attempt of the same request recorded. */
export const refundOfRequest = (order: Order, repeatKey: string | null): Refund | undefined =>
  repeatKey === null ? undefined : order.refunds.find(({ request }) => request === repeatKey);

/**
 * Records a refund, in every state. It waits (`busy`) only for a pending sale, which relies on the money. A known
 * `repeatKey` changes nothing. Refused: `exceeds_paid` if all refunds together exceed what was captured,
 * `invalid_amount`, `currency_mismatch`.
 */
export const refund = <O extends Order>(
  order: O,
  input: {
    readonly id: string;
    readonly method: string;
    readonly amount: number;
    readonly currency?: string;
    readonly reference: string | null;
    readonly repeatKey: string | null;
  },
  now: number,
): Decision<O> => {
  if (order.state === 'draft') return wrongState(order, 'refunded');
  if (refundOfRequest(order, input.repeatKey)) return accept(order);
  if (order.pendingStep?.step === 'confirm') return busy();
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
    request: input.repeatKey,
    createdAt: now,
  };
  return accept(touched({ ...order, refunds: [...order.refunds, record] }, now));
};
