import type { AnyOperation } from '@boxoffice/http';
import { requireQueue } from '@boxoffice/messaging';
import { readVersion } from '@boxoffice/runtime';
import { type ServiceDefinition, startCompletion } from '@boxoffice/service';
import type { Store } from '@boxoffice/store';
import { examples, schemas } from './events.ts';
import { createCatalogCache } from './feed/cache.ts';
import { createCatalogRoutes } from './feed/routes.ts';
import { createShopRoutes } from './feed/shop.ts';
import { createAcrossProductsRoutes } from './performances/across-products.ts';
import { applyCapacity } from './performances/capacity.ts';
import { watchLocalTimes } from './performances/local-times.ts';
import { createPerformancesRoutes } from './performances/routes.ts';
import { createWhatIsOnRoutes } from './performances/what-is-on.ts';
import { createPointsOfSaleRoutes } from './points-of-sale/routes.ts';
import { cancelPerformances } from './products/products.ts';
import { createProductsRoutes } from './products/routes.ts';
import { reactTo } from './reactions.ts';
import { createQuoteRoutes } from './stock/quotes.ts';
import { createStockRoutes } from './stock/routes.ts';
import { CANCELLED_BY_0_3, collections, currentFacts, products, retention } from './store.ts';
import { createTariffsRoutes } from './tariffs.ts';

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
    'points-of-sale': 'Web shops and counters, each with what it sells.',
  },
  prepare: ({ store }) => store,
  operations: ({ store }) => createRoutes(store),
  work: { products: { cancelPerformances }, performances: { applyCapacity } },
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

export function createRoutes(store: Store, cache = createCatalogCache(store)): AnyOperation[] {
  return [
    ...createCatalogRoutes(cache),
    ...createProductsRoutes(store),
    ...createPerformancesRoutes(store),
    ...createAcrossProductsRoutes(store, cache),
    ...createWhatIsOnRoutes(store),
    ...createTariffsRoutes(store),
    ...createPointsOfSaleRoutes(store),
    ...createStockRoutes(store),
    ...createShopRoutes(store, cache),
    ...createQuoteRoutes(store),
  ];
}
