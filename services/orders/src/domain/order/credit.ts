// Credit that the service refunds by itself (commerce, section 3, rule 4): it is due work of the order.

import { computeCredit } from './money.ts';
import type { Order } from './order.ts';

/** `amount` more is to be refunded, if a provider has captured money that it can go back to. */
export function addCreditDue<O extends Order>(order: O, amount: number, now: number): O {
  const canGoBack = order.payments.some(({ provider, status }) => provider !== undefined && status === 'captured');
  if (amount <= 0 || !canGoBack) return order;
  const { since = now, amount: before = 0 } = order.creditDue ?? {};
  return { ...order, creditDue: { since, amount: before + amount } };
}

/** By as much as its credit is above what it was in `before`. */
export function addRaisedCredit<O extends Order>(before: Order, order: O, now: number): O {
  return addCreditDue(order, computeCredit(order) - computeCredit(before), now);
}
