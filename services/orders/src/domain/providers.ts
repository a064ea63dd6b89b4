// What an order knows of payments by a provider (commerce, section 3): its pages, and what the provider reports.

import { findPendingChange } from './changes/change.ts';
import { computePayable, waitForChange } from './changes/paying.ts';
import { type Accepted, accept, type Decision, refuse } from './decisions.ts';
import { markListed } from './lines.ts';
import { addRaisedCredit } from './order/credit.ts';
import { computeDue, computeLost, computePaid, isAmountList, putDispute, putPayment } from './order/money.ts';
import {
  type Change,
  type Counted,
  type Dispute,
  type Order,
  type Payment,
  type Provider,
  type ProviderMode,
  providers,
} from './order/order.ts';
import { checkDecidable, isHidden, isPastDue, isUnpaid, markModified, sellIfPaid } from './order/state.ts';
import { applyCapture, applyFailure } from './payments.ts';
import { freeCredit } from './provider-refunds.ts';

export function isProvider(method: string): boolean {
  return providers.some((provider) => provider === method);
}

export interface ProviderPage {
  readonly paymentId: string;
  readonly provider: Provider;
  readonly mode: ProviderMode;
  readonly reference: string;
  readonly url: string;
  readonly amount: number;
  readonly currency: string;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
  /** End of the grace period that it gives the order; epoch milliseconds. */
  readonly until: number;
}

/** The refusal of a page on which anything but what is due now, of the order or of its change, would be paid. */
export function checkPage(
  order: Order,
  page: Pick<ProviderPage, 'amount' | 'currency'> | undefined,
  due = computeDue(order),
) {
  if (page?.amount === due && page.currency === order.currency) return undefined;
  const asked = page ? `The page asks for ${page.amount} ${page.currency}` : 'There is no page';
  return refuse('amount_differs', `${asked}, but ${due} ${order.currency} is due.`);
}

/** The order waits for what is paid there, and holds its places until the end of the last page's grace period. */
export function addPage<O extends Order>(order: O, page: ProviderPage, now: number): Accepted<O> {
  const { until } = page;
  const payment = toPagePayment(order, page, now);
  const cameFrom = order.state === 'payment_pending' ? order.cameFrom : 'open';
  return accept(
    markModified(
      {
        ...order,
        payments: [...order.payments, payment],
        state: 'payment_pending',
        cameFrom,
        expiresAt: Math.max(order.expiresAt ?? 0, until),
        deadline: Math.max(order.deadline ?? 0, until),
      },
      now,
    ),
  );
}

export function toPagePayment(order: Order, page: ProviderPage, now: number): Payment {
  const { url, expiresAt } = page;
  return { ...toRecord(order, page, now), status: 'pending', page: { url, expiresAt } };
}

/** The pending change waits for what is paid there. Refused: `not_payable`, `amount_differs`. */
const addChangePage = <O extends Order>(order: O, change: Change, page: ProviderPage, now: number): Decision<O> => {
  if (change.coveredAt !== null || (change.deadline ?? 0) <= now)
    return refuse('not_payable', 'The change is paid, or it has not been paid in time.');
  const payment = { ...toPagePayment(order, page, now), changeId: change.id };
  const added = { ...order, payments: [...order.payments, payment] };
  return (
    checkPage(order, page, computePayable(order, change)) ??
    accept(markModified(waitForChange(added, change.id, page.until), now))
  );
};

type ProviderPayment = Pick<ProviderPage, 'paymentId' | 'provider' | 'mode' | 'reference' | 'amount' | 'currency'>;

const toRecord = (
  { pointOfSale }: Order,
  { paymentId: id, provider, mode, reference, amount, currency }: ProviderPayment,
  now: number,
) => ({
  id,
  method: provider,
  amount,
  currency,
  reference,
  provider,
  mode,
  ...(pointOfSale !== null && { createdBy: { pointOfSale } }),
  createdAt: now,
  updatedAt: now,
});

/** Another page of an order can be opened for so long after its checkout. */
const PAYABLE_MS = 3 * 60 * 60_000;

export function isPayableNoMore({ checkout }: Pick<Order, 'checkout'>, now: number): boolean {
  return checkout !== undefined && now > checkout.at + PAYABLE_MS;
}

/**
 * Another try to pay an order that waits for its payment, or whose payment has failed, or the pending change of a
 * confirmed one; earlier pages were closed before. Refused: `not_payable`, `amount_differs`.
 */
export function addAnotherPage<O extends Order>(order: O, page: ProviderPage, now: number): Decision<O> {
  if (order.payments.some(({ id }) => id === page.paymentId)) return accept(order);
  const change = findPendingChange(order);
  if (change) return addChangePage(order, change, page, now);
  const refused = checkDecidable(order, ['open', 'payment_pending'], 'paid', now);
  if (refused)
    return refused.refused.reason === 'wrong_state' ? refuse('not_payable', refused.refused.details) : refused;
  const hasFailed = order.payments.some(({ status }) => status === 'failed');
  if (order.checkout === undefined || isHidden(order) || (order.state === 'open' && !hasFailed))
    return refuse('not_payable', 'The order was not checked out, so it cannot be paid.');
  if (isPayableNoMore(order, now)) return refuse('not_payable');
  return checkPage(order, page) ?? addPage(order, page, now);
}

export const paymentEnds = ['expired', 'failed'] as const;

