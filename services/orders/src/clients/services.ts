import type { ContactBounds } from '@boxoffice/identity';
import { settleWithin } from '@boxoffice/runtime';
import { type AnswerOf, type BodyOf, createBestEffort, type ServiceClient } from '@boxoffice/service';
import { createRefusalFault } from '../api/faults.ts';
import type { Guest, TicketDelivery } from '../domain/order/order.ts';
import type { operations as Catalog } from './generated/catalog.ts';
import type { operations as ContactsApi } from './generated/contacts.ts';
import type { operations as TicketsApi } from './generated/tickets.ts';

type Body<Id extends keyof Catalog> = BodyOf<Catalog, Id>;

/** Facts of an earlier version release only what is older. */
type Versioned<Id extends keyof Catalog> = Body<Id> & { readonly asOf: number };

export type RequestedItem = Body<'holdPlaces'>['items'][number];

/** `item` is the index of the request's item that the place is for. */
export type HeldLine = AnswerOf<Catalog, 'holdPlaces'>['lines'][number];

/** What the institution's prices are made of. */
export type Book = NonNullable<AnswerOf<Catalog, 'holdPlaces'>['pricing']>;

/** The price of a requested item, without its places. */
export type PricedItem = AnswerOf<Catalog, 'quoteOrderItems'>['quotes'][number];

export interface Held {
  /** ISO 8601 UTC. */
  readonly heldUntil: string;
  readonly pointOfSale: string | null;
  /** Of the point of sale; print without one. */
  readonly ticketDelivery: TicketDelivery;
  readonly lines: readonly HeldLine[];
  /** Null: there is nothing beside the bases. */
  readonly book: Book | null;
}

/** In one call of the catalog. An order of 1,000 places may have two uses of discounts for each. */
const MOST_RELEASED = 1_000;

/** Milliseconds: under contention a hold takes longer than any other call of the catalog. */
const HOLD_MS = 8_000;

/** Milliseconds, below the wait of the point of sale for orders (8,000): the outcome must be certain. */
const CHANGE_MS = 6_000;

/**
 * Idempotent by order. Rejects with Fault `service_unavailable` when the catalog does not answer, which may have acted
 * or not. `missing` are places that the order has lost; then nothing was changed.
 */
