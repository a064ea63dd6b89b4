import { topology } from '@boxoffice/messaging';
import { integer, url, versionOf } from '@boxoffice/runtime';
import { createPeer, type Parts, type Peer, type ServiceDefinition } from '@boxoffice/service';
import { createContext, type OrdersContext } from './context.ts';
import { currentFacts } from './current-facts.ts';
import { watchOrders } from './metrics.ts';
import { onContactErased } from './reactions/contact-erased.ts';
import { onFulfilment } from './reactions/fulfilment.ts';
import { onPerformanceCancelled } from './reactions/performance-cancelled.ts';
import { routes } from './routes.ts';
import { startHeartbeat, startSweeper } from './steps/sweep.ts';
import { collections, retention } from './store.ts';

const settings = {
  catalogUrl: url('CATALOG_URL', { origin: true }),
  contactsUrl: url('CONTACTS_URL', { origin: true }),
  ticketsUrl: url('TICKETS_URL', { origin: true }),
  /** Most places that one client may hold unsold at once. */
  maxHeldPlaces: integer('MAX_HELD_PLACES', { default: 5_000, min: 1 }),
  /** Most places that the visitors of one address may hold unsold at once in their carts. */
  posHeldPlacesPerAddress: integer('POS_HELD_PLACES_PER_ADDRESS', { default: 50, min: 1 }),
  /** How long a payment may be pending after the hold would have ended. */
  paymentGraceSeconds: integer('PAYMENT_GRACE_SECONDS', { default: 900, min: 0 }),
};

interface State {
  readonly context: OrdersContext;
  readonly peers: readonly Peer[];
}

const prepare = ({ store, credentials, logger, settings: own, metrics }: Parts<typeof settings>): State => {
  const peer = (name: string, address: string) => createPeer({ name, url: address, credentials });
  const catalog = peer('catalog', own.catalogUrl);
  const contacts = peer('contacts', own.contactsUrl);
  const tickets = peer('tickets', own.ticketsUrl);
  const limits = {
    maxHeldPlaces: own.maxHeldPlaces,
    maxHeldPlacesPerAddress: own.posHeldPlacesPerAddress,
    graceMs: own.paymentGraceSeconds * 1_000,
  };
  const context = createContext(store, { catalog, contacts, tickets }, limits, logger, metrics);
  if (metrics) watchOrders(context.orders, metrics);
  return { context, peers: [catalog, contacts, tickets] };
};

/** The orders service: orders, their lines, payments and cancellation. */
export const orders: ServiceDefinition<typeof settings, State> = {
  name: 'orders',
  version: versionOf(import.meta.url),
  currentFacts,
  collections,
  retention: () => retention,
  settings,
  queues: [topology.ordersFulfilment, topology.ordersPerformanceCancelled, topology.ordersContactErased],
  prepare,
  operations: (_parts, { context }) => routes(context),
  reactions: ({ store }, { context }) => [
    { queue: topology.ordersFulfilment, handle: (message) => onFulfilment(context, message) },
    { queue: topology.ordersPerformanceCancelled, handle: (message) => onPerformanceCancelled(context, message) },
    { queue: topology.ordersContactErased, handle: (message) => onContactErased(context, store.idempotency, message) },
  ],
  background: ({ store }, { context, peers }) => {
    const heartbeat = startHeartbeat(context);
    const sweeper = startSweeper(context, store);
    return {
      async close() {
        await sweeper.close();
        await heartbeat.close();
        for (const peer of peers) peer.close();
      },
    };
  },
};
