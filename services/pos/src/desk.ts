import type { Consequences } from '@boxoffice/envelope';
import type { Courtesy } from '@boxoffice/service';
import type { Contacts } from './clients/contacts.ts';
import type { Orders } from './clients/orders.ts';
import type { Tickets } from './clients/tickets.ts';
import type { ContactCriteria } from './contact-access.ts';
import type { LogIns } from './log-in.ts';
import type { Offers } from './offers.ts';
import type { Purchases } from './purchases.ts';
import type { Sessions } from './sessions.ts';
import type { SimulatedPayments } from './simulated-payments.ts';

/** What handlers work with. */
export interface Desk {
  readonly sessions: Sessions;
  readonly logIns: LogIns;
  readonly offers: Offers;
  readonly contacts: Contacts;
  readonly criteriaOf: ContactCriteria;
  readonly orders: Orders;
  readonly purchases: Purchases;
  readonly tickets: Tickets;
  /** Asks the catalog for what an answer can do without. */
  readonly askCatalog: Courtesy;
  /** Asks tickets for what an answer can do without. */
  readonly askTickets: Courtesy;
  /** Where the simulated method of payment is there. */
  readonly simulated: () => SimulatedPayments;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: { warn(message: string, fields?: { readonly error?: unknown; readonly operation?: string }): void };
}

/** Nothing has become of the visitor's session and order. */
export const NOTHING_LOST: Consequences = { userLoggedOut: false, orderCancelled: false };