export function createStock(catalog: ServiceClient<Catalog>) {
  return {
    /**
     * The same `requestId` again gives the same places; a later `asOf` is another try. @throws Fault with the order's
     * code for what the catalog refuses, or what `checkFirst` throws where only places are missing; then nothing is
     * held
     */
    async hold(
      institution: string,
      body: Versioned<'holdPlaces'>,
      checkFirst?: (items: readonly PricedItem[], book: Book | null) => Promise<void>,
    ): Promise<Held> {
      const answer = await catalog.call(institution, 'holdPlaces', { body, timeoutMs: HOLD_MS });
      const { refusal: refused, heldUntil, pointOfSale, lines, quotes = [], pricing: book = null } = answer;
      if (refused?.reason === 'places_unavailable') await checkFirst?.(quotes, book);
      if (refused) throw createRefusalFault(refused.reason, refused.details);
      const { serviceHost = null, ticketDelivery = 'print' } = pointOfSale ?? {};
      return { heldUntil: String(heldUntil), pointOfSale: serviceHost, ticketDelivery, lines, book };
    },

    /** Uses of limited discounts and codes, all or none, until the same instant as places. A repeat finds them. */
    holdUses: (institution: string, body: Versioned<'holdUses'>) =>
      catalog.call(institution, 'holdUses', { body, timeoutMs: CHANGE_MS }),

    /** Null where prices are bases. Uses that the request has claimed before count as free. */
    async pricing(institution: string, body: Body<'readPricing'>): Promise<Book | null> {
      return (await catalog.call(institution, 'readPricing', { body })).pricing;
    },

    /** Nothing is held. @throws Fault as `hold` */
    async quotes(institution: string, items: readonly Omit<RequestedItem, 'quantity'>[], pointOfSale: string | null) {
      const body = { items, ...(pointOfSale === null ? {} : { pointOfSale }) };
      const { refusal: refused, quotes, pricing = null } = await catalog.call(institution, 'quoteItems', { body });
      if (refused) throw createRefusalFault(refused.reason, refused.details);
      if (quotes.length !== items.length) throw new Error('the catalog answered without a price for every item');
      return quotes.map((quote) => ({ ...quote, book: pricing }));
    },

    /** `publicOnly`: what public access does not show is unknown. */
    quoteAll: (institution: string, body: Body<'quoteOrderItems'>) =>
      catalog.call(institution, 'quoteOrderItems', { body }),

    /** All or none; never shorter than before. */
    extend: (institution: string, holder: string, body: Body<'extendHold'>) =>
      catalog.call(institution, 'extendHold', { path: { holder }, body, timeoutMs: CHANGE_MS }),

    /** Null of an unknown point of sale. */
    async holdMinutes(institution: string, serviceHost: string): Promise<number | null> {
      return (await catalog.find(institution, 'findPointOfSale', { path: { serviceHost } }))?.holdMinutes ?? null;
    },

    async refundsCredit(institution: string, serviceHost: string): Promise<boolean> {
      const found = await catalog.find(institution, 'findPointOfSale', { path: { serviceHost } });
      return found?.refundCredit ?? true;
    },

    /** Unless a later version of the order has changed the hold since. */
    async shorten(institution: string, holder: string, body: Body<'shortenHold'>): Promise<void> {
      await catalog.call(institution, 'shortenHold', { path: { holder }, body, timeoutMs: CHANGE_MS });
    },

    /** All or none; `replaces` of a place names one that is gone. Facts before `asOf` release nothing then. */
    renew: (institution: string, holder: string, body: Versioned<'renewHold'>) =>
      catalog.call(institution, 'renewHold', { path: { holder }, body, timeoutMs: CHANGE_MS }),

    /** All or none. */
    sell: (institution: string, holder: string, body: Body<'sellHold'>) =>
      catalog.call(institution, 'sellHold', { path: { holder }, body, timeoutMs: CHANGE_MS }),

    /** With `sold` also sold ones; unless the order has them since a later version. */
    async release(institution: string, holder: string, body: Versioned<'releaseHold'>): Promise<void> {
      const { placeIds: all } = body;
      const call = (some: object) =>
        catalog.call(institution, 'releaseHold', {
          path: { holder },
          body: { ...body, ...some },
          timeoutMs: CHANGE_MS,
        });
      if (!all) await call({});
      for (let start = 0; start < (all?.length ?? 0); start += MOST_RELEASED)
        await call({ placeIds: all?.slice(start, start + MOST_RELEASED) });
    },
  };
}

export type Stock = ReturnType<typeof createStock>;

/** Milliseconds: the buyer waits meanwhile, and the write stays due. */
const GUEST_MS = 1_500;

/** Rejects with Fault `service_unavailable` if contacts does not answer. */
export function createContacts(contacts: ServiceClient<ContactsApi>) {
  return {
    /** Undefined if the contact is unknown or erased, or out of bounds. */
    async criteria(
      institution: string,
      contactNumber: string,
      within: ContactBounds | null = null,
    ): Promise<readonly string[] | undefined> {
      // An ill-formed string is no contact number.
      if (!contactNumber.isWellFormed()) return undefined;
      const contact = await contacts.find(institution, 'getContactInternally', {
        path: { contactNumber },
        query: reachQuery(within),
      });
      return contact?.erasedAt === null ? contact.criteria : undefined;
    },

    async hasEmail(institution: string, contactNumber: string): Promise<boolean> {
      if (!contactNumber.isWellFormed()) return false;
      const contact = await contacts.find(institution, 'getContactInternally', { path: { contactNumber }, query: {} });
      return contact?.erasedAt === null && contact.hasEmail !== false;
    },

    /** By email, or the beginning of the last name or name, oldest first. `hasMore`: more than are returned. */
    async find(
      institution: string,
      sought: { readonly email?: string; readonly name?: string; readonly among?: string },
      within: ContactBounds | null = null,
    ): Promise<{ readonly contactNumbers: readonly string[]; readonly hasMore: boolean }> {
      return contacts.call(institution, 'findContacts', { query: { ...sought, ...reachQuery(within) } });
    },

    async writeGuest(institution: string, contactNumber: string, { since, ...guest }: Guest): Promise<void> {
      await contacts.call(institution, 'writeGuest', {
        path: { contactNumber },
        body: { ...guest, asOf: new Date(since).toISOString() },
        timeoutMs: GUEST_MS,
      });
    },

    /** Unless its institution has changed the contact; idempotent. */
    async forgetGuest(institution: string, contactNumber: string): Promise<void> {
      await contacts.call(institution, 'forgetGuest', { path: { contactNumber }, timeoutMs: GUEST_MS });
    },
  };
}

