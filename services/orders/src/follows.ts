// What follows from the write of an order and is still to be done: the work that is due of its document.

import { scheduleSoon } from '@boxoffice/service';
import { type DueChange, toDue } from '@boxoffice/store';
import { findPendingChange, findUnsettledChange } from './domain/changes/change.ts';
import { computePayable } from './domain/changes/paying.ts';
import { hasTickets } from './domain/confirmation.ts';
import type { Change, Order } from './domain/order/order.ts';
import { countRenames, isUnpaid } from './domain/order/state.ts';

/** The work that follows from the state of an order alone. */
const stateWork = [
  'sell',
  'expire',
  'releaseRemoved',
  'endChange',
  'settleChanges',
  'shortenHold',
  'refundCredit',
  'writeGuest',
  'forgetGuests',
] as const;

export type StateWork = (typeof stateWork)[number];

export const orderWork = [...stateWork, 'issueTickets'] as const;

export type OrderWork = (typeof orderWork)[number];

/** By the state alone; null: there is nothing to do. */
export function decideWork(order: Order): Readonly<Record<StateWork, number | null>> {
  const pending = findPendingChange(order);
  return {
    sell: soonAfter(order.saleDue?.since),
    // Without places left, the sale ends it too.
    expire: isUnpaid(order) && order.saleDue == null ? order.deadline : null,
    releaseRemoved: soonAfter(order.removedPlaces?.since),
    endChange: pending ? decideChangeEnd(order, pending) : null,
    settleChanges: soonAfter(findUnsettledChange(order)?.doneAt),
    shortenHold: soonAfter(order.shorteningDue),
    // The sale that is due, or a change that is pending, decides first what is credit. No request does it itself.
    refundCredit: order.saleDue || pending ? null : (order.creditDue?.since ?? null),
    writeGuest: order.contactNumber === null ? null : soonAfter(order.guest?.since),
    forgetGuests: soonAfter(order.formerGuests?.since),
  };
}

/** At its deadline; soon once nothing is left to pay for it, as where credit of the order has come that pays the rest. */
const decideChangeEnd = (order: Order, change: Change): number | null =>
  change.coveredAt === null && computePayable(order, change) > 0
    ? change.deadline
    : soonAfter(change.coveredAt ?? order.modifiedAt);

/** The request of the write does it at once. */
const soonAfter = (since: number | null | undefined): number | null => (since == null ? null : scheduleSoon(since));

/** `before` is undefined for an insert. */
export function followWrite(before: Order | undefined, after: Order & { readonly version: number }): DueChange {
  const [had, has] = [before && decideWork(before), decideWork(after)];
  const changed = stateWork.flatMap((name) => (has[name] === (had?.[name] ?? null) ? [] : [[name, has[name]]]));
  return {
    ...Object.fromEntries(changed),
    ...(isNewToTickets(before, after) ? { issueTickets: scheduleIssue(after) } : {}),
  };
}

/** By the version no two writes have the same instant: whoever ends the work of one does not end that of the next. */
export function scheduleIssue({
  modifiedAt,
  version,
}: Pick<Order, 'modifiedAt'> & { readonly version: number }): number {
  return scheduleSoon(modifiedAt ?? 0) + version;
}

/** Whether tickets does not know yet what was written: that there are tickets, another buyer, another name. */
const isNewToTickets = (before: Order | undefined, after: Order): boolean =>
  hasTickets(after) &&
  !(
    before &&
    hasTickets(before) &&
    before.contactNumber === after.contactNumber &&
    countRenames(before) === countRenames(after)
  );

/** Release 0.3.0 has issued the tickets of orders that it confirmed longer ago. Milliseconds. */
export const ISSUED_BY_0_3_MS = 7 * 24 * 60 * 60_000;

/**
 * An order of release 0.3.0, as this one has it: its work is due by the state, and that of a confirmed order, whose
 * tickets its fact may not have issued, by the confirmation.
 */
export function addWork<O extends Order & { readonly due?: object }>(order: O, now = Date.now()): O {
  const { due = {}, state, ticketsByCall, namesDue, confirmedAt } = order;
  const isByFact = !ticketsByCall && (confirmedAt ?? 0) > now - ISSUED_BY_0_3_MS;
  const isUntold = state === 'confirmed' && (isByFact || namesDue != null);
  const work = { ...decideWork(order), issueTickets: isUntold ? soonAfter(namesDue ?? confirmedAt) : null };
  const missing = Object.entries(work).filter(([name, at]) => at !== null && !(name in due));
  const own: O = isUntold ? { ...order, ticketsByCall: true, namesDue: null } : order;
  return missing.length === 0 ? own : { ...own, due: { ...toDue(Object.fromEntries(missing)), ...due } };
}
