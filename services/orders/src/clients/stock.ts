import type { AnswerOf, BodyOf, ServiceClient } from '@boxoffice/service';
import { refusal } from '../api/faults.ts';
import type { TicketDelivery } from '../domain/order/order.ts';
import type { operations } from './generated/catalog.ts';

type Body<Id extends keyof operations> = BodyOf<operations, Id>;

/** What takes or releases places says the order's version, since its facts release only what is older. */
type Versioned<Id extends keyof operations> = Body<Id> & { readonly asOf: number };

/** One item of a hold: `quantity` places of a category, or the named ones. */
export type RequestedItem = Body<'holdPlaces'>['items'][number];

/** A place that is held now, with its price; `item` is the index of the request's item that it is for. */
export type HeldLine = AnswerOf<operations, 'holdPlaces'>['lines'][number];

export interface Held {
  /** ISO 8601 UTC. */
  readonly heldUntil: string;
  readonly pointOfSale: string | null;
  /** Of the point of sale; print without one. */
  readonly ticketDelivery: TicketDelivery;
  readonly lines: readonly HeldLine[];
}

/** Longest wait for a hold in milliseconds: under contention it takes longer than any other call of the catalog. */
export const HOLD_MS = 8_000;

/**
 * Longest wait in milliseconds for any other change of an order's places. The buyer waits for it in any case, since the
 * outcome must be certain; it ends before the point of sale stops waiting for orders (8,000).
 */
const CHANGE_MS = 6_000;

/**
 * What orders needs of the stock. The holder is the order, and every call is idempotent by order. It rejects with Fault
 * `service_unavailable` when the catalog does not answer, which may have acted or not. A call that comes late changes
 * only places that the order still has. `missing` are places that the order has lost; then nothing was changed.
 */
export const createStock = (catalog: ServiceClient<operations>) => ({
  /**
   * The same `requestId` again gives the same places; a later `asOf` is another try of the same request. Without
   * `heldUntil` places are held for the time of the point of sale, by default 15 minutes. @throws Fault with the order's
   * code for what the catalog refuses; then nothing is held.
   */
  async hold(institution: string, body: Versioned<'holdPlaces'>): Promise<Held> {
    const answer = await catalog.call(institution, 'holdPlaces', { body, timeoutMs: HOLD_MS });
    const { refusal: refused, heldUntil, pointOfSale, lines } = answer;
    if (refused) throw refusal(refused.reason, refused.details);
    const { serviceHost = null, ticketDelivery = 'print' } = pointOfSale ?? {};
    return { heldUntil: String(heldUntil), pointOfSale: serviceHost, ticketDelivery, lines };
  },

  /** What a place of each item would cost; nothing is held. @throws Fault as `hold` */
  async quotes(institution: string, items: readonly Omit<RequestedItem, 'quantity'>[], pointOfSale: string | null) {
    const body = { items, ...(pointOfSale === null ? {} : { pointOfSale }) };
    const { refusal: refused, quotes } = await catalog.call(institution, 'quoteItems', { body });
    if (refused) throw refusal(refused.reason, refused.details);
    if (quotes.length !== items.length) throw new Error('the catalog answered without a price for every item');
    return quotes;
  },

  /**
   * The prices of all items, and every reason for which a hold would be refused; nothing is held. `publicOnly`: what
   * public access does not show is unknown.
   */
  quoteAll: (institution: string, body: Body<'quoteOrderItems'>) =>
    catalog.call(institution, 'quoteOrderItems', { body }),

  /** Keeps places, all or none, at least until an instant; never shorter than before. */
  extend: (institution: string, holder: string, body: Body<'extendHold'>) =>
    catalog.call(institution, 'extendHold', { path: { holder }, body, timeoutMs: CHANGE_MS }),

  /**
   * Holds places again whose hold may be over, all or none; where one is gone, `replaces` of another one names it. After
   * it, facts of a version before `asOf` release nothing.
   */
  renew: (institution: string, holder: string, body: Versioned<'renewHold'>) =>
    catalog.call(institution, 'renewHold', { path: { holder }, body, timeoutMs: CHANGE_MS }),

  /** Sells held places, all or none. */
  sell: (institution: string, holder: string, body: Body<'sellHold'>) =>
    catalog.call(institution, 'sellHold', { path: { holder }, body, timeoutMs: CHANGE_MS }),

  /** Releases these places, with `sold` also sold ones, unless the order has them since a later version. */
  async release(institution: string, holder: string, body: Versioned<'releaseHold'>): Promise<void> {
    await catalog.call(institution, 'releaseHold', { path: { holder }, body, timeoutMs: CHANGE_MS });
  },
});

export type Stock = ReturnType<typeof createStock>;
