import { Fault } from '@boxoffice/envelope';
import type { Peer, PeerCall } from '@boxoffice/service';
import { refuse } from '../domain/order/decision.ts';
import { faultOf } from '../faults.ts';

/** One wish of a hold: `quantity` places of a category, or these. */
export interface Wish {
  readonly performanceId: string;
  readonly seatCategoryId: string;
  readonly tariffId: string;
  readonly quantity?: number;
  readonly placeIds?: readonly string[];
}

export interface HoldRequest {
  /** The order. */
  readonly holder: string;
  /** The same one again gives the same places. */
  readonly requestId: string;
  /** The order's version: a later one is another try of the same request. */
  readonly asOf: number;
  readonly items: readonly Wish[];
  /** ISO 8601 UTC; absent: as the point of sale, or 15 minutes. */
  readonly heldUntil?: string;
  readonly pointOfSale?: string;
  readonly placesInOrder?: number;
}

/** A place that is held now, with its price. */
export interface HeldLine {
  readonly productId: string;
  readonly performanceId: string;
  /** ISO 8601 UTC. */
  readonly startDate: string;
  readonly seatCategoryId: string;
  readonly tariffId: string;
  readonly criterion: string | null;
  /** In the currency's minor unit. */
  readonly amount: number;
  readonly currency: string;
  readonly place: PlaceName;
  /** Which of the request's items it is for. */
  readonly item: number;
}

/** What a place of a category costs at a tariff. */
export type Quote = Pick<HeldLine, 'tariffId' | 'criterion' | 'amount' | 'currency'>;

export interface PlaceName {
  readonly id: string;
  readonly label: string;
  readonly row: string | null;
  readonly seat: number | null;
}

export interface Held {
  /** ISO 8601 UTC. */
  readonly heldUntil: string;
  readonly pointOfSale: string | null;
  readonly lines: readonly HeldLine[];
}

/** A place held again; `replaces` is the one that it stands for, if that was gone. */
export interface RenewedPlace extends PlaceName {
  readonly replaces: string | null;
}

/** Places that the order has lost; then nothing was changed. */
export interface Lost {
  readonly missing: readonly string[];
}

export interface Renewal {
  readonly requestId: string;
  /** ISO 8601 UTC. */
  readonly heldUntil: string;
  readonly placeIds: readonly string[];
  /** The order's version: what was published of an older one releases nothing any more, and what an older one asks for has no effect. */
  readonly asOf: number;
}

/**
 * What orders needs of the stock. Everything is idempotent by order; everything rejects with Fault `service_unavailable` when
 * the catalog does not answer: then it may have acted or not. What comes too late, since the catalog knows of a later version of the
 * order, changes nothing and rejects with Fault `conflict`.
 */
export interface Stock {
  /** @throws Fault with the order's code for what the catalog refuses; then nothing is held. */
  hold(institution: string, request: HoldRequest): Promise<Held>;
  /** What a place of each item would cost; nothing is held. @throws Fault as {@link Stock.hold} */
  quotes(
    institution: string,
    items: readonly Omit<Wish, 'quantity'>[],
    pointOfSale: string | null,
  ): Promise<readonly Quote[]>;
  /** Keeps places, all or none. */
  extend(institution: string, holder: string, extension: Omit<Renewal, 'requestId'>): Promise<Lost>;
  /** Holds places again whose hold may be over, all or none. */
  renew(institution: string, holder: string, renewal: Renewal): Promise<Lost & { places: readonly RenewedPlace[] }>;
  /** Sells held places, all or none. */
  sell(institution: string, holder: string, which: Omit<Renewal, 'requestId' | 'heldUntil'>): Promise<Lost>;
  /**
   * Gives held places back: these, unless the order has them since a later version, or those that one request took or is still taking
   * before this version.
   */
  release(
    institution: string,
    holder: string,
    which: ({ readonly placeIds: readonly string[] } | { readonly requestId: string }) & { readonly asOf: number },
  ): Promise<void>;
}

/** Longest wait for a hold: where many want the same places it takes longer than anything else that is asked of the catalog. */
export const HOLD_MS = 8_000;

const refusals = {
  unknown_reference: 'semantically_invalid',
  not_on_sale: 'order_not_on_sale',
  places_unavailable: 'order_places_unavailable',
  tariff_not_sold_here: 'order_tariff_not_sold_here',
  too_many_places: 'order_too_many_places',
} as const;

interface HoldAnswer {
  readonly outcome: 'held' | 'refused';
  readonly refusal: { readonly reason: keyof typeof refusals; readonly details: string } | null;
  readonly heldUntil: string | null;
  readonly pointOfSale: { readonly serviceHost: string } | null;
  readonly lines: readonly HeldLine[];
}

interface QuoteAnswer {
  readonly refusal: HoldAnswer['refusal'];
  readonly quotes: readonly Quote[];
}

/** The stock, over HTTP. */
export const createStock = (catalog: Peer): Stock => {
  const post = <Data>(
    institution: string,
    operation: string,
    path: string,
    body: object,
    wait: Pick<PeerCall, 'timeoutMs'> = {},
  ) =>
    catalog.call<Data>(institution, { operation, method: 'POST', path: `/internal/stock/holds${path}`, body, ...wait });
  const change = async <Data extends Lost>(institution: string, operation: string, path: string, body: object) => {
    const answer = await post<Data & { readonly outcome: string }>(institution, operation, path, body);
    if (answer.outcome === 'superseded')
      throw faultOf(refuse('step_lost', 'The step is finished by another process.').refused);
    return answer;
  };
  const of = (holder: string) => `/${encodeURIComponent(holder.toWellFormed())}`;
  return {
    async hold(institution, request) {
      const { refusal, heldUntil, pointOfSale, lines } = await post<HoldAnswer>(
        institution,
        'holdPlaces',
        '',
        request,
        { timeoutMs: HOLD_MS },
      );
      if (refusal) throw new Fault(refusals[refusal.reason], refusal.details);
      return { heldUntil: String(heldUntil), pointOfSale: pointOfSale?.serviceHost ?? null, lines };
    },
    async quotes(institution, items, pointOfSale) {
      const { refusal, quotes } = await catalog.call<QuoteAnswer>(institution, {
        operation: 'quoteItems',
        method: 'POST',
        path: '/internal/stock/quotes',
        body: { items, ...(pointOfSale === null ? {} : { pointOfSale }) },
      });
      if (refusal) throw new Fault(refusals[refusal.reason], refusal.details);
      if (quotes.length !== items.length) throw new Error('the catalog quotes no price');
      return quotes;
    },
    extend: (institution, holder, extension) =>
      change<Lost>(institution, 'extendHold', `${of(holder)}/extension`, extension),
    renew: (institution, holder, renewal) => change(institution, 'renewHold', `${of(holder)}/renewal`, renewal),
    sell: (institution, holder, which) => change<Lost>(institution, 'sellHold', `${of(holder)}/sale`, which),
    async release(institution, holder, which) {
      await post(institution, 'releaseHold', `${of(holder)}/release`, which);
    },
  };
};
