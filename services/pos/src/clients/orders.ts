import { Fault } from '@boxoffice/envelope';
import { type Peer, type PeerCall, PeerRefusal } from '@boxoffice/service';

export interface PlaceName {
  readonly id: string;
  readonly label: string;
  readonly row: string | null;
  readonly seat: number | null;
}

export interface Line {
  readonly id: string;
  readonly productId: string;
  readonly performanceId: string;
  /** ISO 8601 UTC. */
  readonly startDate: string;
  readonly seatCategoryId: string;
  readonly tariffId: string;
  readonly place: PlaceName;
  /** In the currency's minor unit. */
  readonly amount: number;
  readonly beneficiary: { readonly firstName: string | null; readonly lastName: string | null } | null;
  readonly ticketId: string | null;
}

export type OrderState = 'open' | 'reserved' | 'payment_pending' | 'confirmed' | 'expired' | 'cancelled';

/** An order, or a cart: an open order that is not listed, or whose payment failed. */
export interface Order {
  readonly id: string;
  readonly state: OrderState;
  readonly listed: boolean;
  /** Listed, and a cart again: its payment failed while its places are held. */
  readonly payable: boolean;
  readonly contactNumber: string | null;
  readonly currency: string;
  readonly total: number;
  readonly lines: readonly Line[];
  readonly expiresAt: string | null;
  readonly checkout: { readonly requestId: string; readonly paymentMethod: string } | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Why orders refuse a wish. */
export type Reason =
  | 'places_unavailable'
  | 'not_on_sale'
  | 'too_many_places'
  | 'hold_limit'
  | 'tariff_not_sold_here'
  | 'invalid_reference'
  | 'invalid_items'
  | 'tariff_not_accessible'
  | 'account_required'
  | 'cart_gone'
  | 'cart_expired'
  | 'cart_empty'
  | 'payment_declined'
  | 'places_gone'
  | 'unknown_line'
  | 'not_cancellable'
  | 'busy';

/** What became of a wish: the order as it is now, and why it was refused, if it was. */
export interface Outcome {
  readonly outcome: 'done' | 'refused';
  readonly reason: Reason | null;
  /** English, for humans. */
  readonly details: string | null;
  readonly order: Order | null;
}

export interface Wish {
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly tariffId: string;
  readonly quantity?: number;
  readonly placeIds?: readonly string[];
  /** Whose criteria the tariff is checked against. */
  readonly contactNumber?: string;
}

export interface Addition {
  /** The cart: chosen here, and made with its first places. */
  readonly orderId: string;
  /** The same again adds nothing more. */
  readonly requestId: string;
  readonly pointOfSale: string;
  /** Where the visitor is: places are limited per address. */
  readonly address: string;
  readonly items: readonly Wish[];
}

export interface LineChange {
  readonly requestId: string;
  readonly tariffId?: string;
  readonly contactNumber?: string;
  readonly beneficiaryFirstName?: string | null;
  readonly beneficiaryLastName?: string | null;
}

/** Who buys without a login; orders makes a contact of it once the checkout is accepted. */
export interface Guest {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly language?: string;
}

/** Who buys: one of both. */
export interface Buyer {
  readonly contactNumber?: string;
  readonly guest?: Guest;
}

export interface Checkout extends Buyer {
  /** The same again gives the same order. */
  readonly requestId: string;
  readonly paymentMethod: string;
  readonly paymentToken?: string;
}

/** Which orders: of a contact and those named, together, and which part of them. */
export interface Selection {
  readonly contactNumber?: string;
  readonly ids: readonly string[];
  readonly offset: number;
  readonly limit: number;
}

/** What the point of sale asks orders; everything rejects with Fault `service_unavailable` when they do not answer: then they may have acted. */
export interface Orders {
  add(institution: string, addition: Addition): Promise<Outcome>;
  changeLine(institution: string, orderId: string, lineId: string, change: LineChange): Promise<Outcome>;
  removeLine(institution: string, orderId: string, lineId: string): Promise<Outcome>;
  giveUp(institution: string, orderId: string): Promise<Outcome>;
  /** `timeoutMs`: so long it is waited for at most. */
  checkout(institution: string, orderId: string, checkout: Checkout, timeoutMs?: number): Promise<Outcome>;
  cancel(institution: string, orderId: string, requestId: string): Promise<Outcome>;
  /** Cancels what a failed checkout left, or leaves it if that were later than `notAfter` (epoch milliseconds); true only when it is durable. */
  cancelAfterFault(institution: string, orderId: string, notAfter: number): Promise<boolean>;
  /** An order or a cart; undefined if there is none. */
  get(institution: string, orderId: string): Promise<Order | undefined>;
  /** Orders, never carts, by start of their first performance. */
  list(
    institution: string,
    selection: Selection,
  ): Promise<{ readonly items: readonly Order[]; readonly total: number }>;
}

const PATH = '/internal/shop/orders';

/** What is not a text at all becomes an id that nothing has. */
const of = (...ids: readonly string[]): string =>
  ids.map((id) => encodeURIComponent(id.toWellFormed())).join('/lines/');

/** What the peer refuses by status instead of by reason: an order that there is not, or that another request is changing. */
const asOutcome = (error: unknown): Outcome => {
  if (error instanceof PeerRefusal) {
    if (error.http === 404) return { outcome: 'refused', reason: 'cart_gone', details: error.details, order: null };
    if (error.http === 409) return { outcome: 'refused', reason: 'busy', details: error.details, order: null };
  }
  throw error;
};

/** Milliseconds that orders may take for a write: it asks the stock, contacts and tickets in turn. */
export const WRITE_MS = 8_000;
/** The same for the word that an order is cancelled for sure. */
export const CERTAINTY_MS = 5_000;

/** The orders, over HTTP. */
export const createOrders = (orders: Peer): Orders => {
  const post = (
    institution: string,
    operation: string,
    path: string,
    more: Pick<PeerCall, 'body' | 'timeoutMs'> = {},
  ) =>
    orders
      .call<Outcome>(institution, { operation, method: 'POST', path: `${PATH}/${path}`, timeoutMs: WRITE_MS, ...more })
      .catch(asOutcome);
  return {
    add: (institution, addition) => post(institution, 'addCartItems', 'items', { body: addition }),
    changeLine: (institution, orderId, lineId, change) =>
      post(institution, 'changeCartItem', `${of(orderId, lineId)}/change`, { body: change }),
    removeLine: (institution, orderId, lineId) => post(institution, 'removeCartItem', `${of(orderId, lineId)}/removal`),
    giveUp: (institution, orderId) => post(institution, 'giveUpCart', `${of(orderId)}/giving-up`),
    checkout: (institution, orderId, checkout, timeoutMs = WRITE_MS) =>
      post(institution, 'checkoutCart', `${of(orderId)}/checkout`, { body: checkout, timeoutMs }),
    cancel: (institution, orderId, requestId) =>
      post(institution, 'cancelShopOrder', `${of(orderId)}/cancellation`, { body: { requestId } }),
    async cancelAfterFault(institution, orderId, notAfter) {
      const { cancelled } = await orders.call<{ cancelled: boolean }>(institution, {
        operation: 'cancelAfterFault',
        method: 'POST',
        path: `${PATH}/${of(orderId)}/fault-cancellation`,
        body: { notAfter: new Date(notAfter).toISOString() },
        timeoutMs: CERTAINTY_MS,
      });
      return cancelled === true;
    },
    async get(institution, orderId) {
      try {
        const path = `${PATH}/${of(orderId)}`;
        return await orders.call<Order>(institution, { operation: 'getShopOrder', method: 'GET', path });
      } catch (error) {
        if (error instanceof PeerRefusal && error.http === 404) return undefined;
        throw error;
      }
    },
    list(institution, { contactNumber, ids, offset, limit }) {
      const query = new URLSearchParams({ offset: String(offset), limit: String(limit) });
      if (contactNumber !== undefined) query.set('contactNumber', contactNumber);
      if (ids.length > 0) query.set('ids', ids.join(','));
      return orders.call(institution, { operation: 'listShopOrders', method: 'GET', path: `${PATH}?${query}` });
    },
  };
};

/** Whether the error says that the peer did not answer, so that nobody knows whether it has acted. */
export const isUnanswered = (error: unknown): boolean => error instanceof Fault && error.code === 'service_unavailable';
