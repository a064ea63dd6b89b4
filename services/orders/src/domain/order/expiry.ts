import { type Accepted, accept, type Decision, refuse } from './decision.ts';
import { orderExpired } from './facts.ts';
import { isPaidInFull } from './money.ts';
import type { Order } from './order.ts';
import { abandoned, isPastDue, isUnpaid, linesAtEnd, touched } from './state.ts';

const isOver = (order: Order, now: number): boolean =>
  isUnpaid(order) && order.deadline !== null && order.deadline <= now;

/** The order that is to be sold, since it is paid in full by a change of its lines or at its deadline; else undefined. */
export const soldIfPaid = <O extends Order>(order: O, now: number): Accepted<O> | undefined =>
  isUnpaid(order) && isPaidInFull(order) ? accept({ ...order, saleDue: { since: now, paymentId: null } }) : undefined;

/** Expires the order if its deadline has passed, also one that could not be sold; unchanged otherwise. */
export const expiredUnsold = <O extends Order>(order: O, now: number): Accepted<O> =>
  isOver(order, now)
    ? accept(
        touched(
          {
            ...order,
            state: 'expired',
            lines: linesAtEnd(order),
            deadline: null,
            cameFrom: null,
            saleDue: null,
            heldPlaces: 0,
            ...abandoned(order, now),
          },
          now,
        ),
        orderExpired(order),
      )
    : accept(order);

/** The end of an order whose deadline has passed: sold if it is paid in full, else expired; unchanged otherwise. */
export const endedIfDue = <O extends Order>(order: O, now: number): Accepted<O> =>
  (isOver(order, now) ? soldIfPaid(order, now) : undefined) ?? expiredUnsold(order, now);

/**
 * Ends an order whose deadline has passed, on read and by the sweep: paid in full it begins the sale, else it expires.
 * Refused as `not_due` before that, in states without a deadline, and once the sale is due. Payments stay, pending ones
 * too.
 */
export const expire = <O extends Order>(order: O, now: number): Decision<O> =>
  isPastDue(order, now) ? endedIfDue(order, now) : refuse('not_due');
