import type { AnyOperation } from '@boxoffice/http';
import { cancellationRoutes } from './cancellation/routes.ts';
import { shopRoutes } from './cart/routes.ts';
import type { OrdersContext } from './context.ts';
import { linesRoutes } from './lines/routes.ts';
import { actionsRoutes } from './orders/action-routes.ts';
import { ordersRoutes } from './orders/routes.ts';
import { paymentsRoutes } from './payments/routes.ts';
import { refundsRoutes } from './refunds/routes.ts';

/** Every operation of the orders service, by folder. */
export const routes = (context: OrdersContext): AnyOperation[] => [
  ...ordersRoutes(context),
  ...linesRoutes(context),
  ...paymentsRoutes(context),
  ...refundsRoutes(context),
  ...actionsRoutes(context),
  ...cancellationRoutes(context),
  ...shopRoutes(context),
];
