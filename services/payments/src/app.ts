import { Fault } from '@boxoffice/envelope';
import { requireQueue } from '@boxoffice/messaging';
import { readVersion } from '@boxoffice/runtime';
import { createServiceClient, type ServiceDefinition } from '@boxoffice/service';
import { catalogApi } from './clients/generated/catalog.ts';
import { ordersApi } from './clients/generated/orders.ts';
import { createCatalog, createOrders } from './clients/services.ts';
import { createRoutes } from './commands.ts';
import { createContext, type PaymentsContext, settings } from './context.ts';
import { reactTo } from './reactions.ts';
import { collections, retention } from './store.ts';
import { work } from './work.ts';

const queue = requireQueue('payments.orders.v1');

const notTaken = (): Promise<never> => Promise.reject(new Fault('service_unavailable', 'It is not taken yet.'));

export const payments: ServiceDefinition<typeof settings, PaymentsContext> = {
  name: 'payments',
  version: readVersion(import.meta.url),
  collections,
  retention: () => retention,
  settings,
  calls: [catalogApi, ordersApi],
  queues: [queue],
  prepare: (parts) => {
    const { credentials, logger } = parts;
    const { catalogUrl, ordersUrl } = parts.settings;
    return createContext(parts, {
      orders: createOrders(createServiceClient(ordersApi, { url: ordersUrl, credentials, logger })),
      catalog: createCatalog(createServiceClient(catalogApi, { url: catalogUrl, credentials, logger })),
      simulate: () => notTaken,
    });
  },
  tags: { 'payment-providers': 'Payments on the hosted pages of a provider: its keys, its webhooks.' },
  operations: (_parts, context) => createRoutes(context),
  reactions: (_parts, context) => [{ queue, handle: reactTo(context) }],
  work,
};
