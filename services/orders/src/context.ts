import { Fault } from '@boxoffice/envelope';
import {
  type Caller,
  computeContactBounds,
  computeRestriction,
  type Restricted,
  selectLimits,
} from '@boxoffice/identity';
import { integer, type Logger, type Metrics, type Reading, url } from '@boxoffice/runtime';
import {
  announceWrites,
  computeSalesBounds,
  createServiceClient,
  type EndedWorkRecorder,
  type OnWritten,
  type Parts,
} from '@boxoffice/service';
import { type CollectionHandle, restrictCollection } from '@boxoffice/store';
import { catalogApi } from './clients/generated/catalog.ts';
import { contactsApi } from './clients/generated/contacts.ts';
import { ticketsApi } from './clients/generated/tickets.ts';
import {
  type Contacts,
  createContacts,
  createStock,
  createTickets,
  limitContacts,
  type Stock,
  type Tickets,
} from './clients/services.ts';
import { announceOrder, ORDER_RECORDED } from './events.ts';
import { followWrite } from './follows.ts';
import { createId } from './ids.ts';
import { type CodeGuesses, createCodeGuesses } from './orders/code-guesses.ts';
import { createHoldLimit, type HoldLimit, selectLimitName } from './saga/hold-limit.ts';
import { keepMoney, type OrderDocument, openCollections } from './store.ts';

export interface OrdersContext extends ReturnType<typeof openCollections> {
  readonly stock: Stock;
  readonly guesses: CodeGuesses;
  readonly contacts: Contacts;
  readonly tickets: Tickets;
  /** Of work that a request has done itself. Unless a write since has made it due once more; changes no version. */
  readonly endedWork: EndedWorkRecorder;
  readonly limit: HoldLimit;
  /** By the bounds of the caller's client; null: without bounds, or not on behalf of a client. */
  readonly mayDo: ReturnType<typeof selectLimits>;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
  readonly graceMs: number;
  readonly log: Pick<Logger, 'warn'>;
}

export const settings = {
  catalogUrl: url('CATALOG_URL', { origin: true }),
  contactsUrl: url('CONTACTS_URL', { origin: true }),
  ticketsUrl: url('TICKETS_URL', { origin: true }),
  /** Unsold ones that one client holds at once. */
  maxHeldPlaces: integer('MAX_HELD_PLACES', { default: 5_000, min: 1 }),
  /** Of all visitors of one address without a login. */
  posHeldPlacesPerAddress: integer('POS_HELD_PLACES_PER_ADDRESS', { default: 200, min: 1 }),
  /** In the carts of all sessions of one login. */
  posHeldPlacesPerLogin: integer('POS_HELD_PLACES_PER_LOGIN', { default: 50, min: 1 }),
  /** For which a payment may stay pending after the hold would have ended. */
  paymentGraceSeconds: integer('PAYMENT_GRACE_SECONDS', { default: 900, min: 0 }),
};

export function createContext({
  store,
  credentials,
  logger,
  endedWork,
  settings: { catalogUrl, contactsUrl, ticketsUrl, paymentGraceSeconds, ...limits },
  metrics,
}: Pick<
  Parts<typeof settings>,
  'store' | 'credentials' | 'logger' | 'endedWork' | 'settings' | 'metrics'
>): OrdersContext {
  const stored = openCollections(store);
  // Announces what partners hear of, and makes due what follows.
  const announced = announceWrites(stored.orders, ORDER_RECORDED, announceOrder, {
    onWritten: metrics && countMoves(metrics),
    follow: followWrite,
  });
  const orders = keepMoney(announced);
  if (metrics) watchOrders(orders, metrics);
  return {
    ...stored,
    orders,
    stock: createStock(createServiceClient(catalogApi, { url: catalogUrl, credentials, logger })),
    contacts: createContacts(createServiceClient(contactsApi, { url: contactsUrl, credentials, logger })),
    tickets: createTickets(createServiceClient(ticketsApi, { url: ticketsUrl, credentials, logger })),
    endedWork,
    guesses: createCodeGuesses(stored.codeGuesses),
    limit: createHoldLimit(orders, (client) => limits[selectLimitName(client)]),
    mayDo: null,
    now: Date.now,
    newId: (prefix) => createId(prefix, Date.now()),
    graceMs: paymentGraceSeconds * 1_000,
    log: logger,
  };
}

