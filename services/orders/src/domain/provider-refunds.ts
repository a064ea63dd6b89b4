// Refunds that a provider makes: requested by a fact of the write that records them, and settled by its reports.

import { type Accepted, accept, type Decision, refuse } from './decisions.ts';
import { addCreditDue } from './order/credit.ts';
import { createRefundRequestedFact, type DomainFact } from './order/facts.ts';
import { addRefund, computeCredit, computeLeft, computeNet, replaceRefund } from './order/money.ts';
import type { Creator, Order, Payment, Provider, Refund } from './order/order.ts';
import { markModified, sellIfPaid } from './order/state.ts';
import { checkMoney, checkRefundable, hasRefund } from './refunds.ts';

export interface ProviderRefundInput {
  /** The same for a repeat of the request. */
  readonly id: string;
  readonly amount: number;
  readonly currency?: string;
  readonly provider: Provider;
  /** Absent: the newest payment of the provider that covers it. */
  readonly paymentId?: string;
  readonly createdBy?: Creator | undefined;
}

/**
 * In every state; a known id changes nothing. Refused: `sale_due` before a sale or a change that relies on the money,
 * `exceeds_paid` (of the payment, or of the order), `unknown_reference`, `payment_disputed`, `invalid_amount`,
 * `currency_mismatch`.
 */
export function refundByProvider<O extends Order>(order: O, input: ProviderRefundInput, now: number): Decision<O> {
  const { id, amount, createdBy } = input;
  if (hasRefund(order, id)) return accept(order);
  const refused = checkRefundable(order) ?? checkMoney(order, input);
  if (refused) return refused;
  const payment = selectPayment(order, input);
  if (!payment && input.paymentId !== undefined)
    return refuse('invalid_reference', `$.paymentId is no payment of the order by ${input.provider}.`);
  const rest = Math.min(payment ? computeLeft(order, payment) : 0, Math.max(0, computeNet(order)));
  if (!payment || amount > rest)
    return refuse('exceeds_paid', `$.amount is ${amount}, but no more than ${rest} is left of a payment.`);
  if (payment.disputed?.state === 'open') return refuse('payment_disputed');
  const { next, facts } = requestRefund(order, payment, { id, amount, ...(createdBy && { createdBy }) }, now);
  return accept(markModified(next, now), ...facts);
}

const selectPayment = (order: Order, { provider, paymentId, amount }: ProviderRefundInput): Payment | undefined => {
  const own = order.payments.filter((payment) => payment.provider === provider);
  if (paymentId !== undefined) return own.find(({ id }) => id === paymentId);
  return own.findLast((payment) => computeLeft(order, payment) >= amount) ?? own.findLast(isCaptured);
};

const isCaptured = ({ status }: Payment): boolean => status === 'captured';

const requestRefund = <O extends Order>(
  order: O,
  { id: paymentId, method, currency, provider, mode }: Payment,
  own: Pick<Refund, 'id' | 'amount' | 'automatic' | 'createdBy'>,
  now: number,
): Accepted<O> => {
  const by = { ...(provider && { provider }), ...(mode && { mode }) };
  const record: Refund = {
    ...{ ...own, method, currency, reference: null, ...by, paymentId },
    status: 'pending',
    createdAt: now,
  };
  return accept(addRefund(order, record), createRefundRequestedFact(order, record));
};

export interface RefundReport {
  readonly refundId: string;
  readonly status: NonNullable<Refund['status']>;
  readonly reference: string | null;
}

/**
 * A pending one ends, and a done one may fail later; anything else changes nothing. One that fails takes back what it
 * counted for, so that the sale of the order may be due. Refused: `unknown_refund`.
 */
export function recordRefundReport<O extends Order>(
  order: O,
  { refundId, status, reference }: RefundReport,
  now: number,
): Decision<O> {
  const refund = order.refunds.find(({ id, provider }) => id === refundId && provider !== undefined);
  if (!refund) return refuse('unknown_refund');
  const { status: known = 'done' } = refund;
  const isNews = known === 'pending' ? status !== 'pending' || refund.reference !== reference : status === 'failed';
  if (!isNews || known === 'failed') return accept(order);
  const settled: Refund = { ...refund, status, reference: reference ?? refund.reference, updatedAt: now };
  return sellIfPaid(markModified(replaceRefund(order, settled), now), now);
}

/**
 * What is due of credit goes back to where it came from: one refund per payment, the newest first, never more than is
 * left of it, none of a payment in dispute, whose part waits for its end. The rest stays credit, as all of it does unless
 * the point of sale `isOn`.
 */
export function refundCredit<O extends Order>(
  order: O,
  { isOn, deriveRefundId }: { readonly isOn: boolean; readonly deriveRefundId: (paymentId: string) => string },
  now: number,
): Accepted<O> {
  // The sale that is due, or a change that is pending, decides first what is credit.
  if (!order.creditDue || order.saleDue || order.changes?.some(({ state }) => state === 'pending'))
    return accept(order);
  let rest = isOn ? Math.min(order.creditDue.amount, computeCredit(order)) : 0;
  let next: O = { ...order, creditDue: null };
  const facts: DomainFact[] = [];
  for (const payment of order.payments.toReversed()) {
    const amount = Math.min(rest, mayBeRefunded(payment) ? computeLeft(next, payment) : 0);
    if (amount <= 0) continue;
    rest -= amount;
    const requested = requestRefund(next, payment, { id: deriveRefundId(payment.id), amount, automatic: true }, now);
    next = requested.next;
    facts.push(...requested.facts);
  }
  const disputed = next.payments.filter((payment) => payment.disputed?.state === 'open');
  const left = disputed.reduce((sum, payment) => sum + computeLeft(order, payment), 0);
  const creditInDispute = Math.min(left, rest + (order.creditInDispute ?? 0));
  if (creditInDispute > 0) next = { ...next, creditInDispute };
  return accept(facts.length === 0 ? next : markModified(next, now), ...facts);
}

/** What waited for the end of a dispute goes back if that is won, and stays credit if all are lost. */
export function freeCredit<O extends Order>(order: O, paymentId: string, now: number): O {
  const { creditInDispute, payments } = order;
  const isWon = payments.find(({ id }) => id === paymentId)?.disputed?.state === 'won';
  if (!creditInDispute || (!isWon && payments.some(({ disputed }) => disputed?.state === 'open'))) return order;
  const free = { ...order, creditInDispute: null };
  return isWon ? addCreditDue(free, creditInDispute, now) : free;
}

const mayBeRefunded = ({ provider, disputed }: Payment): boolean =>
  provider !== undefined && (disputed === undefined || disputed.state === 'won');
