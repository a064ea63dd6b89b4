import { Fault } from '@boxoffice/envelope';
import { type Caller, type Restricted, restrictionOf } from '@boxoffice/identity';
import { integer, type Logger, url } from '@boxoffice/runtime';
import { announcing, createServiceClient, type Parts, salesBoundsOf } from '@boxoffice/service';
import { boundedCollection } from '@boxoffice/store';
import { type Contacts, contactsWithin, createContacts } from './clients/contacts.ts';
import { catalogApi } from './clients/generated/catalog.ts';
import { contactsApi } from './clients/generated/contacts.ts';
import { ticketsApi } from './clients/generated/tickets.ts';
import { createStock, type Stock } from './clients/stock.ts';
import { createTickets, type Tickets } from './clients/tickets.ts';
import { announceOrder, ORDER_RECORDED } from './events.ts';
import { newId } from './ids.ts';
import { createHoldLimit, type HoldLimit, isVisitor } from './steps/hold-limit.ts';
import { countMoves, watchOrders } from './steps/metrics.ts';
import { collectionsOf } from './store.ts';

/** The context of every command: collections, clients of other services, limits, clock and ids. */
export interface OrdersContext extends ReturnType<typeof collectionsOf> {
  readonly stock: Stock;
  readonly contacts: Contacts;
  readonly tickets: Tickets;
  readonly limit: HoldLimit;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Makes a new id with this prefix. */
  readonly newId: (prefix: string) => string;
  /** Milliseconds for which a payment may stay pending after `expiresAt` or `dueAt`. */
  readonly graceMs: number;
  /** Records failures that fail no request. */
  readonly log: Pick<Logger, 'warn'>;
}

/** The settings of the service. */
export const settings = {
  catalogUrl: url('CATALOG_URL', { origin: true }),
  contactsUrl: url('CONTACTS_URL', { origin: true }),
  ticketsUrl: url('TICKETS_URL', { origin: true }),
  /** Maximum unsold places that one client holds at once. */
  maxHeldPlaces: integer('MAX_HELD_PLACES', { default: 5_000, min: 1 }),
  /** Maximum unsold places that all visitors of one address hold at once in their carts. */
  posHeldPlacesPerAddress: integer('POS_HELD_PLACES_PER_ADDRESS', { default: 50, min: 1 }),
  /** Seconds for which a payment may stay pending after the hold would have ended. */
  paymentGraceSeconds: integer('PAYMENT_GRACE_SECONDS', { default: 900, min: 0 }),
};

/** Creates the context over a store and the services that orders calls, on the system's clock. */
export const createContext = ({
  store,
  credentials,
  logger,
  settings: { catalogUrl, contactsUrl, ticketsUrl, maxHeldPlaces, posHeldPlacesPerAddress, paymentGraceSeconds },
  metrics,
}: Pick<Parts<typeof settings>, 'store' | 'credentials' | 'logger' | 'settings' | 'metrics'>): OrdersContext => {
  const stored = collectionsOf(store);
  // Every write announces what partners hear of.
  const orders = announcing(stored.orders, ORDER_RECORDED, announceOrder, metrics && countMoves(metrics));
  if (metrics) watchOrders(orders, metrics);
  return {
    ...stored,
    orders,
    stock: createStock(createServiceClient(catalogApi, { url: catalogUrl, credentials, logger })),
    contacts: createContacts(createServiceClient(contactsApi, { url: contactsUrl, credentials, logger })),
    tickets: createTickets(createServiceClient(ticketsApi, { url: ticketsUrl, credentials, logger })),
    limit: createHoldLimit(orders, (client) => (isVisitor(client) ? posHeldPlacesPerAddress : maxHeldPlaces)),
    now: Date.now,
    newId: (prefix) => newId(prefix, Date.now()),
    graceMs: paymentGraceSeconds * 1_000,
    log: logger,
  };
};

/**
 * Gives an operation the context of its caller: the institution's orders and contacts, and of these what the user's
 * role and the bounds of the client show. It is an operation's only way to them, so none can forget the bounds.
 */
export type ContextOf = (caller: Pick<Caller, 'institution'> & Restricted) => OrdersContext;

/** Makes the contexts of callers. The limits of holds and the steps of the saga stay common to all of them. */
export const createContextOf =
  (context: OrdersContext): ContextOf =>
  (caller) => ({
    ...context,
    contacts: contactsWithin(context.contacts, restrictionOf(caller)),
    orders: boundedCollection(context.orders, caller.institution, salesBoundsOf(caller)),
    links: boundedCollection(context.links, caller.institution, {}),
    cancelledPerformances: boundedCollection(context.cancelledPerformances, caller.institution, {}),
  });

/**
 * Refuses an order that its own maker would not see: a client or a box office with points of sale names one of them.
 * @throws Fault `forbidden`
 */
export const requirePointOfSale = (caller: Restricted, pointOfSale: string | undefined): void => {
  const { pointsOfSale } = restrictionOf(caller);
  if (pointsOfSale === null || (pointOfSale !== undefined && pointsOfSale.includes(pointOfSale.toLowerCase()))) return;
  if (pointsOfSale.length > 0)
    throw new Fault('forbidden', `$.pointOfSale must be one of these: ${pointsOfSale.join(', ')}.`);
  const nowhere = 'No $.pointOfSale is permitted: those of the user and those of the client have none in common';
  throw new Fault('forbidden', `${nowhere}; sign in at another client, or let an administrator change either.`);
};
