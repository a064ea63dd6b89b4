import type { AnyOperation } from '@boxoffice/http';
import { createShopRoutes } from './cart/routes.ts';
import { createChangesRoutes } from './changes/routes.ts';
import { createShopChangeRoutes } from './changes/shop-routes.ts';
import { createContextFactory, type OrdersContext } from './context.ts';
import { createLinesRoutes } from './orders/line-routes.ts';
import { createMailsRoutes } from './orders/mail-routes.ts';
import { createQuoteRoutes } from './orders/quote.ts';
import { createActionsRoutes, createOrdersRoutes } from './orders/routes.ts';
import { createRecordsRoutes } from './payments/list-routes.ts';
import { createProviderRoutes } from './payments/provider-routes.ts';
import { createPaymentsRoutes, createRefundsRoutes } from './payments/routes.ts';

/** Every operation, above its file. Those of the institution API see what their caller may see. */
export function createRoutes(context: OrdersContext): AnyOperation[] {
  const contextOf = createContextFactory(context);
  return [
    // quoteOrder
    ...createQuoteRoutes(contextOf),
    // createOrder, listOrders, getOrder, updateOrder
    ...createOrdersRoutes(contextOf),
    // addLines, updateLine, removeLine
    ...createLinesRoutes(contextOf),
    // requestOrderMail
    ...createMailsRoutes(contextOf),
    // quoteOrderChange, changeOrder, listOrderChanges, getOrderChange, endOrderChange
    ...createChangesRoutes(contextOf),
    // listPayments, addPayment, getPayment, settlePayment
    ...createPaymentsRoutes(contextOf),
    // listRefunds, refundOrder, getRefund
    ...createRefundsRoutes(contextOf),
    // listAllPayments, listAllRefunds
    ...createRecordsRoutes(contextOf),
    // extendOrder, reserveOrder, confirmOrder, cancelOrder
    ...createActionsRoutes(contextOf),
    // reportProviderPayment, reportProviderRefund, reportDispute
    ...createProviderRoutes(context),
    // addCartItems, changeCartItem, removeCartItem, addCartCode, removeCartCodes, priceCart, giveUpCart, checkoutCart,
    // addShopPayment, cancelShopOrder, cancelAfterFault, getShopOrder, findShopOrder, listShopOrders,
    // listPerformanceOrders
    ...createShopRoutes(context),
    // quoteShopChange, changeShopOrder, endShopChange
    ...createShopChangeRoutes(context),
  ];
}
