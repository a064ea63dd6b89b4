import type { Consequences } from '@boxoffice/envelope';
import type { BestEffort } from '@boxoffice/service';
import type { Contacts } from './clients/contacts.ts';
import type { Orders } from './clients/orders.ts';
import type { Tickets } from './clients/tickets.ts';
import type { SimulatedPayments } from './orders/simulated-payments.ts';
import type { Offers } from './products/offers.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { ContactCriteria } from './users/contact-access.ts';
import type { LogIns } from './users/log-in.ts';
import type { Purchases } from './users/purchases.ts';

/** What handlers work with. */
export interface PosContext {
  readonly sessions: Sessions;
  readonly logIns: LogIns;
  readonly offers: Offers;
  readonly contacts: Contacts;
  readonly criteriaOf: ContactCriteria;
  readonly orders: Orders;
  readonly purchases: Purchases;
  readonly tickets: Tickets;
  /** Asks the catalog for what an answer can do without. */
  readonly askCatalog: BestEffort;
  /** Asks tickets for what an answer can do without. */
  readonly askTickets: BestEffort;
  /** Where the simulated method of payment is there. */
  readonly simulated: () => SimulatedPayments;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: { warn(message: string, fields?: { readonly error?: unknown; readonly operation?: string }): void };
}

/** Nothing has become of the visitor's session and order. */
export const NOTHING_LOST: Consequences = { userLoggedOut: false, orderCancelled: false };
