// An order's money (commerce, section 2): every figure of it, from its payments, its refunds and what it costs.

import type { Counted, Dispute, Order, Payment, Refund } from './order.ts';

/** From `least` up, with an exact sum. */
export function isAmountList(amounts: readonly number[], least = 0): boolean {
  return (
    amounts.every((amount) => Number.isSafeInteger(amount) && amount >= least) &&
    Number.isSafeInteger(amounts.reduce((subtotal, amount) => subtotal + amount, 0))
  );
}

/** @throws RangeError if the sum is not exact */
const sum = (amounts: readonly number[]): number =>
  amounts.reduce((subtotal, amount) => {
    const next = subtotal + amount;
    if (!Number.isSafeInteger(next)) throw new RangeError('the sum of the amounts is not a safe integer');
    return next;
  }, 0);

/** All figures are in minor units. */
export function computeTotal({ lines, fees = [] }: Pick<Order, 'lines' | 'fees'>): number {
  return sum([...lines, ...fees].map(({ amount }) => amount));
}

/** What was captured; what goes back does not lower it. */
export function computePaid({ payments }: Pick<Order, 'payments'>): number {
  return sum(payments.flatMap(({ status, amount }) => (status === 'captured' ? [amount] : [])));
}

type Returning = Pick<Order, 'payments' | 'refunds'>;

/** What went back, or is on its way: refunds that have not failed, and lost disputes. */
export function computeRefunded(order: Returning): number {
  return sum(listReturned(order).map(({ amount }) => amount));
}

const listReturned = ({ payments, refunds }: Returning): { readonly amount: number; readonly at: number }[] => [
  ...refunds.filter(hasNotFailed).map(({ amount, createdAt: at }) => ({ amount, at })),
  ...payments.flatMap(({ disputed }) => (disputed?.refunded ? [{ amount: disputed.refunded, at: disputed.at }] : [])),
];

const hasNotFailed = ({ status }: Refund): boolean => status !== 'failed';

/** What is left of one payment: captured, without its refunds that have not failed and its lost disputes. */
export function computeLeft({ refunds }: Pick<Order, 'refunds'>, { id, status, amount, disputed }: Payment): number {
  if (status !== 'captured') return 0;
  const back = refunds.filter((refund) => refund.paymentId === id && hasNotFailed(refund));
  return Math.max(0, amount - sum(back.map((refund) => refund.amount)) - (disputed?.refunded ?? 0));
}

/** Negative where disputes have taken more than was there. */
export function computeNet(order: Returning): number {
  return computePaid(order) - computeRefunded(order);
}

type Changing = Returning & Pick<Order, 'changes'>;

/** What was captured for a change and did not go back. */
export function computeCapturedFor(order: Returning, changeId: string): number {
  const own = order.payments.filter((payment) => payment.changeId === changeId);
  const back = order.refunds.filter((refund) => refund.ofChange?.id === changeId && hasNotFailed(refund));
  return Math.max(
    0,
    sum(own.map((payment) => computeLeft(order, payment))) - sum(back.map(({ ofChange }) => ofChange?.amount ?? 0)),
  );
}

/**
 * What is left of the money captured for the change that is pending: it pays for nothing else, and is no credit. At most
 * what the house still holds.
 */
export function computeEarmarked(order: Changing): number {
  const pending = order.changes?.find(({ state }) => state === 'pending');
  return pending ? Math.min(computeCapturedFor(order, pending.id), Math.max(0, computeNet(order))) : 0;
}

const computeFree = (order: Changing): number => computeNet(order) - computeEarmarked(order);

type Owing = Pick<Order, 'lines' | 'fees' | 'state' | 'goodwill'>;

/** What the order has to have cost in the end. */
export function computeOwed(order: Owing): number {
  const { state, goodwill = 0 } = order;
  if (state === 'cancelled' || state === 'expired') return 0;
  return Math.max(0, computeTotal(order) - (state === 'confirmed' ? goodwill : 0));
}

