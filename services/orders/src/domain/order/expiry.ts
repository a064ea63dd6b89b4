import { type Accepted, accept, type Decision, refuse } from './decision.ts';
import { orderExpired } from './facts.ts';
import { isPaidInFull } from './money.ts';
import type { Order } from './order.ts';
import { abandoned, isPastDue, isUnpaid, linesAtEnd, touched } from './state.ts';

const isOver = (order: Order, now: number): boolean =>
  isUnpaid(order) && order.deadline !== null && order.deadline <= now;

/**
 * Begins the sale of an order that is paid in full, by a change of its lines or at its deadline, when it is `late`: its
 * hold has ended, so its places are held again or replaced.
 */
export const soldIfPaid = <O extends Order>(order: O, request: string, now: number): Accepted<O> | undefined =>
  isUnpaid(order) && isPaidInFull(order)
    ? accept({
        ...order,
        pendingStep: { step: 'confirm', request, since: now, late: isOver(order, now), paymentId: null },
      })
    : undefined;

/**
 * Expires the order if its deadline has passed, whatever step is pending; unchanged otherwise. For the end of a step
 * that did not sell it.
 */
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
            pendingStep: null,
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
  (isOver(order, now) ? soldIfPaid(order, `${order.id}.paid.${order.deadline}`, now) : undefined) ??
  expiredUnsold(order, now);

/**
 * Ends an order whose deadline has passed, on read and by the sweep: paid in full it begins the sale, else it expires.
 * Refused as `not_due` before that, in states without a deadline, and while a step is pending (recovery ends it first).
 * Payments stay, pending ones too.
 */
export const expire = <O extends Order>(order: O, now: number): Decision<O> =>
  isPastDue(order, now) ? endedIfDue(order, now) : refuse('not_due');
