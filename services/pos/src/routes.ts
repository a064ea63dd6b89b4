import type { AnyOperation } from '@boxoffice/http';
import { cartRoutes } from './cart/routes.ts';
import type { PosContext } from './context.ts';
import { editions } from './description/editions.ts';
import { ordersRoutes } from './orders/routes.ts';
import { productsRoutes } from './products/routes.ts';
import { inBothVersions, inVersion } from './request/operation.ts';
import { sessionsRoutes } from './sessions/routes.ts';
import { ticketsRoutes } from './tickets/routes.ts';

/** Every operation of the point of sale, under the numbered and the experimental version. */
export const routes = (context: PosContext): AnyOperation[] => [
  ...inBothVersions([...productsRoutes(context), ...sessionsRoutes(context)]),
  ...editions.flatMap((edition) =>
    inVersion(edition, [
      ...cartRoutes(context, edition),
      ...ordersRoutes(context, edition),
      ...ticketsRoutes(context, edition),
    ]),
  ),
];
