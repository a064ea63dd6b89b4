import { requireQueue } from '@boxoffice/messaging';
import { readVersion } from '@boxoffice/runtime';
import { createServiceClient, type ServiceDefinition } from '@boxoffice/service';
import { catalogApi } from './clients/generated/catalog.ts';
import { ordersApi } from './clients/generated/orders.ts';
import { createCatalog, createOrders } from './clients/services.ts';
import { createRoutes } from './commands.ts';
import { createContext, type PaymentsContext, settings } from './context.ts';
import { reactTo } from './reactions.ts';
import type { Disturb } from './simulator/api.ts';
import { createSimulator, type Simulator } from './simulator/simulator.ts';
import { collections, retention } from './store.ts';
import { readWebhookSecret, takeWebhook } from './webhooks/take.ts';
import { work } from './work.ts';

const queue = requireQueue('payments.orders.v1');

interface PaymentsState extends PaymentsContext {
  readonly simulator: Simulator;
}

export const payments = createPayments();

/** `disturb`: what happens to requests of the simulator, for tests. */
export function createPayments(disturb?: Disturb): ServiceDefinition<typeof settings, PaymentsState> {
  return {
    name: 'payments',
    version: readVersion(import.meta.url),
    collections,
    retention: () => retention,
    settings,
    calls: [catalogApi, ordersApi],
    queues: [queue],
    prepare: (parts) => {
      const { store, publicUrl, credentials, logger } = parts;
      const { catalogUrl, ordersUrl } = parts.settings;
      const simulator: Simulator = createSimulator({
        ...{ store, publicUrl, logger, disturb },
        isOn: () => context.maySimulate(),
        findWebhookSecret: (institution) => readWebhookSecret(context, institution),
        deliver: (institution, body, signature) => takeWebhook(context, institution, body, signature),
      });
      const context: PaymentsContext = createContext(parts, {
        orders: createOrders(createServiceClient(ordersApi, { url: ordersUrl, credentials, logger })),
        catalog: createCatalog(createServiceClient(catalogApi, { url: catalogUrl, credentials, logger })),
        simulate: simulator.createFetch,
      });
      return { ...context, simulator };
    },
    front: (next, _parts, { simulator }) => simulator.front(next),
    tags: { 'payment-providers': 'Payments on the hosted pages of a provider: its keys, its webhooks.' },
    operations: (_parts, context) => createRoutes(context),
    reactions: (_parts, context) => [{ queue, handle: reactTo(context) }],
    work,
    background: (_parts, { simulator }) => ({ close: simulator.settle }),
  };
}
