// The order that one call sells (commerce, section 1): its places are sold before anybody sees it.

import { checkSellable } from './confirmation.ts';
import { accept, type Decision, isRefused, type Refused, refuse } from './decisions.ts';
import { computeTotal } from './order/money.ts';
import type { Order } from './order/order.ts';
import { addPayment, type PaymentInput } from './payments.ts';

/** What an order is sold for: captured money, or a confirmation on account or free of charge. */
export type OneCallSale = {
  /** Of the request, if it has a key. */
  readonly fingerprint?: string | undefined;
} & (
  | { readonly payment: Omit<PaymentInput, 'status' | 'currency' | 'graceMs'> }
  | { readonly confirmation: { readonly onAccount: boolean } }
);

/**
 * The open order as one call inserts it: its sale is due, and nobody sees it. It publishes no facts, and its places do
 * not count as held. Refused: `total_differs` unless the payment is the total; `unpaid`, `empty` if it may not be
 * confirmed without a payment; `invalid_amount`.
 */
export function beginOneCallSale<O extends Order>(order: O, sale: OneCallSale, now: number): Decision<O> {
  const decision = 'payment' in sale ? pay(order, sale.payment, now) : beConfirmed(order, sale.confirmation, now);
  if (isRefused(decision)) return decision;
  const { fingerprint } = sale;
  const unseen = { unseen: true, heldPlaces: 0, listedAt: null, modifiedAt: null } as const;
  return accept({ ...decision.next, ...unseen, ...(fingerprint === undefined ? {} : { fingerprint }) });
}

/** The refusal of a payment that is not the total of its order; undefined if it is. */
export function checkTotal(amount: number, total: number): Refused | undefined {
  return amount === total
    ? undefined
    : refuse('total_differs', `$.payment.amount is ${amount}, but the total of the order is ${total}.`);
}

const pay = <O extends Order>(order: O, payment: Omit<PaymentInput, 'status' | 'graceMs'>, now: number): Decision<O> =>
  checkTotal(payment.amount, computeTotal(order)) ??
  addPayment(order, { ...payment, status: 'captured', graceMs: 0 }, now);

const beConfirmed = <O extends Order>(order: O, { onAccount }: { readonly onAccount: boolean }, now: number) =>
  checkSellable(order, onAccount, now) ?? accept({ ...order, saleDue: { since: now, paymentId: null } });
