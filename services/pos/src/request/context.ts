import type { BestEffort } from '@boxoffice/service';
import type { Shop } from '../clients/catalog.ts';
import type { Contacts } from '../clients/contacts.ts';
import type { Orders } from '../clients/orders.ts';
import type { Tickets } from '../clients/tickets.ts';
import type { SimulatedPayments } from '../orders/buyer.ts';
import type { LostLinks, OrderLinks } from '../orders/links.ts';
import type { Offers } from '../products/offers.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { LogIns, Purchases } from '../sessions/users.ts';
import type { ContactCriteria, FindPointOfSale } from './visit.ts';

/** Dependencies of the operation handlers. */
export interface PosContext {
  readonly pointOfSaleOf: FindPointOfSale;
  /** The shops of all institutions, at most three seconds old. */
  readonly shops: () => Promise<readonly Shop[]>;
  readonly sessions: Sessions;
  readonly logIns: LogIns;
  readonly offers: Offers;
  readonly contacts: Contacts;
  readonly criteriaOf: ContactCriteria;
  readonly orders: Orders;
  readonly purchases: Purchases;
  readonly tickets: Tickets;
  readonly orderLinks: OrderLinks;
  readonly lostLinks: LostLinks;
  /** Best-effort reads of the catalog: undefined on a failure or after a second. */
  readonly bestEffortCatalog: BestEffort;
  /** Best-effort reads of tickets: undefined on a failure or after a second. */
  readonly bestEffortTickets: BestEffort;
  /** Best-effort reads of contacts: undefined on a failure or after a second. */
  readonly bestEffortContacts: BestEffort;
  /** Which points of sale accept the payment method `simulated`. */
  readonly simulated: () => SimulatedPayments;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: { warn(message: string, fields?: { readonly error?: unknown; readonly operation?: string }): void };
}
