import type { Metrics } from '@boxoffice/runtime';
import type { Peer } from '@boxoffice/service';
import type { Store } from '@boxoffice/store';
import { createContacts } from './clients/contacts.ts';
import { createStock } from './clients/stock.ts';
import { createTickets } from './clients/tickets.ts';
import type { Log, OrdersContext } from './context.ts';
import { newId } from './ids.ts';
import { countedOrders } from './metrics.ts';
import { createHoldLimit } from './steps/hold-limit.ts';
import { createLease } from './steps/lease.ts';
import { isVisitor } from './steps/visitor.ts';
import { collectionsOf } from './store.ts';

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
  { catalog, contacts, tickets }: Readonly<Record<'catalog' | 'contacts' | 'tickets', Peer>>,
  { maxHeldPlaces, maxHeldPlacesPerAddress, graceMs }: Limits,
  log: Log,
  metrics?: Metrics,
): OrdersContext => {
  const found = collectionsOf(store);
  return {
    ...found,
    orders: metrics ? countedOrders(found.orders, metrics) : found.orders,
    stock: createStock(catalog),
    contacts: createContacts(contacts),
    tickets: createTickets(tickets),
    limit: createHoldLimit(found.orders, (client) => (isVisitor(client) ? maxHeldPlacesPerAddress : maxHeldPlaces)),
    lease: createLease(store),
    now: Date.now,
    newId: (prefix) => newId(prefix, Date.now()),
    graceMs,
    log,
  };
};
