// What follows from the state of an order and is still to be done: the work that is due of its document.

import { scheduleSoon } from '@boxoffice/service';
import { type DueChange, toDue } from '@boxoffice/store';
import type { Order } from './domain/order/order.ts';
import { isUnpaid } from './domain/order/state.ts';

/** Every work that an order may have. */
export const orderWork = [
  'sell',
  'expire',
  'releaseRemoved',
  'shortenHold',
  'issueTickets',
  'writeGuest',
  'forgetGuests',
] as const;

export type OrderWork = (typeof orderWork)[number];

/** When each work of the order is due, by its state alone; null: there is nothing to do. */
export function decideWork(order: Order): Readonly<Record<OrderWork, number | null>> {
  return {
    sell: soonAfter(order.saleDue?.since),
    // What is paid in full is sold; without places left, that ends it too.
    expire: isUnpaid(order) && order.saleDue == null ? order.deadline : null,
    releaseRemoved: soonAfter(order.removedPlaces?.since),
    shortenHold: soonAfter(order.shorteningDue),
    issueTickets: soonAfter(order.namesDue),
    writeGuest: order.contactNumber === null ? null : soonAfter(order.guest?.since),
    forgetGuests: soonAfter(order.formerGuests?.since),
  };
}

/** When work is due that is open since an instant, and that the request of the write does at once. */
const soonAfter = (since: number | null | undefined): number | null => (since == null ? null : scheduleSoon(since));

/** What a write makes due, or ends; `before` is undefined for an insert. */
export function followWrite(before: Order | undefined, after: Order): DueChange {
  const [had, has] = [before && decideWork(before), decideWork(after)];
  return Object.fromEntries(
    orderWork.flatMap((name) => (has[name] === (had?.[name] ?? null) ? [] : [[name, has[name]]])),
  );
}

/** An order of a release before the work was stored: it is due by the state. */
export function addWork<O extends Order & { readonly due?: object }>(order: O): O {
  const { due = {} } = order;
  const missing = Object.entries(decideWork(order)).filter(([name, at]) => at !== null && !(name in due));
  return missing.length === 0 ? order : { ...order, due: { ...toDue(Object.fromEntries(missing)), ...due } };
}
