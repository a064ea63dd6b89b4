import { requireQueue } from '@boxoffice/messaging';
import { readVersion } from '@boxoffice/runtime';
import { type ServiceDefinition, startCompletion } from '@boxoffice/service';
import { catalogApi } from './clients/generated/catalog.ts';
import { contactsApi } from './clients/generated/contacts.ts';
import { ticketsApi } from './clients/generated/tickets.ts';
import { createRoutes } from './commands.ts';
import { createContext, type OrdersContext, settings } from './context.ts';
import { currentFacts, examples, schemas } from './events.ts';
import { applyFulfilment, cancelPerformanceOrders, eraseContact, movePerformanceLines } from './reactions.ts';
import { collections, ORDERS_OF_0_3, ordersCollection, retention } from './store.ts';
import { work } from './work.ts';

export const orders: ServiceDefinition<typeof settings, OrdersContext> = {
  name: 'orders',
  version: readVersion(import.meta.url),
  currentFacts,
  facts: { schemas, examples },
  calls: [catalogApi, contactsApi, ticketsApi],
  collections,
  retention: () => retention,
  settings,
  queues: [
    requireQueue('orders.fulfilment.v1'),
    requireQueue('orders.performance-cancelled.v1'),
    requireQueue('orders.performance-moved.v1'),
    requireQueue('orders.contact-erased.v1'),
  ],
  prepare: createContext,
  tags: {
    orders: 'Orders: quotes, lines, reservation, confirmation and cancellation.',
    payments: 'Payments of orders, recorded as the payment provider reports them.',
    refunds: 'Money that went back to the payers of orders.',
  },
  operations: (_parts, context) => createRoutes(context),
  reactions: ({ store }, context) => [
    { queue: requireQueue('orders.fulfilment.v1'), handle: (message) => applyFulfilment(context, message) },
    {
      queue: requireQueue('orders.performance-cancelled.v1'),
      handle: (message) => cancelPerformanceOrders(context, message),
    },
    {
      queue: requireQueue('orders.performance-moved.v1'),
      handle: (message) => movePerformanceLines(context, message),
    },
    {
      queue: requireQueue('orders.contact-erased.v1'),
      handle: (message) => eraseContact(context, store.idempotency, message),
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
