import { accept, type Decision, refuse } from './order/decision.ts';
import { orderCancelled } from './order/facts.ts';
import type { Order } from './order/order.ts';
import { isLeftToRecovery } from './order/pending-step.ts';
import { abandoned, busy, isPastDue, linesAtEnd, touched, wrongState } from './order/state.ts';
import { controlledTickets } from './tickets.ts';

/** Whether a cancellation waits for the pending step: not for a release of places, nor for a step left to recovery. */
const mustWait = ({ pendingStep: pending }: Order): boolean =>
  pending !== null && pending.step !== 'release' && !isLeftToRecovery(pending);

/**
 * any live state → cancelled. `controlled`: the number of controlled tickets by the tickets service, null if it did
 * not answer; then the control state recorded in the order counts. Refused: `ticket_controlled` unless overridden,
 * `wrong_state` (cancelled, expired). The pending step of a dead process is aborted: its end is refused as
 * `step_lost`, and its effect in the catalog is older than the cancellation, which releases it.
 */
export const cancel = <O extends Order>(
  order: O,
  how: { readonly reason: string | null; readonly override: boolean; readonly controlled: number | null },
  now: number,
): Decision<O> => {
  if (order.state === 'draft' || order.state === 'expired' || order.state === 'cancelled')
    return order.pendingStep !== null && order.state !== 'cancelled' ? busy() : wrongState(order, 'cancelled');
  if (mustWait(order)) return busy();
  if (isPastDue(order, now)) return refuse('past_due', "The order's deadline has passed, so it cannot be cancelled.");
  const controlled = how.controlled ?? controlledTickets(order);
  if (controlled > 0 && !how.override) {
    const tickets = controlled === 1 ? '1 ticket of the order is' : `${controlled} tickets of the order are`;
    return refuse('ticket_controlled', `${tickets} controlled, so it cannot be cancelled.`);
  }
  const hadTickets = order.state === 'confirmed';
  const fact = orderCancelled(order, { ...how, hadTickets });
  // Without places no event follows that could settle the cancellation.
  const placesReleased = fact.data.placeIds.length === 0 ? 0 : null;
  const none = hadTickets ? null : 0;
  const cancelled: O = {
    ...order,
    state: 'cancelled',
    lines: linesAtEnd(order),
    deadline: null,
    cameFrom: null,
    pendingStep: null,
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
