import { type Accepted, accept, type Decision, type Refused, refuse } from '../decisions.ts';
import { addRaisedCredit } from './credit.ts';
import { createContactNamedFacts, createOrderExpiredFact, type DomainFact } from './facts.ts';
import { isPaidInFull } from './money.ts';
import type { Line, Order, State } from './order.ts';

export const unpaidStates: readonly State[] = ['open', 'reserved', 'payment_pending'];

export function isUnpaid({ state }: Pick<Order, 'state'>): boolean {
  return unpaidStates.includes(state);
}

/** How often beneficiaries were changed since the confirmation. */
export function countRenames({ lines }: Pick<Order, 'lines'>): number {
  return lines.reduce((sum, { beneficiaryAsOf = 0 }) => sum + beneficiaryAsOf, 0);
}

/** Whether the order is not listed: a cart, one that was never bought, or one that nobody has seen yet. */
export function isHidden({ listedAt }: Pick<Order, 'listedAt'>): boolean {
  return listedAt === null;
}

/** As everybody sees it from now on, with the instants of now; the same object if it was to be seen before. */
export function markSeen<O extends Order>(order: O, now: number): O {
  if (!order.unseen) return order;
  const payments = order.payments.map((payment) => ({ ...payment, createdAt: now, updatedAt: now }));
  return { ...order, unseen: null, payments, createdAt: now, listedAt: now, modifiedAt: now };
}

/** The facts that an order has not published while nobody could see it. */
export function createWithheldFacts(order: Order): readonly DomainFact[] {
  return order.unseen ? createContactNamedFacts(order) : [];
}

/** Of an order that ends; without beneficiaries if it was never bought. */
export function toFinalLines(order: Order): readonly Line[] {
  return isHidden(order) ? order.lines.map((line) => ({ ...line, beneficiary: null })) : order.lines;
}

/** Ready for deletion if it was never bought. */
export function markAbandoned(order: Order, now: number): Pick<Order, 'abandonedAt'> {
  return isHidden(order) ? { abandonedAt: now } : {};
}

/** Its consequence is not written yet: the expiry, or the sale of a paid order. */
export function isPastDue(order: Order, now: number): boolean {
  return order.saleDue == null && isOver(order, now);
}

const isOver = (order: Order, now: number): boolean =>
  isUnpaid(order) && order.deadline !== null && order.deadline <= now;

/** `modifiedAt` never decreases, since clocks of processes differ. */
export function markModified<O extends Order>(order: O, now: number): O {
  return order.modifiedAt === null ? order : { ...order, modifiedAt: Math.max(order.modifiedAt, now) };
}

/** Back to the previous state and deadline of a `payment_pending` order. */
export function endWaiting<O extends Order>(order: O, now: number): O {
  return {
    ...order,
    state: order.cameFrom ?? 'open',
    cameFrom: null,
    deadline: order.expiresAt,
    shorteningDue: now,
  };
}

/** Once the previous deadline has passed the order keeps waiting until the grace period ends. */
export function endWaitingIfNonePending<O extends Order>(order: O, now: number): O {
  return order.state !== 'payment_pending' ||
    order.payments.some(({ status }) => status === 'pending') ||
    (order.expiresAt ?? 0) <= now
    ? order
    : markModified(endWaiting(order, now), now);
}

/** Each once, in order of the lines. */
export function listPerformanceIds(lines: readonly Pick<Line, 'performanceId'>[]): string[] {
  return [...new Set(lines.map(({ performanceId }) => performanceId))];
}

const names: Readonly<Record<State, string>> = {
  open: 'open',
  reserved: 'reserved',
  payment_pending: 'waiting for its payment',
  confirmed: 'confirmed',
  expired: 'expired',
  cancelled: 'cancelled',
};

export function refuseState({ state }: Pick<Order, 'state'>, action: string): Refused {
  return {
    refused: { reason: 'wrong_state', state, details: `The order is ${names[state]}, so it cannot be ${action}.` },
  };
}

/** Paid in full and not sold yet, past its deadline, or in none of `states`. `action`: "the order cannot be …". */
export function checkDecidable(
  order: Order,
  states: readonly State[],
  action: string,
  now: number,
): Refused | undefined {
  if (order.saleDue) return refuse('sale_due');
  if (isPastDue(order, now)) return refuse('past_due', `The order's deadline has passed, so it cannot be ${action}.`);
  return states.includes(order.state) ? undefined : refuseState(order, action);
}

const LISTED = 20;

export function isHandled({ handledRequests }: Pick<Order, 'handledRequests'>, request: string): boolean {
  return handledRequests?.includes(request) === true;
}

/** Write it together with the request's effect. */
export function markHandled<O extends Order>(order: O, request: string): O {
  return isHandled(order, request)
    ? order
    : { ...order, handledRequests: [...(order.handledRequests ?? []), request].slice(-LISTED) };
}

/** Paid in full by a change of its lines or at its deadline. */
export function beginSaleIfPaid<O extends Order>(order: O, now: number): Accepted<O> | undefined {
  return isUnpaid(order) && isPaidInFull(order)
    ? accept({ ...order, saleDue: { since: now, paymentId: null } })
    : undefined;
}

/** Its sale is due if what became of other money has paid it, and is not due yet. */
export function sellIfPaid<O extends Order>(order: O, now: number): Accepted<O> {
  return (order.saleDue == null ? beginSaleIfPaid(order, now) : undefined) ?? accept(order);
}

/** Also an order that could not be sold; unchanged before its deadline. */
export function expireIfDue<O extends Order>(order: O, now: number): Accepted<O> {
  return isOver(order, now) ? expireAtOnce(order, now) : accept(order);
}

export function expireAtOnce<O extends Order>(order: O, now: number): Accepted<O> {
  const seen = markSeen(order, now);
  const expired: O = {
    ...seen,
    state: 'expired',
    lines: toFinalLines(seen),
    deadline: null,
    cameFrom: null,
    saleDue: null,
    shorteningDue: null,
    heldPlaces: 0,
    ...markAbandoned(seen, now),
  };
  const ended = addRaisedCredit(order, expired, now);
  return accept(markModified(ended, now), ...createWithheldFacts(order), createOrderExpiredFact(order));
}

/** Sold if it is paid in full, else expired; unchanged before its deadline. */
export function endIfDue<O extends Order>(order: O, now: number): Accepted<O> {
  return (isOver(order, now) ? beginSaleIfPaid(order, now) : undefined) ?? expireIfDue(order, now);
}

/** Paid in full its sale begins, else it expires. Refused: `not_due` before its deadline, and once the sale is due. */
export function expire<O extends Order>(order: O, now: number): Decision<O> {
  return isPastDue(order, now) ? endIfDue(order, now) : refuse('not_due');
}
