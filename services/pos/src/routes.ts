import type { AnyOperation } from '@boxoffice/http';
import { cartRoutes } from './cart/routes.ts';
import type { Desk } from './context.ts';
import { ordersRoutes } from './orders/routes.ts';
import { productsRoutes } from './products/routes.ts';
import { versioned } from './request/operation.ts';
import { sessionsRoutes } from './sessions/routes.ts';
import { ticketsRoutes } from './tickets/routes.ts';

/** Every operation of the point of sale, under the numbered version and the experimental one. */
export const routes = (desk: Desk): AnyOperation[] =>
  versioned([
    ...productsRoutes(desk),
    ...sessionsRoutes(desk),
    ...cartRoutes(desk),
    ...ordersRoutes(desk),
    ...ticketsRoutes(desk),
  ]);
