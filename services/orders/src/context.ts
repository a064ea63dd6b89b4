import { Fault } from '@boxoffice/envelope';
import { type Caller, restrictionOf } from '@boxoffice/identity';
import type { Metrics } from '@boxoffice/runtime';
import { announcing, salesBoundsOf } from '@boxoffice/service';
import { boundedCollection, type Store } from '@boxoffice/store';
import { type Clients, type Contacts, createContacts } from './clients/clients.ts';
import { createStock, type Stock } from './clients/stock.ts';
import { createTickets, type Tickets } from './clients/tickets.ts';
import { announceOrder, ORDER_RECORDED } from './events.ts';
import { newId } from './ids.ts';
import { createHoldLimit, type HoldLimit, isVisitor } from './steps/hold-limit.ts';
import { countMoves } from './steps/metrics.ts';
import { type Collections, collectionsOf } from './store.ts';

/** Records failures that fail no request. */
export interface Log {
  warn(message: string, fields?: { readonly error?: unknown; readonly count?: number }): void;
}

/** The context of every command: collections, clients of other services, limits, clock and ids. */
export interface OrdersContext extends Collections {
  readonly stock: Stock;
  readonly contacts: Contacts;
  readonly tickets: Tickets;
  readonly limit: HoldLimit;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Makes a new id with this prefix. */
  readonly newId: (prefix: string) => string;
  /** Milliseconds for which a payment may stay pending after `expiresAt` or `dueAt`. */
  readonly graceMs: number;
  readonly log: Log;
}

export interface Limits {
  /** Maximum unsold places that one client holds at once. */
  readonly maxHeldPlaces: number;
  /** Maximum unsold places that all visitors of one address hold at once in their carts. */
  readonly maxHeldPlacesPerAddress: number;
  /** Milliseconds for which a payment may stay pending after the hold would have ended. */
  readonly graceMs: number;
}

/** Creates the context over a store and the services that orders calls, on the system's clock. */
export const createContext = (
  store: Store,
  { catalog, contacts, tickets }: Clients,
  { maxHeldPlaces, maxHeldPlacesPerAddress, graceMs }: Limits,
  log: Log,
  metrics?: Metrics,
): OrdersContext => {
  const stored = collectionsOf(store);
  // Every write announces what partners hear of.
  const orders = announcing(stored.orders, ORDER_RECORDED, announceOrder, metrics && countMoves(metrics));
  return {
    ...stored,
    orders,
    stock: createStock(catalog),
    contacts: createContacts(contacts),
    tickets: createTickets(tickets),
    limit: createHoldLimit(orders, (client) => (isVisitor(client) ? maxHeldPlacesPerAddress : maxHeldPlaces)),
    now: Date.now,
    newId: (prefix) => newId(prefix, Date.now()),
    graceMs,
    log,
  };
};

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
