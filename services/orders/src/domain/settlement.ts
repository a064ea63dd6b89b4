import { type Accepted, accept } from './order/decision.ts';
import type { Cancellation, Order } from './order/order.ts';
import { touched } from './order/state.ts';

/** The instant at which the last number became known, once and for all. */
const settled = (cancellation: Cancellation, now: number): Cancellation => {
  const { settledAt, ticketsCancelled, controlled, placesReleased } = cancellation;
  const known = ticketsCancelled !== null && controlled !== null && placesReleased !== null;
  return settledAt === null && known ? { ...cancellation, settledAt: now } : cancellation;
};

/** Notes what became of the tickets (`tickets.cancelled`). Duplicates and facts older than the last one change nothing. */
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

export type ReleaseCause = 'order.cancelled' | 'tickets.cancelled' | 'order.expired';

/**
 * Notes how many places are free again (`places.released`). Only the release that follows what the order had counts:
 * its tickets, or without any the order itself; an earlier expiry never does.
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
