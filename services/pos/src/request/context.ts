import type { BestEffort } from '@boxoffice/service';
import type { Shop } from '../clients/catalog.ts';
import type { Contacts } from '../clients/contacts.ts';
import type { Orders } from '../clients/orders.ts';
import type { Payments } from '../clients/payments.ts';
import type { Tickets } from '../clients/tickets.ts';
import type { SimulatedPayments } from '../orders/buyer.ts';
import type { LostLinks, OrderLinks } from '../orders/links.ts';
import type { Offers } from '../products/offers.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { LogIns, Purchases } from '../sessions/users.ts';
import type { ContactCriteria, FindPointOfSale } from './visit.ts';

export interface PosContext {
  readonly pointOfSaleOf: FindPointOfSale;
  /** At most three seconds old. */
  readonly shops: () => Promise<readonly Shop[]>;
  readonly sessions: Sessions;
  readonly logIns: LogIns;
  readonly offers: Offers;
  readonly contacts: Contacts;
  readonly criteriaOf: ContactCriteria;
  readonly orders: Orders;
  /** Undefined where the service does not run: there are no payment methods of providers then. */
  readonly payments: Payments | undefined;
  readonly purchases: Purchases;
  readonly tickets: Tickets;
  readonly orderLinks: OrderLinks;
  readonly lostLinks: LostLinks;
  readonly bestEffortCatalog: BestEffort;
  readonly bestEffortTickets: BestEffort;
  /** Best effort: undefined on a failure or after a second. */
  readonly bestEffortContacts: BestEffort;
  readonly simulated: () => SimulatedPayments;
  readonly now: () => number;
  readonly log: { warn(message: string, fields?: { readonly error?: unknown; readonly operation?: string }): void };
}
