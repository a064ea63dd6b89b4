import type { AnyOperation } from '@boxoffice/http';
import { queueNamed } from '@boxoffice/messaging';
import { versionOf } from '@boxoffice/runtime';
import { type ServiceDefinition, startCompletion } from '@boxoffice/service';
import { shopRoutes } from './cart/routes.ts';
import { catalogApi } from './clients/generated/catalog.ts';
import { contactsApi } from './clients/generated/contacts.ts';
import { ticketsApi } from './clients/generated/tickets.ts';
import { createContext, createContextOf, type OrdersContext, settings } from './context.ts';
import { currentFacts, examples, schemas } from './events.ts';
import { linesRoutes } from './orders/line-routes.ts';
import { mailsRoutes } from './orders/mail-routes.ts';
import { quoteRoutes } from './orders/quote.ts';
import { actionsRoutes, ordersRoutes } from './orders/routes.ts';
import { recordsRoutes } from './payments/list-routes.ts';
import { paymentsRoutes, refundsRoutes } from './payments/routes.ts';
import { onContactErased, onFulfilment, onPerformanceCancelled } from './reactions.ts';
import { collections, ORDERS_OF_0_3, ordersCollection, retention } from './store.ts';
import { work } from './work.ts';

/** The orders service: orders, lines, payments, refunds, cancellation, and the carts of the points of sale. */
export const orders: ServiceDefinition<typeof settings, OrdersContext> = {
  name: 'orders',
  version: versionOf(import.meta.url),
  currentFacts,
  facts: { schemas, examples },
  calls: [catalogApi, contactsApi, ticketsApi],
  collections,
  retention: () => retention,
  settings,
  queues: [
    queueNamed('orders.fulfilment.v1'),
    queueNamed('orders.performance-cancelled.v1'),
    queueNamed('orders.contact-erased.v1'),
  ],
  prepare: createContext,
  tags: {
    orders: 'Orders: quotes, lines, reservation, confirmation and cancellation.',
    payments: 'Payments of orders, recorded as the payment provider reports them.',
    refunds: 'Money that went back to the payers of orders.',
  },
  operations: (_parts, context) => routes(context),
  reactions: ({ store }, context) => [
    { queue: queueNamed('orders.fulfilment.v1'), handle: (message) => onFulfilment(context, message) },
    {
      queue: queueNamed('orders.performance-cancelled.v1'),
      handle: (message) => onPerformanceCancelled(context, message),
    },
    {
      queue: queueNamed('orders.contact-erased.v1'),
      handle: (message) => onContactErased(context, store.idempotency, message),
    },
  ],
  work,
  background: ({ store, logger }) => {
    const completions = ORDERS_OF_0_3.map((old) => startCompletion(store, ordersCollection, old, logger));
    return {
      async close() {
        await Promise.all(completions.map((one) => one.close()));
      },
    };
  },
};

/** Every operation of the orders service, by folder. Those of the institution API see what their caller may see. */
export function routes(context: OrdersContext): AnyOperation[] {
  const contextOf = createContextOf(context);
  return [
    ...quoteRoutes(contextOf),
    ...ordersRoutes(contextOf),
    ...linesRoutes(contextOf),
    ...mailsRoutes(contextOf),
    ...paymentsRoutes(contextOf),
    ...refundsRoutes(contextOf),
    ...recordsRoutes(contextOf),
    ...actionsRoutes(contextOf),
    ...shopRoutes(context),
  ];
}