export interface PaymentReport extends ProviderPayment {
  readonly status: Payment['status'];
  /** Of a failed one; default: it failed. */
  readonly ended?: (typeof paymentEnds)[number] | undefined;
}

/**
 * Captured money is recorded in every state of the order, also that of a payment that it does not know, or that was
 * reported as failed; a failed one ends a pending payment; any other report changes nothing, so they may come twice and
 * in any order. Refused: `past_due` (the expiry comes first), `currency_mismatch`, `amount_differs`, `invalid_amount`.
 */
export function recordReport<O extends Order>(order: O, report: PaymentReport, now: number): Decision<O> {
  const known = order.payments.find(({ id }) => id === report.paymentId);
  if (report.status === 'pending' || known?.status === 'captured') return accept(order);
  if (isPastDue(order, now)) return refuse('past_due', "The order's deadline has passed.");
  if (report.status === 'captured') return recordCapture(order, report, known, now);
  if (known?.status !== 'pending') return accept(order);
  const failed: Payment = { ...known, status: 'failed', ended: report.ended ?? 'failed', updatedAt: now };
  return applyFailure(replacePayment(order, failed, now), failed, now);
}

const replacePayment = <O extends Order>(order: O, payment: Payment, now: number): O =>
  markModified(putPayment(order, payment), now);

const recordCapture = <O extends Order>(
  order: O,
  report: PaymentReport,
  known: Payment | undefined,
  now: number,
): Decision<O> => {
  const odd = checkReported(order, report, known);
  if (odd) return odd;
  const { ended: _, ...own } = known ?? { ...toRecord(order, report, now), ended: undefined };
  const captured: Payment = { ...own, reference: report.reference, status: 'captured', updatedAt: now };
  // Nobody has checked the cart out: what was paid is seen all the same.
  const seen: O = isHidden(order) ? { ...markListed(order, now), abandonedAt: null } : order;
  const recorded: O = known
    ? replacePayment(seen, captured, now)
    : markModified({ ...seen, payments: [...seen.payments, captured] }, now);
  if (order.saleDue) return accept(addRaisedCredit(order, recorded, now));
  const { next } = applyCapture(recorded, captured.id, now);
  // Whether a late payment is credit, its sale decides.
  const isLateSale = next.saleDue && next.state === 'expired';
  return accept(isLateSale ? next : addRaisedCredit(order, next, now));
};

const checkReported = (order: Order, { amount, currency }: PaymentReport, known: Payment | undefined) => {
  if (currency !== order.currency)
    return refuse('currency_mismatch', `The order is in ${order.currency}, what was paid in ${currency}.`);
  if (known && known.amount !== amount)
    return refuse('amount_differs', `The payment is of ${known.amount}, but ${amount} was paid.`);
  return isAmountList([amount], 1) && isAmountList([computePaid(order), amount])
    ? undefined
    : refuse('invalid_amount', 'More than an order can count.');
};

/** Whether the page of this payment may stay open: it is pending, and what it would charge is due. */
export function isWanted(order: Order, paymentId: string, now: number): boolean {
  const payment = order.payments.find(({ id }) => id === paymentId);
  const change = findPendingChange(order);
  if (payment?.changeId !== undefined) {
    const isAwaited = change?.id === payment.changeId && change.coveredAt === null && (change.deadline ?? 0) > now;
    return isAwaited && payment.status === 'pending' && payment.amount <= computePayable(order, change);
  }
  const isOpen = isUnpaid(order) && !order.saleDue && !isPastDue(order, now);
  return isOpen && payment?.status === 'pending' && payment.amount <= computeDue(order);
}

export type DisputeReport = Omit<Dispute, keyof Counted> & { readonly paymentId: string };

/** The clocks of two processes differ by less. */
const CLOCKS_MS = 60 * 60_000;

/**
 * What is decided is news after what was open, whatever the clocks said, and a loss after a smaller one. One is opened
 * after a decision if that loss was known then, or if no clock explains it.
 */
const isNews = (known: Dispute, report: Omit<Dispute, keyof Counted>): boolean => {
  const [before, lost] = [computeLost(known), computeLost(report)];
  if (known.state === report.state && known.amount === report.amount && before === lost) return false;
  if (report.at > known.at + CLOCKS_MS) return true;
  if (known.state === report.state && before !== lost) return lost > before;
  if (known.state === 'open' && report.state !== 'open') return report.state === 'won' || lost > before || before === 0;
  if (known.state !== 'open' && report.state === 'open') return known.state === 'lost' && before > 0 && lost >= before;
  return report.at >= known.at;
};

/** An overtaken one changes nothing; a loss counts as refunded. Refused: `unknown_payment`, `overtaken`, `sale_due`. */
export function recordDispute<O extends Order>(
  order: O,
  { paymentId, ...disputed }: DisputeReport,
  now: number,
): Decision<O> {
  const payment = order.payments.find(({ id, provider }) => id === paymentId && provider !== undefined);
  if (!payment) return refuse('unknown_payment');
  if (payment.disputed && !isNews(payment.disputed, disputed)) return accept(order);
  // It may come before the capture of which it is.
  if (payment.status === 'pending') return refuse('overtaken');
  // A sale relies on the money.
  if (order.saleDue) return refuse('sale_due');
  const noted = replacePayment(order, { ...payment, updatedAt: now }, now);
  return sellIfPaid(freeCredit(putDispute(noted, paymentId, disputed), paymentId, now), now);
}
