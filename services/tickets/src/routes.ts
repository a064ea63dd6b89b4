import type { AnyOperation } from '@boxoffice/http';
import { keyRoutes } from './barcode/routes.ts';
import { type Context, contextIn, createContextOf } from './context.ts';
import { controlRoutes } from './control/routes.ts';
import { scanRoutes } from './control/scan-routes.ts';
import { documentRoutes } from './document/routes.ts';
import { internalRoutes } from './issue/routes.ts';
import { printingRoutes } from './printing/routes.ts';
import { replacementRoutes } from './replacement/routes.ts';
import { shopRoutes } from './shop/routes.ts';
import { ticketRoutes } from './tickets/routes.ts';

/** Every operation of the tickets service. Those of the institution API see what their caller may see. */
export const routes = (context: Context): AnyOperation[] => {
  const contextOf = createContextOf(context);
  return [
    ...ticketRoutes(contextOf),
    ...keyRoutes(context),
    ...documentRoutes(contextOf),
    ...replacementRoutes(contextOf),
    ...printingRoutes(contextOf),
    ...controlRoutes(contextOf),
    ...scanRoutes(contextOf),
    ...internalRoutes(context),
    // The pos service decides which user may see a ticket.
    ...shopRoutes(({ institution }) => contextIn(context, institution)),
  ];
};