/** `new` to `open` is a hold, any state to `confirmed` is a sale. */
const countMoves = (metrics: Metrics): OnWritten<OrderDocument> => {
  const labels = ['from', 'to'];
  const count = metrics.counter({ name: 'orders_moved_total', help: 'Orders that changed their state', labels });
  const places = metrics.counter({ name: 'orders_places_moved_total', help: 'Places of those orders', labels });
  const fail = metrics.counter({
    name: 'orders_credit_refunds_failed_total',
    help: 'Refunds of credit by itself that failed: the credit stays',
  });
  return (before, after) => {
    for (const { id, automatic, status } of after.refunds)
      if (automatic && status === 'failed' && !hasFailed(before, id)) fail();
    const { state: to, lines } = after;
    const from = before?.state ?? 'new';
    if (from === to) return;
    count({ from, to });
    places({ from, to }, lines.length);
  };
};

const hasFailed = (before: OrderDocument | undefined, refundId: string): boolean =>
  before?.refunds.some(({ id, status }) => id === refundId && status === 'failed') === true;

/** Each gauge is read from an index on scrape. Every instance reports the same value, so aggregate with `max`. */
const watchOrders = ({ acrossInstitutions }: CollectionHandle<OrderDocument>, metrics: Metrics): void => {
  const unsettled = { 'cancellation.settledAt': null, 'cancellation.requestedAt': { gt: 0 } } as const;
  const watch = (name: string, help: string, read: () => Promise<number>): void =>
    metrics.watch({ name, help }, async (): Promise<readonly Reading[]> => [{ value: await read() }]);
  watch('orders_held', 'Orders and carts that hold places unsold', () =>
    acrossInstitutions.count({ deadline: { gt: 0 } }),
  );
  watch('orders_cancellations_open', 'Cancelled orders whose tickets or places are not all settled', () =>
    acrossInstitutions.count(unsettled),
  );
  watch('orders_cancellation_open_seconds', 'Age of the oldest open cancellation', async () => {
    const oldest = { where: unsettled, orderBy: 'cancellation.requestedAt', limit: 1 };
    const [order] = await acrossInstitutions.find(oldest);
    return order?.cancellation ? Math.max(0, Date.now() - order.cancellation.requestedAt) / 1_000 : 0;
  });
};

/** An operation's only way to orders and contacts, so that none can forget the bounds of its caller. */
export type ContextOf = (caller: Pick<Caller, 'institution'> & Restricted) => OrdersContext;

/** The ledger of holds and the steps of the saga stay common to all callers. */
export function createContextFactory(context: OrdersContext): ContextOf {
  return (caller) => ({
    ...context,
    mayDo: selectLimits(caller.bounds),
    limit: {
      ...context.limit,
      admit: (holder, places) => context.limit.admit(holder, places, selectLimits(caller.bounds)?.heldPlaces),
    },
    contacts: limitContacts(context.contacts, computeRestriction(caller).contacts, computeContactBounds(caller)),
    orders: restrictCollection(context.orders, caller.institution, computeSalesBounds(caller)),
    links: restrictCollection(context.links, caller.institution, {}),
    cancelledPerformances: restrictCollection(context.cancelledPerformances, caller.institution, {}),
  });
}

/** Its maker would not see it without one of the client's points of sale. @throws Fault `forbidden` */
export function requirePointOfSale(caller: Restricted, pointOfSale: string | undefined): void {
  const { pointsOfSale } = computeRestriction(caller);
  if (pointsOfSale === null || (pointOfSale !== undefined && pointsOfSale.includes(pointOfSale.toLowerCase()))) return;
  if (pointsOfSale.length > 0)
    throw new Fault('forbidden', `$.pointOfSale must be one of these: ${pointsOfSale.join(', ')}.`);
  const nowhere = 'No $.pointOfSale is permitted: those of the user and those of the client have none in common';
  throw new Fault('forbidden', `${nowhere}; sign in at another client, or let an administrator change either.`);
}
