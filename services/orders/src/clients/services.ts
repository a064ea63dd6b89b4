// What orders needs of the services that it calls, and how long it waits for each.

import type { ContactBounds } from '@boxoffice/identity';
import { settleWithin } from '@boxoffice/runtime';
import { type AnswerOf, type BodyOf, createBestEffort, type ServiceClient } from '@boxoffice/service';
import { createRefusalFault } from '../api/faults.ts';
import type { Guest, TicketDelivery } from '../domain/order/order.ts';
import type { operations as Catalog } from './generated/catalog.ts';
import type { operations as ContactsApi } from './generated/contacts.ts';
import type { operations as TicketsApi } from './generated/tickets.ts';

type Body<Id extends keyof Catalog> = BodyOf<Catalog, Id>;

/** What takes or releases places says the order's version, since its facts release only what is older. */
type Versioned<Id extends keyof Catalog> = Body<Id> & { readonly asOf: number };

/** One item of a hold: `quantity` places of a category, or the named ones. */
export type RequestedItem = Body<'holdPlaces'>['items'][number];

/** A place that is held now, with its price; `item` is the index of the request's item that it is for. */
export type HeldLine = AnswerOf<Catalog, 'holdPlaces'>['lines'][number];

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
export function createStock(catalog: ServiceClient<Catalog>) {
  return {
    /**
     * The same `requestId` again gives the same places; a later `asOf` is another try of the same request. Without
     * `heldUntil` places are held for the time of the point of sale, by default 15 minutes. @throws Fault with the
     * order's code for what the catalog refuses; then nothing is held.
     */
    async hold(institution: string, body: Versioned<'holdPlaces'>): Promise<Held> {
      const answer = await catalog.call(institution, 'holdPlaces', { body, timeoutMs: HOLD_MS });
      const { refusal: refused, heldUntil, pointOfSale, lines } = answer;
      if (refused) throw createRefusalFault(refused.reason, refused.details);
      const { serviceHost = null, ticketDelivery = 'print' } = pointOfSale ?? {};
      return { heldUntil: String(heldUntil), pointOfSale: serviceHost, ticketDelivery, lines };
    },

    /** What a place of each item would cost; nothing is held. @throws Fault as `hold` */
    async quotes(institution: string, items: readonly Omit<RequestedItem, 'quantity'>[], pointOfSale: string | null) {
      const body = { items, ...(pointOfSale === null ? {} : { pointOfSale }) };
      const { refusal: refused, quotes } = await catalog.call(institution, 'quoteItems', { body });
      if (refused) throw createRefusalFault(refused.reason, refused.details);
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

    /** Ends the hold of places sooner, unless a later version of the order has changed it since. */
    async shorten(institution: string, holder: string, body: Body<'shortenHold'>): Promise<void> {
      await catalog.call(institution, 'shortenHold', { path: { holder }, body, timeoutMs: CHANGE_MS });
    },

    /**
     * Holds places again whose hold may be over, all or none; where one is gone, `replaces` of another one names it.
     * After it, facts of a version before `asOf` release nothing.
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
  };
}

export type Stock = ReturnType<typeof createStock>;

/** Maximum wait for the write of a guest's contact: the buyer waits meanwhile, and the write stays due. */
const GUEST_MS = 1_500;

/** The contacts service, as orders uses it. Rejects with Fault `service_unavailable` if it does not answer. */
export function createContacts(contacts: ServiceClient<ContactsApi>) {
  return {
    /**
     * The criteria of the contact, which tariffs and payment methods need; undefined if it is unknown or erased, or out
     * of the bounds of a client.
     */
    async criteria(
      institution: string,
      contactNumber: string,
      within: ContactBounds | null = null,
    ): Promise<readonly string[] | undefined> {
      // An ill-formed string is no contact number: undefined without a remote call.
      if (!contactNumber.isWellFormed()) return undefined;
      const contact = await contacts.find(institution, 'getContactInternally', {
        path: { contactNumber },
        query: reachQuery(within),
      });
      return contact?.erasedAt === null ? contact.criteria : undefined;
    },

    /** Whether the contact is there and has an address for mails. */
    async hasEmail(institution: string, contactNumber: string): Promise<boolean> {
      if (!contactNumber.isWellFormed()) return false;
      const contact = await contacts.find(institution, 'getContactInternally', { path: { contactNumber }, query: {} });
      return contact?.erasedAt === null && contact.hasEmail !== false;
    },

    /**
     * The numbers of the contacts with this email, or whose last name or name begins so, oldest first; `hasMore`: there
     * are more than are returned. `within`: of those that exist for a client with these bounds.
     */
    async find(
      institution: string,
      sought: { readonly email?: string; readonly name?: string; readonly among?: string },
      within: ContactBounds | null = null,
    ): Promise<{ readonly contactNumbers: readonly string[]; readonly hasMore: boolean }> {
      return contacts.call(institution, 'findContacts', { query: { ...sought, ...reachQuery(within) } });
    },

    /** Writes the contact of a guest; idempotent. */
    async writeGuest(institution: string, contactNumber: string, { since, ...guest }: Guest): Promise<void> {
      await contacts.call(institution, 'writeGuest', {
        path: { contactNumber },
        body: { ...guest, asOf: new Date(since).toISOString() },
        timeoutMs: GUEST_MS,
      });
    },

    /** Erases the contact of a guest, unless its institution has changed it; idempotent. */
    async forgetGuest(institution: string, contactNumber: string): Promise<void> {
      await contacts.call(institution, 'forgetGuest', { path: { contactNumber }, timeoutMs: GUEST_MS });
    },
  };
}

/** The bounds of a client, as contacts reads them. */
const reachQuery = (within: ContactBounds | null) =>
  within
    ? {
        clientId: within.client,
        ownOrders: within.ownOrders,
        ...(within.pointsOfSale && { pointsOfSale: within.pointsOfSale.join(',') }),
      }
    : {};

export type Contacts = ReturnType<typeof createContacts>;

/** The contacts that exist for a caller; for another number nothing else is answered than for an unknown one. */
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

/** Maximum wait for the controlled tickets, in milliseconds; the order has recorded their control state, too. */
const CONTROLLED_MS = 1_000;
/** Maximum wait of a request for issued tickets, in milliseconds. After a timeout the next ones do not wait at all. */
const ISSUE_AT_ONCE_MS = 1_000;
/** The same for who repeats it: long enough for the largest order. */
const ISSUE_MS = 10_000;
/** The call's own timeout is this much longer, so that the best-effort limit always ends the wait. */
const MARGIN_MS = 500;

/** The present ticket of a line. */
export interface IssuedTicket {
  readonly ticketId: string;
  readonly lineId: string;
}

/** The tickets service, as orders uses it. */
export function createTickets(
  tickets: ServiceClient<TicketsApi>,
  { controlledMs = CONTROLLED_MS, issueAtOnceMs = ISSUE_AT_ONCE_MS } = {},
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

    /** Ids of the order's controlled tickets; undefined if the tickets service does not answer within a second. */
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
  };
}

export type Tickets = ReturnType<typeof createTickets>;
