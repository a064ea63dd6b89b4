import type { AnyOperation } from '@boxoffice/http';
import { cartRoutes } from './cart/routes.ts';
import type { PosContext } from './context.ts';
import { ordersRoutes } from './orders/routes.ts';
import { productsRoutes } from './products/routes.ts';
import { versioned } from './request/operation.ts';
import { sessionsRoutes } from './sessions/routes.ts';
import { ticketsRoutes } from './tickets/routes.ts';

/** Every operation of the point of sale, under the numbered and the experimental version. */
export const routes = (context: PosContext): AnyOperation[] =>
  versioned([
    ...productsRoutes(context),
    ...sessionsRoutes(context),
    ...cartRoutes(context),
    ...ordersRoutes(context),
    ...ticketsRoutes(context),
  ]);
