import type { AnyOperation } from '@boxoffice/http';
import { createCartRoutes } from './cart/routes.ts';
import { editions } from './description/editions.ts';
import { createChangeRoutes } from './orders/change-routes.ts';
import { createOrderLinksRoutes } from './orders/link-routes.ts';
import { createPaymentRoutes } from './orders/payment-routes.ts';
import { createOrdersRoutes } from './orders/routes.ts';
import { createAvailabilityRoutes, createProductRoutes, createProgrammeRoutes } from './products/routes.ts';
import { createSeatMapRoutes } from './products/seat-map.ts';
import type { PosContext } from './request/context.ts';
import { createPointOfSaleRoutes } from './request/point-of-sale.ts';
import { mountInBothVersions, mountInVersion } from './request/visit.ts';
import { createSessionsRoutes } from './sessions/routes.ts';
import { createTicketsRoutes } from './tickets/routes.ts';

/** Every operation, above its file. */
export function createRoutes(context: PosContext): AnyOperation[] {
  return [
    ...mountInBothVersions([
      // viewAvailabilities, viewPlaces
      ...createAvailabilityRoutes(context),
      // logIn, getSession, logOut, getMe, getOwnContact
      ...createSessionsRoutes(context),
    ]),
    ...editions.flatMap((edition) =>
      mountInVersion(edition, [
        ...(edition.isExperimental
          ? [
              // viewPointOfSale
              ...createPointOfSaleRoutes(context),
              // browseProgramme
              ...createProgrammeRoutes(context),
              // viewSeatMap
              ...createSeatMapRoutes(context),
            ]
          : []),
        // browseProducts, viewProduct
        ...createProductRoutes(context, edition),
        // addCodeToCart, removeCodesFromCart, getCart, emptyCart, addToCart, changeInCart, removeFromCart
        ...createCartRoutes(context, edition),
        // checkOut, listOwnOrders, getOwnOrder, cancelOwnOrder
        ...createOrdersRoutes(context, edition),
        // payOwnOrder
        ...createPaymentRoutes(context, edition),
        // quoteOwnChange, changeOwnOrder, endOwnChange
        ...createChangeRoutes(context, edition),
        // getOwnTicketDocument, listOwnTickets, getOwnTicket, nameOwnTicket
        ...createTicketsRoutes(context, edition),
        // createOrderLink, requestOrderLink, getLinkedOrder, getOrderOfLink, getLinkedOrderDocument,
        // getOwnOrderDocument
        ...createOrderLinksRoutes(context, edition),
      ]),
    ),
  ];
}
