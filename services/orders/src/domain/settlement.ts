import { type Accepted, accept } from './order/decision.ts';
import type { Cancellation, Order } from './order/order.ts';
import { touched } from './order/state.ts';

/** Sets `settledAt` once, when the last number becomes known. */
const settled = (cancellation: Cancellation, now: number): Cancellation => {
  const { settledAt, ticketsCancelled, controlled, placesReleased } = cancellation;
  const known = ticketsCancelled !== null && controlled !== null && placesReleased !== null;
  return settledAt === null && known ? { ...cancellation, settledAt: now } : cancellation;
};

/** Records how many tickets were cancelled (`tickets.cancelled`). Duplicates and older events change nothing. */
export const recordTicketsCancelled = <O extends Order>(
  order: O,
  fact: { readonly version: number; readonly ticketsCancelled: number; readonly controlled: number },
  now: number,
): Accepted<O> => {
  const { cancellation } = order;
  if (!cancellation?.hadTickets || fact.version <= cancellation.ticketsVersion) return accept(order);
  const { version: ticketsVersion, ticketsCancelled, controlled } = fact;
  const next = settled({ ...cancellation, ticketsCancelled, controlled, ticketsVersion }, now);
  return accept(touched({ ...order, cancellation: next }, now));
};

export const releaseCauses = ['order.cancelled', 'tickets.cancelled', 'order.expired'] as const;
export type ReleaseCause = (typeof releaseCauses)[number];

/**
 * Records how many places were released (`places.released`). Only the release caused by the cancellation counts: of
 * its tickets, or of the order itself if it had none; never one caused by an earlier expiry.
 */
export const recordPlacesReleased = <O extends Order>(
  order: O,
  fact: { readonly version: number; readonly cause: ReleaseCause; readonly placesReleased: number },
  now: number,
): Accepted<O> => {
  const { cancellation } = order;
  if (!cancellation || fact.version <= cancellation.placesVersion) return accept(order);
  if (fact.cause !== (cancellation.hadTickets ? 'tickets.cancelled' : 'order.cancelled')) return accept(order);
  const { version: placesVersion, placesReleased } = fact;
  const next = settled({ ...cancellation, placesReleased, placesVersion }, now);
  return accept(touched({ ...order, cancellation: next }, now));
};
