import { requireQueue } from '@boxoffice/messaging';
import { readVersion } from '@boxoffice/runtime';
import { type ServiceDefinition, startCompletion } from '@boxoffice/service';
import type { Store } from '@boxoffice/store';
import { createRoutes } from './commands.ts';
import { examples, schemas } from './events.ts';
import { applyCapacity } from './performances/capacity.ts';
import { watchLocalTimes } from './performances/local-times.ts';
import { showCodes } from './pricing/batches.ts';
import { applyLimit } from './pricing/uses.ts';
import { cancelPerformances } from './products/products.ts';
import { reactTo } from './reactions.ts';
import { CANCELLED_BY_0_3, collections, currentFacts, products, retention } from './store.ts';

export const catalog: ServiceDefinition<Record<never, never>, Store> = {
  name: 'catalog',
  version: readVersion(import.meta.url),
  currentFacts,
  facts: { schemas, examples },
  collections,
  retention: () => retention,
  tags: {
    catalog: 'Everything that is on sale, in one answer.',
    products: 'Shows, passes, memberships and goods.',
    performances: 'Dates of a product, with their seat categories, prices and places.',
    availability: 'How many places are free.',
    tariffs: 'Kinds of prices, such as full price or students.',
    taxes: 'Rates that prices include.',
    fees: 'What is charged on tickets and orders beside their prices.',
    discounts: 'What lowers prices or unlocks tariffs, by itself or by codes.',
    'points-of-sale': 'Web shops and counters, each with what it sells.',
  },
  prepare: ({ store }) => store,
  operations: ({ store }) => createRoutes(store),
  work: { products: { cancelPerformances }, performances: { applyCapacity }, price_rules: { applyLimit, showCodes } },
  queues: [requireQueue('catalog.releases.v1')],
  reactions: ({ store }) => [{ queue: requireQueue('catalog.releases.v1'), handle: reactTo(store) }],
  background: ({ store, logger }) => {
    const loops = [startCompletion(store, products, CANCELLED_BY_0_3, logger), watchLocalTimes(store, logger)];
    return {
      async close() {
        await Promise.all(loops.map((one) => one.close()));
      },
    };
  },
};
