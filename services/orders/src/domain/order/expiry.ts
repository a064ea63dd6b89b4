import { type Accepted, accept, type Decision, refuse } from './decision.ts';
import { orderExpired } from './facts.ts';
import type { Order } from './order.ts';
import { abandoned, isPastDue, isUnpaid, linesAtEnd, touched } from './state.ts';

/**
 * Expires the order if its deadline has passed, whatever step is pending; unchanged otherwise. For the end of a step.
 */
export const expiredIfDue = <O extends Order>(order: O, now: number): Accepted<O> =>
  isUnpaid(order) && order.deadline !== null && order.deadline <= now
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

/**
 * Expires an order whose deadline has passed: on read and by the sweep. Refused as `not_due` before that, in states
 * without a deadline, and while a step is pending (recovery ends it first). Payments stay, pending ones too.
 */
export const expire = <O extends Order>(order: O, now: number): Decision<O> =>
  isPastDue(order, now) ? expiredIfDue(order, now) : refuse('not_due');