type Money = Owing & Changing & Pick<Order, 'confirmedAt'>;

/** What the house holds beyond what is owed. */
export function computeCredit(order: Money): number {
  return Math.max(0, computeFree(order) - computeOwed(order));
}

/** Pending payments do not lower it. */
export function computeDue(order: Money): number {
  const { state } = order;
  const owed = state === 'cancelled' || state === 'expired' ? computeTotal(order) : computeOwed(order);
  return Math.max(0, owed - computeCounted(order));
}

/** What counts towards what is due: of a cancelled order without what went back after its confirmation. */
const computeCounted = (order: Money): number => {
  const { state, confirmedAt } = order;
  if (state !== 'cancelled' || confirmedAt === null) return computeFree(order);
  const before = listReturned(order).filter(({ at }) => at < confirmedAt);
  return computePaid(order) - sum(before.map(({ amount }) => amount));
};

/** Such an order is confirmed, however that came about; not one free of charge, or that has its money back. */
export function isPaidInFull(order: Money): boolean {
  return order.lines.length > 0 && computeNet(order) > 0 && computeDue(order) === 0;
}

/** An order free of charge is paid; one without lines is unpaid unless it has money, or has been sold. */
export function computePaymentStatus(order: Money): 'unpaid' | 'partial' | 'paid' {
  const money = computeCounted(order);
  if (order.lines.length === 0 && order.confirmedAt === null && money <= 0) return 'unpaid';
  if (computeDue(order) === 0) return 'paid';
  return money > 0 ? 'partial' : 'unpaid';
}

/** Full once all captured money went back. */
export function computeRefundStatus(order: Returning): 'none' | 'partial' | 'full' {
  const back = computeRefunded(order);
  if (back === 0) return 'none';
  return back < computePaid(order) ? 'partial' : 'full';
}

/** Of what `after` has less than the order, beside a pending change's, what is no credit, where nothing was due. */
const computeGoodwillOf = (order: Money, after: Changing): number => {
  if (order.state !== 'confirmed' || computeDue(order) > 0) return 0;
  const taken = computeFree(order) - computeFree(after);
  return Math.min(Math.max(0, taken - computeCredit(order)), computeOwed(order));
};

const addGoodwill = <O extends Order>(order: O, more: number): O => {
  const { goodwill: known = 0 } = order;
  const goodwill = Math.max(0, known + more);
  return goodwill === known ? order : { ...order, goodwill };
};

/**
 * Without a payment that it is of, it takes credit first, then the money of the change that is pending, or has lapsed
 * last: that does it no more.
 */
export function addRefund<O extends Order>(order: O, given: Omit<Refund, 'goodwill' | 'ofChange'>): O {
  const { changes = [] } = order;
  const change =
    changes.find(({ state }) => state === 'pending') ?? changes.findLast(({ state }) => state === 'lapsed');
  const kept = change ? Math.min(computeCapturedFor(order, change.id), Math.max(0, computeNet(order))) : 0;
  const other = computeCredit(order) - (change?.state === 'lapsed' ? kept : 0);
  const beyond = given.paymentId === undefined ? Math.max(0, given.amount - Math.max(0, other)) : 0;
  const amount = Math.min(kept, beyond);
  const refund = { ...given, ...(change && amount > 0 && { ofChange: { id: change.id, amount } }) };
  const goodwill = computeGoodwillOf(order, putRefund(order, refund));
  return addGoodwill(putRefund(order, { ...refund, goodwill }), goodwill);
}

/**
 * In the place of the one with its id. One that fails takes back what it counted for, and leaves more of its payment,
 * of which what disputes have taken counts anew.
 */
