import { countControlledTickets } from './confirmation.ts';
import { type Accepted, accept, type Decision, refuse } from './decisions.ts';
import { createOrderCancelledFact } from './order/facts.ts';
import type { Cancellation, Order } from './order/order.ts';
import { isPastDue, markAbandoned, markModified, refuseState, toFinalLines } from './order/state.ts';

/**
 * any live state → cancelled. `controlled`: the number of controlled tickets by the tickets service, null if it did not
 * answer; then the control state recorded in the order counts. Refused: `ticket_controlled` unless overridden,
 * `wrong_state` (cancelled, expired), `sale_due` (paid in full, after the end of its hold). A sale in progress is
 * refused as `wrong_state` when it would confirm the order; what it has sold is released by the cancellation's fact.
 */
export function cancel<O extends Order>(
  order: O,
  how: { readonly reason: string | null; readonly override: boolean; readonly controlled: number | null },
  now: number,
): Decision<O> {
  if (order.state === 'expired' || order.state === 'cancelled')
    return order.saleDue ? refuse('sale_due') : refuseState(order, 'cancelled');
  // Late, its places are held again first: no fact of an earlier cancellation would release them.
  if (order.saleDue && (order.expiresAt ?? 0) <= now) return refuse('sale_due');
  if (isPastDue(order, now)) return refuse('past_due', "The order's deadline has passed, so it cannot be cancelled.");
  const controlled = how.controlled ?? countControlledTickets(order);
  if (controlled > 0 && !how.override) {
    const tickets = controlled === 1 ? '1 ticket of the order is' : `${controlled} tickets of the order are`;
    return refuse('ticket_controlled', `${tickets} controlled, so it cannot be cancelled.`);
  }
  const hadTickets = order.state === 'confirmed';
  const fact = createOrderCancelledFact(order, { ...how, hadTickets });
  // Without places no event follows that could settle the cancellation.
  const placesReleased = fact.data.placeIds.length === 0 ? 0 : null;
  const none = hadTickets ? null : 0;
  const cancelled: O = {
    ...order,
    state: 'cancelled',
    lines: toFinalLines(order),
    deadline: null,
    cameFrom: null,
    saleDue: null,
    shorteningDue: null,
    // No fact about tickets names them.
    removedPlaces: hadTickets ? (order.removedPlaces ?? null) : null,
    heldPlaces: 0,
    ...markAbandoned(order, now),
    cancellation: {
      reason: how.reason,
      requestedAt: now,
      hadTickets,
      override: how.override,
      ticketsCancelled: none,
      controlled: none,
      placesReleased,
      settledAt: none !== null && placesReleased !== null ? now : null,
      ticketsVersion: 0,
      placesVersion: 0,
    },
  };
  return accept(markModified(cancelled, now), fact);
}

/** Records how many tickets were cancelled (`tickets.cancelled`). Duplicates and older events change nothing. */
export function recordTicketsCancelled<O extends Order>(
  order: O,
  fact: { readonly version: number; readonly ticketsCancelled: number; readonly controlled: number },
  now: number,
): Accepted<O> {
  const { cancellation } = order;
  if (!cancellation?.hadTickets || fact.version <= cancellation.ticketsVersion) return accept(order);
  const { version: ticketsVersion, ticketsCancelled, controlled } = fact;
  const next = settled({ ...cancellation, ticketsCancelled, controlled, ticketsVersion }, now);
  return accept(markModified({ ...order, cancellation: next }, now));
}

/** Sets `settledAt` once, when the last number becomes known. */
const settled = (cancellation: Cancellation, now: number): Cancellation => {
  const { settledAt, ticketsCancelled, controlled, placesReleased } = cancellation;
  const known = ticketsCancelled !== null && controlled !== null && placesReleased !== null;
  return settledAt === null && known ? { ...cancellation, settledAt: now } : cancellation;
};

/** The reason of a cancellation that follows from that of a performance. */
export const PERFORMANCE_CANCELLED = 'the performance was cancelled';

export const releaseCauses = ['order.cancelled', 'tickets.cancelled', 'order.expired'] as const;
export type ReleaseCause = (typeof releaseCauses)[number];

/**
 * Records how many places were released (`places.released`). Only the release caused by the cancellation counts: of
 * its tickets, or of the order itself if it had none; never one caused by an earlier expiry.
 */
export function recordPlacesReleased<O extends Order>(
  order: O,
  fact: { readonly version: number; readonly cause: ReleaseCause; readonly placesReleased: number },
  now: number,
): Accepted<O> {
  const { cancellation } = order;
  if (!cancellation || fact.version <= cancellation.placesVersion) return accept(order);
  if (fact.cause !== (cancellation.hadTickets ? 'tickets.cancelled' : 'order.cancelled')) return accept(order);
  const { version: placesVersion, placesReleased } = fact;
  const next = settled({ ...cancellation, placesReleased, placesVersion }, now);
  return accept(markModified({ ...order, cancellation: next }, now));
}
