import type { Metrics } from '@boxoffice/runtime';
import { announcing } from '@boxoffice/service';
import type { Store } from '@boxoffice/store';
import { announceOrder, ORDER_RECORDED } from './announcements.ts';
import type { Clients } from './clients/clients.ts';
import { type Contacts, createContacts } from './clients/contacts.ts';
import { createStock, type Stock } from './clients/stock.ts';
import { createTickets, type Tickets } from './clients/tickets.ts';
import { newId } from './ids.ts';
import { countMoves } from './metrics.ts';
import { createHoldLimit, type HoldLimit, isVisitor } from './steps/hold-limit.ts';
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
