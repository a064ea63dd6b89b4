import type { AnyOperation } from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import { createCatalogCache } from './feed/cache.ts';
import { catalogRoutes } from './feed/routes.ts';
import { acrossProductsRoutes } from './performances/across-products.ts';
import { performancesRoutes } from './performances/routes.ts';
import { pointsOfSaleRoutes } from './points-of-sale/routes.ts';
import { productsRoutes } from './products/routes.ts';
import { shopRoutes } from './shop/routes.ts';
import { quoteRoutes } from './stock/quote-routes.ts';
import { stockRoutes } from './stock/routes.ts';
import { tariffsRoutes } from './tariffs/routes.ts';

/** Every operation of the catalog, resource by resource. */
export const routes = (store: Store, cache = createCatalogCache(store)): AnyOperation[] => [
  ...catalogRoutes(cache),
  ...productsRoutes(store),
  ...performancesRoutes(store),
  ...acrossProductsRoutes(store, cache),
  ...tariffsRoutes(store),
  ...pointsOfSaleRoutes(store),
  ...stockRoutes(store),
  ...shopRoutes(store, cache),
  ...quoteRoutes(store),
];
