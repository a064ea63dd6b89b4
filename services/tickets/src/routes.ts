import type { AnyOperation } from '@boxoffice/http';
import { keyRoutes } from './barcode/routes.ts';
import type { Context } from './context.ts';
import { controlRoutes } from './control/routes.ts';
import { internalRoutes } from './issue/routes.ts';
import { printingRoutes } from './printing/routes.ts';
import { replacementRoutes } from './replacement/routes.ts';
import { shopRoutes } from './shop/routes.ts';
import { ticketRoutes } from './tickets/routes.ts';

/** Every operation of the tickets service. */
export const routes = (context: Context): AnyOperation[] => [
  ...ticketRoutes(context),
  ...keyRoutes(context),
  ...replacementRoutes(context),
  ...printingRoutes(context),
  ...controlRoutes(context),
  ...internalRoutes(context),
  ...shopRoutes(context),
];