const reachQuery = (within: ContactBounds | null) =>
  within
    ? {
        clientId: within.client,
        ownOrders: within.ownOrders,
        ...(within.pointsOfSale && { pointsOfSale: within.pointsOfSale.join(',') }),
      }
    : {};

export type Contacts = ReturnType<typeof createContacts>;

/** For another number nothing else is answered than for an unknown one. */
export function limitContacts(
  contacts: Contacts,
  only: readonly string[] | null,
  within: ContactBounds | null,
): Contacts {
  return {
    ...contacts,
    criteria: async (institution, contactNumber) =>
      (only?.includes(contactNumber) ?? true) ? contacts.criteria(institution, contactNumber, within) : undefined,
    find: async (institution, sought) =>
      only?.length === 0
        ? { contactNumbers: [], hasMore: false }
        : contacts.find(institution, { ...sought, ...(only && { among: only.join() }) }, within),
  };
}

type Issue = BodyOf<TicketsApi, 'issueTickets'>;

/** Milliseconds; the order has recorded the control state, too. */
const CONTROLLED_MS = 1_000;
/** Maximum wait of a request for issued tickets, in milliseconds. After a timeout the next ones do not wait at all. */
const ISSUE_AT_ONCE_MS = 1_000;
/** The same for who repeats it: long enough for the largest order. */
const ISSUE_MS = 10_000;
/** So that the best-effort limit always ends the wait. */
const MARGIN_MS = 500;

/** Maximum wait for whole tickets, in milliseconds: who asks for them gets the order without, and reads it again. */
const WHOLE_MS = 4_000;

export interface IssuedTicket {
  readonly ticketId: string;
  readonly lineId: string;
}

export function createTickets(
  tickets: ServiceClient<TicketsApi>,
  { controlledMs = CONTROLLED_MS, issueAtOnceMs = ISSUE_AT_ONCE_MS, wholeMs = WHOLE_MS } = {},
) {
  const bestEffort = createBestEffort({ ms: issueAtOnceMs });
  /**
   * Issues the tickets of a confirmed order, with beneficiaries' names; resolves to the present ticket of each line.
   * Idempotent. @throws Fault `service_unavailable`
   */
  const issue = async (
    institution: string,
    named: Omit<Issue, 'version'>,
    version: number,
    timeoutMs = ISSUE_MS,
  ): Promise<readonly IssuedTicket[]> =>
    (await tickets.call(institution, 'issueTickets', { body: { ...named, version }, timeoutMs })).tickets;
  return {
    issue,

    /** As `issue`, but undefined without an answer in time. Never rejects. */
    issueAtOnce: (institution: string, named: Omit<Issue, 'version'>, version: number) =>
      bestEffort(() => issue(institution, named, version, issueAtOnceMs + MARGIN_MS)),

    /** What a change takes away, and gives, of the tickets of a confirmed order. Idempotent. @throws Fault */
    settle: (institution: string, version: number, change: Omit<BodyOf<TicketsApi, 'settleChange'>, 'version'>) =>
      tickets.call(institution, 'settleChange', { body: { ...change, version }, timeoutMs: ISSUE_MS }),

    /** Undefined if the tickets service does not answer in time. */
    async controlled(institution: string, orderId: string): Promise<readonly string[] | undefined> {
      const call = tickets.call(institution, 'getOrderTickets', { path: { orderId }, timeoutMs: controlledMs });
      // The call's own timeout does not include the request for an identity token.
      const answer = await settleWithin(
        call.catch(() => undefined),
        controlledMs,
        () => undefined,
      );
      return answer?.tickets.filter(({ status }) => status === 'controlled').map(({ ticketId }) => ticketId);
    },

    /** The current tickets of an order, with their barcodes; undefined if the tickets service does not answer. */
    async whole(institution: string, orderId: string): Promise<AnswerOf<TicketsApi, 'getOrderTickets'>['whole']> {
      const request = { path: { orderId }, query: { whole: true }, timeoutMs: wholeMs };
      const answer = await tickets.call(institution, 'getOrderTickets', request).catch(() => undefined);
      return answer?.whole;
    },
  };
}

export type Tickets = ReturnType<typeof createTickets>;
