import { Fault } from '@boxoffice/envelope';
import { type AnswerOf, type BodyOf, type QueryOf, type ServiceClient, ServiceRefusal } from '@boxoffice/service';
import type { operations } from './generated/orders.ts';

/** An order, or a cart: an open order that is not listed, or whose payment failed. */
export type Order = AnswerOf<operations, 'getShopOrder'>;
export type OrderState = Order['state'];
export type Line = Order['lines'][number];

/** The change of an order that waits for its payment. */
export function findPendingChange({ changes, change }: Pick<Order, 'changes' | 'change'>) {
  return changes.find(({ id }) => id === change);
}

/** The outcome of a request: the order as it is now, and the reason of a refusal. */
export type Outcome = AnswerOf<operations, 'addCartItems'>;
export type Reason = NonNullable<Outcome['reason']>;

export type Addition = BodyOf<operations, 'addCartItems'>;
/** One item of an addition; the tariff is checked against the criteria of `contactNumber`. */
export type RequestedItem = Addition['items'][number];
type LineChange = BodyOf<operations, 'changeCartItem'>;
export type Checkout = BodyOf<operations, 'checkoutCart'>;
export type WantedChange = Pick<BodyOf<operations, 'changeShopOrder'>, 'returns' | 'exchanges'>;
export type ChangeQuote = AnswerOf<operations, 'quoteShopChange'>;
type AnotherTry = BodyOf<operations, 'addShopPayment'>;
export type Buyer = Pick<Checkout, 'contactNumber' | 'guest'>;
/** Orders creates the contact once the checkout is accepted. */
export type Guest = NonNullable<Checkout['guest']>;

type Selection = Omit<QueryOf<operations, 'listShopOrders'>, 'ids'> & { readonly ids: readonly string[] };

/** Milliseconds: orders calls the catalog, contacts and tickets in turn. */
export const WRITE_MS = 8_000;
export const CERTAINTY_MS = 5_000;
/** Milliseconds: a page was opened before, within the time of the same request. */
const PAY_MS = 4_000;

const NUMBER = /^[A-Za-z0-9]{1,64}$/;

const write = { timeoutMs: WRITE_MS } as const;

/** Rejects with Fault `service_unavailable` if orders does not answer: the request may have had its effect or not. */
export function createOrders(orders: ServiceClient<operations>) {
  return {
    add: (institution: string, body: Addition): Promise<Outcome> =>
      orders.call(institution, 'addCartItems', { body, ...write }).catch(asOutcome),

    changeLine: (institution: string, orderId: string, lineId: string, body: LineChange): Promise<Outcome> =>
      orders.call(institution, 'changeCartItem', { path: { orderId, lineId }, body, ...write }).catch(asOutcome),

    removeLine: (institution: string, orderId: string, lineId: string): Promise<Outcome> =>
      orders.call(institution, 'removeCartItem', { path: { orderId, lineId }, ...write }).catch(asOutcome),

    addCode: (institution: string, body: BodyOf<operations, 'addCartCode'>): Promise<Outcome> =>
      orders.call(institution, 'addCartCode', { body, ...write }).catch(asOutcome),

    removeCodes: (institution: string, orderId: string, discountId: string): Promise<Outcome> =>
      orders.call(institution, 'removeCartCodes', { path: { orderId, discountId }, ...write }).catch(asOutcome),

    /** At the prices of who buys it. */
    price: (institution: string, orderId: string, { contactNumber }: Pick<Buyer, 'contactNumber'>): Promise<Outcome> =>
      orders.call(institution, 'priceCart', { path: { orderId }, body: { contactNumber } }).catch(asOutcome),

    abandon: (institution: string, orderId: string): Promise<Outcome> =>
      orders.call(institution, 'giveUpCart', { path: { orderId }, ...write }).catch(asOutcome),

    checkout: (institution: string, orderId: string, body: Checkout, timeoutMs: number = WRITE_MS): Promise<Outcome> =>
      orders.call(institution, 'checkoutCart', { path: { orderId }, body, timeoutMs }).catch(asOutcome),

    pay: (institution: string, orderId: string, body: AnotherTry): Promise<Outcome> =>
      orders.call(institution, 'addShopPayment', { path: { orderId }, body, timeoutMs: PAY_MS }).catch(asOutcome),

    cancel: (institution: string, orderId: string, body: { requestId: string; until: string }): Promise<Outcome> =>
      orders.call(institution, 'cancelShopOrder', { path: { orderId }, body, ...write }).catch(asOutcome),

    /** Undefined if there is no such order. */
    quoteChange: (institution: string, orderId: string, body: BodyOf<operations, 'quoteShopChange'>) =>
      orders.find(institution, 'quoteShopChange', { path: { orderId }, body, ...write }),

    /** `changeId`: of the change that the request makes, or has made. */
    change: (institution: string, orderId: string, body: BodyOf<operations, 'changeShopOrder'>) =>
      orders
        .call(institution, 'changeShopOrder', { path: { orderId }, body, ...write })
        .catch((error: unknown) => ({ ...asOutcome(error), changeId: '' })),

    endChange: (institution: string, orderId: string, changeId: string): Promise<Outcome> =>
      orders.call(institution, 'endShopChange', { path: { orderId, changeId }, ...write }).catch(asOutcome),

    /** Cancels unless `notAfter` (epoch milliseconds) is past. True only if the cancellation is durable. */
    async cancelAfterFault(institution: string, orderId: string, notAfter: number): Promise<boolean> {
      const { cancelled } = await orders.call(institution, 'cancelAfterFault', {
        path: { orderId },
        body: { notAfter: new Date(notAfter).toISOString() },
        timeoutMs: CERTAINTY_MS,
      });
      return cancelled === true;
    },

    get: (institution: string, orderId: string): Promise<Order | undefined> =>
      orders.find(institution, 'getShopOrder', { path: { orderId } }),

    /** The case of the number does not matter. An ill-formed one needs no remote call. */
    withNumber: async (institution: string, number: string): Promise<Order | undefined> =>
      NUMBER.test(number) ? orders.find(institution, 'findShopOrder', { path: { number } }) : undefined,

    /** Only orders of shoppers, page by page. */
    async *ofPerformance(institution: string, performanceId: string) {
      for (let after: string | undefined; ; ) {
        const page = { path: { performanceId }, query: { after } };
        const { orders: found, next } = await orders.call(institution, 'listPerformanceOrders', page);
        yield found;
        if (next === null) return;
        after = next;
      }
    },

    /** Orders, never carts, by start of their first performance. */
    list: (institution: string, { ids, ...selection }: Selection): Promise<AnswerOf<operations, 'listShopOrders'>> =>
      orders.call(institution, 'listShopOrders', {
        query: { ...selection, ids: ids.join(',') || undefined },
      }),
  };
}

/** 404 is an unknown order, 409 means that another request is changing it. */
const asOutcome = (error: unknown): Outcome => {
  if (error instanceof ServiceRefusal) {
    if (error.http === 404) return { outcome: 'refused', reason: 'cart_gone', details: error.details, order: null };
    if (error.http === 409) return { outcome: 'refused', reason: 'busy', details: error.details, order: null };
  }
  throw error;
};

export type Orders = ReturnType<typeof createOrders>;

export function isUnanswered(error: unknown): boolean {
  return error instanceof Fault && error.code === 'service_unavailable';
}
