import type { AnyOperation } from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import { createCatalogCache } from './feed/cache.ts';
import { createCatalogRoutes } from './feed/routes.ts';
import { createShopRoutes } from './feed/shop.ts';
import { createAcrossProductsRoutes } from './performances/across-products.ts';
import { createPerformancesRoutes } from './performances/routes.ts';
import { createWhatIsOnRoutes } from './performances/what-is-on.ts';
import { createPointsOfSaleRoutes } from './points-of-sale/routes.ts';
import { createCodesRoutes } from './pricing/codes.ts';
import { createRulesRoutes } from './pricing/routes.ts';
import { createProductsRoutes } from './products/routes.ts';
import { createQuoteRoutes } from './stock/quotes.ts';
import { createStockRoutes } from './stock/routes.ts';
import { createTariffsRoutes } from './tariffs.ts';

/** Every operation, above its file. */
export function createRoutes(store: Store, cache = createCatalogCache(store)): AnyOperation[] {
  return [
    // getCatalog
    ...createCatalogRoutes(cache),
    // listProducts, createProduct, getProduct, replaceProduct, changeProduct
    ...createProductsRoutes(store),
    // listPerformances, createPerformance, getPerformance, changePerformance, getAvailability, listPlaces
    ...createPerformancesRoutes(store),
    // listAllPerformances, listAvailability
    ...createAcrossProductsRoutes(store, cache),
    // listWhatIsOn
    ...createWhatIsOnRoutes(store),
    // listTariffs, createTariff, getTariff, changeTariff
    ...createTariffsRoutes(store),
    // listTaxes, createTax, getTax, changeTax, listFees, createFee, getFee, changeFee, listDiscounts, createDiscount,
    // getDiscount, changeDiscount
    ...createRulesRoutes(store),
    // createDiscountCodes, listDiscountCodes, withdrawDiscountCodes
    ...createCodesRoutes(store),
    // listPointsOfSale, createPointOfSale, getPointOfSale, changePointOfSale, findPointOfSale,
    // recordPaymentProvider, listShops
    ...createPointsOfSaleRoutes(store),
    // holdPlaces, holdUses, getHold, extendHold, shortenHold, renewHold, sellHold, releaseHold
    ...createStockRoutes(store),
    // listShopProducts, getShopAvailability, listShopPlaces, getShopSeatMap
    ...createShopRoutes(store, cache),
    // quoteItems, readPricing, quoteOrderItems
    ...createQuoteRoutes(store),
  ];
}
