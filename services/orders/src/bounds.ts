import { Fault } from '@boxoffice/envelope';
import { type Caller, restrictionOf } from '@boxoffice/identity';
import { salesBoundsOf } from '@boxoffice/service';
import { boundedCollection } from '@boxoffice/store';
import type { OrdersContext } from './context.ts';

/**
 * Gives an operation the context of its caller: the institution's orders, and of these what the user's role shows. It
 * is an operation's only way to the orders, so none can forget the bounds.
 */
export type ContextOf = (caller: Pick<Caller, 'institution' | 'user'>) => OrdersContext;

/** Makes the contexts of callers. The limits of holds and the steps of the saga stay common to all of them. */
export const createContextOf =
  (context: OrdersContext): ContextOf =>
  (caller) => ({
    ...context,
    orders: boundedCollection(context.orders, caller.institution, salesBoundsOf(caller)),
    links: boundedCollection(context.links, caller.institution, {}),
    cancelledPerformances: boundedCollection(context.cancelledPerformances, caller.institution, {}),
  });

/**
 * Refuses an order that its own user would not see: a box office with points of sale names one of them.
 * @throws Fault `forbidden`
 */
export const requirePointOfSale = (caller: Pick<Caller, 'user'>, pointOfSale: string | undefined): void => {
  const { pointsOfSale } = restrictionOf(caller);
  if (pointsOfSale === null || (pointOfSale !== undefined && pointsOfSale.includes(pointOfSale.toLowerCase()))) return;
  throw new Fault('forbidden', `$.pointOfSale must be one of the user's: ${pointsOfSale.join(', ')}.`);
};
