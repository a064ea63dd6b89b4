import type { Metrics } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import { type Contacts, createContacts } from './clients/contacts.ts';
import type { Clients } from './clients/open.ts';
import { createStock, type Stock } from './clients/stock.ts';
import { createTickets, type Tickets } from './clients/tickets.ts';
import { newId } from './ids.ts';
import { countedOrders } from './metrics.ts';
import { createHoldLimit, type HoldLimit, isVisitor } from './steps/hold-limit.ts';
import { createLease, type Lease } from './steps/lease.ts';
import { type Collections, collectionsOf } from './store.ts';
/** Where it is told what went wrong without a request failing. */
export interface Log {
  warn(message: string, fields?: { readonly error?: unknown; readonly count?: number }): void;
}

/** What the commands on orders work with. */
export interface OrdersContext extends Collections {
  readonly stock: Stock;
  readonly contacts: Contacts;
  readonly tickets: Tickets;
  readonly limit: HoldLimit;
  readonly lease: Lease;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** A new id with this prefix. */
  readonly newId: (prefix: string) => string;
  /** How long a payment may be pending after `expiresAt` or `dueAt`, in milliseconds. */
  readonly graceMs: number;
  readonly log: Log;
}

export interface Limits {
  /** Most places that one client may hold unsold at once. */
  readonly maxHeldPlaces: number;
  /** Most places that the visitors of one address may hold unsold at once in their carts. */
  readonly maxHeldPlacesPerAddress: number;
  /** How long a payment may be pending after the hold would have ended. */
  readonly graceMs: number;
}

/** The context over a store and the services that orders calls, on the system's clock. */
export const createContext = (
  store: Store,
  { catalog, contacts, tickets }: Clients,
  { maxHeldPlaces, maxHeldPlacesPerAddress, graceMs }: Limits,
  log: Log,
  metrics?: Metrics,
): OrdersContext => {
  const collections = collectionsOf(store);
  return {
    ...collections,
    orders: metrics ? countedOrders(collections.orders, metrics) : collections.orders,
    stock: createStock(catalog),
    contacts: createContacts(contacts),
    tickets: createTickets(tickets),
    limit: createHoldLimit(collections.orders, (client) =>
      isVisitor(client) ? maxHeldPlacesPerAddress : maxHeldPlaces,
    ),
    lease: createLease(store),
    now: Date.now,
    newId: (prefix) => newId(prefix, Date.now()),
    graceMs,
    log,
  };
};
