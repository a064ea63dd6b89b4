import type { AnyOperation } from '@boxoffice/http';
import { actionsRoutes } from './actions-routes.ts';
import type { Desk } from './desk.ts';
import { linesRoutes } from './lines-routes.ts';
import { ordersRoutes } from './orders-routes.ts';
import { paymentsRoutes } from './payments-routes.ts';
import { refundsRoutes } from './refunds-routes.ts';
import { shopRoutes } from './shop-routes.ts';

/** Every operation of the orders service, topic by topic. */
export const routes = (desk: Desk): AnyOperation[] => [
  ...ordersRoutes(desk),
  ...linesRoutes(desk),
  ...paymentsRoutes(desk),
  ...refundsRoutes(desk),
  ...actionsRoutes(desk),
  ...shopRoutes(desk),
];