export function replaceRefund<O extends Order>(order: O, refund: Refund): O {
  const known = order.refunds.find(({ id }) => id === refund.id);
  if (!known) return order;
  const hasFailed = hasNotFailed(known) && !hasNotFailed(refund);
  const { goodwill = 0 } = known;
  const kept: Refund = hasFailed ? { ...refund, goodwill: 0 } : { ...refund, goodwill };
  const refunds = order.refunds.map((other) => (other.id === refund.id ? kept : other));
  if (!hasFailed) return { ...order, refunds };
  return countLost(addGoodwill({ ...order, refunds }, -goodwill), refund.paymentId);
}

/** What the disputes of a payment have taken for good. */
export function computeLost({ state, amount, lost }: Pick<Dispute, 'state' | 'amount' | 'lost'>): number {
  return lost ?? (state === 'lost' ? amount : 0);
}

/**
 * Of a payment, in the place of the one before. What was lost counts as refunded in every state, at most what is left
 * of the payment, and what of that is no credit as goodwill; what is lost no more takes both back.
 */
export function putDispute<O extends Order>(order: O, paymentId: string, report: Omit<Dispute, keyof Counted>): O {
  const payment = order.payments.find(({ id }) => id === paymentId);
  if (!payment) return order;
  const { refunded = 0, goodwill = 0 } = payment.disputed ?? {};
  return countLost(putPayment(order, { ...payment, disputed: { ...report, refunded, goodwill } }), paymentId);
}

export function putPayment<O extends Order>(order: O, payment: Payment): O {
  return { ...order, payments: order.payments.map((other) => (other.id === payment.id ? payment : other)) };
}

/** What counts already keeps its figures, whatever the order costs now; more counts what it is now. */
const countLost = <O extends Order>(order: O, paymentId: string | undefined): O => {
  const payment = order.payments.find(({ id }) => id === paymentId);
  if (!payment?.disputed) return order;
  const { disputed, ...undisputed } = payment;
  const { refunded: counted = 0, goodwill = 0 } = disputed;
  const put = (counts: Counted): O => putPayment(order, { ...payment, disputed: { ...disputed, ...counts } });
  const count = (counts: Counted): O => addGoodwill(put(counts), counts.goodwill - goodwill);
  const refunded = Math.min(computeLost(disputed), computeLeft(order, undisputed));
  if (refunded < counted) return countLost(count({ refunded: 0, goodwill: 0 }), paymentId);
  return count({ refunded, goodwill: goodwill + computeGoodwillOf(order, put({ refunded, goodwill })) });
};

/** What refunds and disputes count for, each by its figure; changes may have taken some of it. */
export function computeCountedGoodwill({ payments, refunds }: Returning): number {
  return sum([...refunds, ...payments.map(({ disputed }) => disputed)].map((one) => one?.goodwill ?? 0));
}

/** At most the total, so that a lower one lowers it for good; the refunds keep their figures. */
export function limitGoodwill<O extends Order>(order: O): O {
  const { goodwill = 0, goodwillLost = 0 } = order;
  const excess = goodwill - computeTotal(order);
  return excess > 0 ? { ...order, goodwill: goodwill - excess, goodwillLost: goodwillLost + excess } : order;
}

/** That of refunds which an earlier release has recorded, in their order of creation; figures that there are stay. */
export function completeGoodwill<O extends Order>(order: O): O {
  if (order.refunds.every(({ goodwill }) => goodwill !== undefined)) return order;
  const { state, confirmedAt, cancellation } = order;
  const isOfConfirmed = ({ createdAt }: Refund): boolean =>
    confirmedAt !== null && createdAt >= confirmedAt && (cancellation === null || createdAt < cancellation.requestedAt);
  let completed: O = { ...order, refunds: [] };
  for (const refund of order.refunds) {
    const then: O = { ...completed, state: isOfConfirmed(refund) ? 'confirmed' : 'open' };
    completed = refund.goodwill === undefined ? addRefund(then, refund) : putRefund(then, refund);
  }
  return { ...completed, state };
}

const putRefund = <O extends Order>(order: O, refund: Refund): O => ({ ...order, refunds: [...order.refunds, refund] });
