import { accept, type Decision, refuse } from './order/decision.ts';
import { orderCancelled } from './order/facts.ts';
import type { Order } from './order/order.ts';
import { isAbandoned } from './order/pending-step.ts';
import { abandoned, busy, isPastDue, parting, touched, wrongState } from './order/state.ts';
import { controlledTickets } from './tickets.ts';

/** A step that a cancellation waits for: not a mere release of places, and none that its process has left. */
const mustWait = ({ begun }: Order): boolean => begun !== null && begun.step !== 'release' && !isAbandoned(begun);

/**
 * any live state → cancelled. `controlled`: how many tickets are controlled as the tickets service just said, null if it
 * could not be asked; then the order's own notes count. Refused: `ticket_controlled` unless overridden, `wrong_state`
 * (cancelled, expired). A step that died is given up: ending it finds `step_lost`, and what it did at the catalog is older
 * than the cancellation, which frees it.
 */
export const cancel = <O extends Order>(
  order: O,
  how: { readonly reason: string | null; readonly override: boolean; readonly controlled: number | null },
  now: number,
): Decision<O> => {
  if (order.state === 'draft' || order.state === 'expired' || order.state === 'cancelled')
    return order.begun !== null && order.state !== 'cancelled' ? busy() : wrongState(order, 'cancelled');
  if (mustWait(order)) return busy();
  if (isPastDue(order, now)) return refuse('past_due', "The order's deadline has passed, so it cannot be cancelled.");
  const controlled = how.controlled ?? controlledTickets(order);
  if (controlled > 0 && !how.override) {
    const tickets = controlled === 1 ? '1 ticket of the order is' : `${controlled} tickets of the order are`;
    return refuse('ticket_controlled', `${tickets} controlled, so it cannot be cancelled.`);
  }
  const hadTickets = order.state === 'confirmed';
  const fact = orderCancelled(order, { ...how, hadTickets });
  // Without places nothing follows that could settle it.
  const placesReleased = fact.data.placeIds.length === 0 ? 0 : null;
  const none = hadTickets ? null : 0;
  const cancelled: O = {
    ...order,
    state: 'cancelled',
    lines: parting(order),
    deadline: null,
    cameFrom: null,
    begun: null,
    heldPlaces: 0,
    ...abandoned(order, now),
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
  return accept(touched(cancelled, now), fact);
};
