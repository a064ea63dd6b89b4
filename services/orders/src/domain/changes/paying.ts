// What is paid for a change of a confirmed order, and until when it waits for it.

import { isControlled } from '../lines.ts';
import { computeCapturedFor, computeDue, computeEarmarked, computeLeft } from '../order/money.ts';
import type { Change, Order } from '../order/order.ts';
import { findChange, findPendingChange, lapseChange, listLeavingIds, putChange, updateFigures } from './change.ts';

/** The most that a payment for it may be: of one that is done what the order still owes of it. */
export function computePayable(order: Order, change: Change): number {
  const { state } = change;
  if (state === 'pending') return computeRaise(order, change);
  const left = Math.max(0, change.due - computeCapturedFor(order, change.id));
  if (state === 'done') return Math.min(left, computeDue(order));
  return mayBeDoneLate(order, change) ? Math.max(left, computeRaise(order, change)) : left;
}

/** As it is shown: what is captured for a pending one, and what is left of its due, are its due. */
export function toShownFigures(order: Order, change: Change): Pick<Change, 'difference' | 'fee' | 'due' | 'credit'> {
  if (change.state !== 'pending') return change;
  const [figures, left] = [updateFigures(order, change), computeRaise(order, change)];
  const own = order.payments.filter(({ changeId }) => changeId === change.id);
  return left > 0 ? { ...figures, due: own.reduce((sum, one) => sum + computeLeft(order, one), left) } : figures;
}

/** What would be left to pay of what it raises, if it was done now. */
const computeRaise = (order: Order, change: Change): number => {
  const open = putChange(order, { ...change, state: 'pending' });
  return Math.max(0, updateFigures(open, change).due - computeEarmarked(open));
};

/** With nothing left to pay it is to be done, also one that has lapsed if it still can be; else the same object. */
export function markCovered<O extends Order>(order: O, changeId: string, now: number): O {
  const change = findChange(order, changeId);
  const isOpen = change?.state === 'pending' ? change.coveredAt === null : change && mayBeDoneLate(order, change);
  if (!change || !isOpen || computeRaise(order, change) > 0) return order;
  return putChange(order, { ...change, state: 'pending', coveredAt: now });
}

/** A pending one is to be done once its due is paid, by credit too, and lapses at its deadline; else the same object. */
export function endChangeIfDue<O extends Order>(order: O, now: number): O {
  const change = findPendingChange(order);
  if (change?.coveredAt !== null) return order;
  const covered = markCovered(order, change.id, now);
  return covered !== order || (change.deadline ?? 0) > now ? covered : lapseChange(order, {}, now);
}

/** Nobody has given it up, its lines are still there, and no control would refuse it. */
const mayBeDoneLate = (order: Order, change: Change): boolean => {
  const { state, withdrawn, override, exchanges } = change;
  const fixed = override ? exchanges.map(({ lineId }) => lineId) : listLeavingIds(change);
  const find = (id: string) => order.lines.find((line) => line.id === id);
  const isThere = (id: string): boolean => {
    const line = find(id);
    return line !== undefined && !(fixed.includes(id) && isControlled(order, line));
  };
  const isLast = order.state === 'confirmed' && !findPendingChange(order);
  return state === 'lapsed' && !withdrawn && isLast && listLeavingIds(change).every(isThere);
};

const putDeadline = <O extends Order>(order: O, changeId: string, decide: (change: Change) => number | null): O => {
  const change = findPendingChange(order);
  if (change?.id !== changeId || change.coveredAt !== null) return order;
  const deadline = decide(change);
  return deadline === change.deadline ? order : putChange(order, { ...change, deadline });
};

/** Until then (epoch milliseconds), at least. */
export function waitForChange<O extends Order>(order: O, changeId: string, until: number): O {
  return putDeadline(order, changeId, ({ deadline }) => Math.max(deadline ?? 0, until));
}

/** Without a grace period, once no payment for it is pending. */
export function stopWaitingForChange<O extends Order>(order: O, changeId: string): O {
  const isPending = order.payments.some((payment) => payment.changeId === changeId && payment.status === 'pending');
  return isPending ? order : putDeadline(order, changeId, ({ expiresAt, deadline }) => expiresAt ?? deadline);
}
