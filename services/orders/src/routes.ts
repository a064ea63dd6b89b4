import type { AnyOperation } from '@boxoffice/http';
import { createContextOf } from './bounds.ts';
import { cancellationRoutes } from './cancellation/routes.ts';
import { shopRoutes } from './cart/routes.ts';
import type { OrdersContext } from './context.ts';
import { linesRoutes } from './lines/routes.ts';
import { actionsRoutes } from './orders/action-routes.ts';
import { quoteRoutes } from './orders/quote.ts';
import { ordersRoutes } from './orders/routes.ts';
import { paymentsRoutes } from './payments/routes.ts';
import { refundsRoutes } from './refunds/routes.ts';

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
