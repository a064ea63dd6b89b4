import { lapseChange } from './changes/change.ts';
import { countControlledTickets } from './confirmation.ts';
import { type Accepted, accept, type Decision, refuse } from './decisions.ts';
import { addRaisedCredit } from './order/credit.ts';
import { createOrderCancelledFact } from './order/facts.ts';
import type { Cancellation, Order } from './order/order.ts';
import { isPastDue, markAbandoned, markModified, refuseState, toFinalLines } from './order/state.ts';

/**
 * any live state → cancelled; a pending change lapses first. With override a cancelled one, too, for tickets that
 * stayed controlled. `controlled`: by the tickets service, null if it did not answer; then the order's own record
 * counts. Refused: `ticket_controlled` unless overridden, `wrong_state`, `sale_due` (paid, after the end of its hold).
 */
export function cancel<O extends Order>(
  given: O,
  how: {
    readonly reason: string | null;
    readonly override: boolean;
    readonly controlled: number | null;
    /** It is not the institution's: what was paid through a provider goes back by itself. */
    readonly givesBack?: boolean;
  },
  now: number,
): Decision<O> {
  const order = lapseChange(given, {}, now);
  if (order.cancellation && how.override && mayHaveKeptTickets(order.cancellation)) {
    const cancellation = { ...order.cancellation, override: true };
    const next = { ...order, cancellation };
    return accept(markModified(next, now), createOrderCancelledFact(next, cancellation));
  }
  if (order.state === 'expired' || order.state === 'cancelled')
    return order.saleDue ? refuse('sale_due') : refuseState(order, 'cancelled');
  // Late, its places are held again first: no fact of an earlier cancellation would release them. Unseen, it is sold
  // first: nobody sees anything else.
  if (order.saleDue && (order.unseen || (order.expiresAt ?? 0) <= now)) return refuse('sale_due');
  if (isPastDue(order, now)) return refuse('past_due', "The order's deadline has passed, so it cannot be cancelled.");
  const controlled = how.controlled ?? countControlledTickets(order);
  if (controlled > 0 && !how.override) {
    const tickets = controlled === 1 ? '1 ticket of the order is' : `${controlled} tickets of the order are`;
    return refuse('ticket_controlled', `${tickets} controlled, so it cannot be cancelled.`);
  }
  const hadTickets = order.state === 'confirmed';
  const fact = createOrderCancelledFact(order, { ...how, hadTickets });
  // No event would follow that could settle the cancellation.
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
  return accept(markModified(how.givesBack ? addRaisedCredit(order, cancelled, now) : cancelled, now), fact);
}

/** True until they are counted, and never after an override. */
const mayHaveKeptTickets = ({ hadTickets, override, controlled }: Cancellation): boolean =>
  hadTickets && !override && controlled !== 0;

/** Duplicates and older events change nothing. */
export function recordTicketsCancelled<O extends Order>(
  order: O,
  fact: { readonly version: number; readonly ticketsCancelled: number; readonly controlled: number },
  now: number,
): Accepted<O> {
  const { cancellation } = order;
  if (!cancellation?.hadTickets || fact.version <= cancellation.ticketsVersion) return accept(order);
  const { version: ticketsVersion, ticketsCancelled, controlled } = fact;
  const next = settleIfComplete({ ...cancellation, ticketsCancelled, controlled, ticketsVersion }, now);
  return accept(markModified({ ...order, cancellation: next }, now));
}

/** Once, when the last number becomes known. */
const settleIfComplete = (cancellation: Cancellation, now: number): Cancellation => {
  const { settledAt, ticketsCancelled, controlled, placesReleased } = cancellation;
  const known = ticketsCancelled !== null && controlled !== null && placesReleased !== null;
  return settledAt === null && known ? { ...cancellation, settledAt: now } : cancellation;
};

export const PERFORMANCE_CANCELLED = 'the performance was cancelled';

export const releaseCauses = ['order.cancelled', 'tickets.cancelled', 'order.expired'] as const;
export type ReleaseCause = (typeof releaseCauses)[number];

/** Only of the release that the cancellation caused, never of an earlier expiry. */
export function recordPlacesReleased<O extends Order>(
  order: O,
  fact: { readonly version: number; readonly cause: ReleaseCause; readonly placesReleased: number },
  now: number,
): Accepted<O> {
  const { cancellation } = order;
  if (!cancellation || fact.version <= cancellation.placesVersion) return accept(order);
  if (fact.cause !== (cancellation.hadTickets ? 'tickets.cancelled' : 'order.cancelled')) return accept(order);
  const { version: placesVersion, placesReleased } = fact;
  const next = settleIfComplete({ ...cancellation, placesReleased, placesVersion }, now);
  return accept(markModified({ ...order, cancellation: next }, now));
}
