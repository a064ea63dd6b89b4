import type { AnyOperation } from '@boxoffice/http';
import { createKeyRoutes } from './barcode/routes.ts';
import { type Context, createContextFactory, createInstitutionContext } from './context.ts';
import { createControlRoutes } from './control/routes.ts';
import { createScanRoutes } from './control/scan-routes.ts';
import { createStatusRoutes } from './control/status-routes.ts';
import { createDocumentRoutes } from './document/routes.ts';
import { createInternalRoutes } from './issue/routes.ts';
import { createPrintingRoutes } from './tickets/printing.ts';
import { createReplacementRoutes } from './tickets/replacement.ts';
import { createTicketRoutes } from './tickets/routes.ts';
import { createShopRoutes } from './tickets/shop.ts';

/** Every operation, above its file. */
export function createRoutes(context: Context): AnyOperation[] {
  const contextOf = createContextFactory(context);
  return [
    // listTickets, getTicket
    ...createTicketRoutes(contextOf),
    // getVerificationKey
    ...createKeyRoutes(context),
    // getTicketDocument
    ...createDocumentRoutes(contextOf),
    // updateTicket, replaceTicket
    ...createReplacementRoutes(contextOf),
    // printOrder, printTicket, rollBackPrinting
    ...createPrintingRoutes(contextOf),
    // controlBarcode, controlTicket, revertControl
    ...createControlRoutes(contextOf),
    // controlTickets, listControls, getAdmissions
    ...createScanRoutes(contextOf),
    // listTicketStatuses, getAllTicketStatuses
    ...createStatusRoutes(contextOf),
    // issueTickets, settleChange, getOrderTickets
    ...createInternalRoutes(context),
    // listShopTickets, getShopTicket, drawShopDocument, nameShopTicket
    ...createShopRoutes(({ institution }) => createInstitutionContext(context, institution)),
  ];
}
