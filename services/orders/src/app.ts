import type { AnyOperation } from '@boxoffice/http';
import { topology } from '@boxoffice/messaging';
import { integer, url, versionOf } from '@boxoffice/runtime';
import type { Parts, ServiceDefinition } from '@boxoffice/service';
import { shopRoutes } from './cart/routes.ts';
import { createClients } from './clients/clients.ts';
import { createContext, createContextOf, type OrdersContext } from './context.ts';
import { currentFacts } from './events.ts';
import { actionsRoutes, cancellationRoutes } from './orders/action-routes.ts';
import { linesRoutes } from './orders/line-routes.ts';
import { quoteRoutes } from './orders/quote.ts';
import { ordersRoutes } from './orders/routes.ts';
import { paymentsRoutes, refundsRoutes } from './payments/routes.ts';
import { onContactErased, onFulfilment, onPerformanceCancelled } from './reactions.ts';
import { watchOrders } from './steps/metrics.ts';
import { startSweeper } from './steps/sweep.ts';
import { collections, retention } from './store.ts';

const settings = {
  catalogUrl: url('CATALOG_URL', { origin: true }),
  contactsUrl: url('CONTACTS_URL', { origin: true }),
  ticketsUrl: url('TICKETS_URL', { origin: true }),
  /** Maximum unsold places that one client holds at once. */
  maxHeldPlaces: integer('MAX_HELD_PLACES', { default: 5_000, min: 1 }),
  /** Maximum unsold places that all visitors of one address hold at once in their carts. */
  posHeldPlacesPerAddress: integer('POS_HELD_PLACES_PER_ADDRESS', { default: 50, min: 1 }),
  /** Seconds for which a payment may stay pending after the hold would have ended. */
  paymentGraceSeconds: integer('PAYMENT_GRACE_SECONDS', { default: 900, min: 0 }),
};

interface State {
  readonly context: OrdersContext;
}

const prepare = ({ store, credentials, logger, settings: own, metrics }: Parts<typeof settings>): State => {
  const clients = createClients(
    { catalog: own.catalogUrl, contacts: own.contactsUrl, tickets: own.ticketsUrl },
    credentials,
    logger,
  );
  const limits = {
    maxHeldPlaces: own.maxHeldPlaces,
    maxHeldPlacesPerAddress: own.posHeldPlacesPerAddress,
    graceMs: own.paymentGraceSeconds * 1_000,
  };
  const context = createContext(store, clients, limits, logger, metrics);
  if (metrics) watchOrders(context.orders, metrics);
  return { context };
};

/** The orders service: orders, lines, payments, refunds, cancellation, and the carts of the points of sale. */
export const orders: ServiceDefinition<typeof settings, State> = {
  name: 'orders',
  version: versionOf(import.meta.url),
  currentFacts,
  collections,
  retention: () => retention,
  settings,
  queues: [topology.ordersFulfilment, topology.ordersPerformanceCancelled, topology.ordersContactErased],
  prepare,
  tags: {
    orders: 'Orders: quotes, lines, reservation, confirmation and cancellation.',
    payments: 'Payments of an order, recorded as the payment provider reports them.',
    refunds: 'Money that went back to the payer of a cancelled order.',
  },
  operations: (_parts, { context }) => routes(context),
  reactions: ({ store }, { context }) => [
    { queue: topology.ordersFulfilment, handle: (message) => onFulfilment(context, message) },
    { queue: topology.ordersPerformanceCancelled, handle: (message) => onPerformanceCancelled(context, message) },
    { queue: topology.ordersContactErased, handle: (message) => onContactErased(context, store.idempotency, message) },
  ],
  background: ({ store }, { context }) => startSweeper(context, store),
};

/** Every operation of the orders service, by folder. Those of the institution API see what their caller may see. */
export const routes = (context: OrdersContext): AnyOperation[] => {
  const contextOf = createContextOf(context);
  return [
    ...quoteRoutes(contextOf),
    ...ordersRoutes(contextOf),
    ...linesRoutes(contextOf),
    ...paymentsRoutes(contextOf),
    ...refundsRoutes(contextOf),
    ...actionsRoutes(contextOf),
    ...cancellationRoutes(contextOf),
    ...shopRoutes(context),
  ];
};
