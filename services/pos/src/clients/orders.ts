import { Fault } from '@boxoffice/envelope';
import { type AnswerOf, type BodyOf, type QueryOf, type ServiceClient, ServiceRefusal } from '@boxoffice/service';
import type { operations } from './generated/orders.ts';

/** An order, or a cart: an open order that is not listed, or whose payment failed. */
export type Order = AnswerOf<operations, 'getShopOrder'>;
export type OrderState = Order['state'];
export type Line = Order['lines'][number];

/** What became of a request: the order as it is now, and why it was refused, if it was. */
export type Outcome = AnswerOf<operations, 'addCartItems'>;
/** Why orders refuse a request. */
export type Reason = NonNullable<Outcome['reason']>;

export type Addition = BodyOf<operations, 'addCartItems'>;
/** One item of an addition; the tariff is checked against the criteria of `contactNumber`. */
export type RequestedItem = Addition['items'][number];
export type LineChange = BodyOf<operations, 'changeCartItem'>;
export type Checkout = BodyOf<operations, 'checkoutCart'>;
/** Who buys: one of both. */
export type Buyer = Pick<Checkout, 'contactNumber' | 'guest'>;
/** A buyer without a login; orders makes a contact of it once the checkout is accepted. */
export type Guest = NonNullable<Checkout['guest']>;

/** Which orders: those of a contact and those named, together, and which part of them. */
export type Selection = Omit<QueryOf<operations, 'listShopOrders'>, 'ids'> & { readonly ids: readonly string[] };

/** What orders refuses by status instead of by reason: 404, there is no such order; 409, another request is changing it. */
const asOutcome = (error: unknown): Outcome => {
  if (error instanceof ServiceRefusal) {
    if (error.http === 404) return { outcome: 'refused', reason: 'cart_gone', details: error.details, order: null };
    if (error.http === 409) return { outcome: 'refused', reason: 'busy', details: error.details, order: null };
  }
  throw error;
};

/** Milliseconds that orders may take for a write: it calls the catalog, contacts and tickets in turn. */
export const WRITE_MS = 8_000;
/** Milliseconds that orders may take to say that an order is cancelled for certain. */
export const CERTAINTY_MS = 5_000;

const write = { timeoutMs: WRITE_MS } as const;

/**
 * What the point of sale reads and writes of orders. Everything rejects with Fault `service_unavailable` when they do not answer: then
 * they may have acted.
 */
export const createOrders = (orders: ServiceClient<operations>) => ({
  add: (institution: string, body: Addition): Promise<Outcome> =>
    orders.call(institution, 'addCartItems', { body, ...write }).catch(asOutcome),

  changeLine: (institution: string, orderId: string, lineId: string, body: LineChange): Promise<Outcome> =>
    orders.call(institution, 'changeCartItem', { path: { orderId, lineId }, body, ...write }).catch(asOutcome),

  removeLine: (institution: string, orderId: string, lineId: string): Promise<Outcome> =>
    orders.call(institution, 'removeCartItem', { path: { orderId, lineId }, ...write }).catch(asOutcome),

  giveUp: (institution: string, orderId: string): Promise<Outcome> =>
    orders.call(institution, 'giveUpCart', { path: { orderId }, ...write }).catch(asOutcome),

  /** Waits `timeoutMs` at most. */
  checkout: (institution: string, orderId: string, body: Checkout, timeoutMs: number = WRITE_MS): Promise<Outcome> =>
    orders.call(institution, 'checkoutCart', { path: { orderId }, body, timeoutMs }).catch(asOutcome),

  cancel: (institution: string, orderId: string, requestId: string): Promise<Outcome> =>
    orders.call(institution, 'cancelShopOrder', { path: { orderId }, body: { requestId }, ...write }).catch(asOutcome),

  /** Cancels what a failed checkout left, or leaves it if that were later than `notAfter` (epoch milliseconds); true only when it is durable. */
  async cancelAfterFault(institution: string, orderId: string, notAfter: number): Promise<boolean> {
    const { cancelled } = await orders.call(institution, 'cancelAfterFault', {
      path: { orderId },
      body: { notAfter: new Date(notAfter).toISOString() },
      timeoutMs: CERTAINTY_MS,
    });
    return cancelled === true;
  },

  /** An order or a cart; undefined if there is none. */
  get: (institution: string, orderId: string): Promise<Order | undefined> =>
    orders.find(institution, 'getShopOrder', { path: { orderId } }),

  /** Orders, never carts, by start of their first performance. */
  list: (institution: string, { ids, ...selection }: Selection): Promise<AnswerOf<operations, 'listShopOrders'>> =>
    orders.call(institution, 'listShopOrders', {
      query: { ...selection, ...(ids.length > 0 && { ids: ids.join(',') }) },
    }),
});

export type Orders = ReturnType<typeof createOrders>;

/** Whether the error says that orders did not answer, so that it is unknown whether they acted. */
export const isUnanswered = (error: unknown): boolean => error instanceof Fault && error.code === 'service_unavailable';
