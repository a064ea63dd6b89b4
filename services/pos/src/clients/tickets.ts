import { type AnswerOf, type BodyOf, type QueryOf, type ServiceClient, ServiceRefusal } from '@boxoffice/service';
import type { operations } from './generated/tickets.ts';

/** A ticket with the contact number of its buyer. */
export type Ticket = AnswerOf<operations, 'getShopTicket'>;
export type TicketStatus = Ticket['status'];

/** A change of the beneficiary: absent members stay, null removes. */
export type Naming = BodyOf<operations, 'nameShopTicket'>;

/** A ticket to print or to show, base64-encoded. */
export type TicketDocument = AnswerOf<operations, 'getShopTicketDocument'>;

/** `ticket_not_printed`, `ticket_cancelled` or `ticket_invalidated`. */
export interface RefusedDocument {
  readonly refused: string;
}

/** The first document of a process loads fonts. */
const slow = { timeoutMs: 8_000 } as const;

type Query = QueryOf<operations, 'listShopTickets'>;

/** Selects the tickets of a contact or of some orders. */
export type TicketSelection = Omit<Query, 'orderIds'> & { readonly orderIds?: readonly string[] };

/** Maximum orders of one `listShopTickets`. */
const MAX_ORDERS = 100;

/** The tickets service, as pos uses it. Rejects with Fault `service_unavailable` if it does not answer. */
export const createTickets = (tickets: ServiceClient<operations>) => ({
  /** Tickets by the start of their performance, then by id. */
  async list(institution: string, { orderIds, ...selection }: TicketSelection): Promise<readonly Ticket[]> {
    const read = async (query: Query) => (await tickets.call(institution, 'listShopTickets', { query })).tickets;
    if (orderIds === undefined) return read(selection);
    const found: Ticket[] = [];
    for (let first = 0; first < orderIds.length; first += MAX_ORDERS) {
      const part = orderIds.slice(first, first + MAX_ORDERS).join(',');
      found.push(...(await read({ ...selection, orderIds: part })));
    }
    return found;
  },

  /** A ticket; undefined if it is unknown. */
  get: (institution: string, ticketId: string): Promise<Ticket | undefined> =>
    tickets.find(institution, 'getShopTicket', { path: { ticketId } }),

  /** The document of a printed ticket, or the code that refuses it. */
  async document(
    institution: string,
    ticketId: string,
    languages: readonly string[],
  ): Promise<TicketDocument | RefusedDocument> {
    try {
      return await tickets.call(institution, 'getShopTicketDocument', {
        path: { ticketId },
        query: { lang: languages.join(',') },
        ...slow,
      });
    } catch (error) {
      if (error instanceof ServiceRefusal && error.http === 412) return { refused: error.status };
      throw error;
    }
  },

  /** Sets the beneficiary; resolves to the valid ticket, or to the reason of a refusal (English, for humans). */
  async name(institution: string, ticketId: string, body: Naming): Promise<Ticket | string> {
    try {
      return await tickets.call(institution, 'nameShopTicket', { path: { ticketId }, body });
    } catch (error) {
      if (error instanceof ServiceRefusal && (error.http === 409 || error.http === 412)) return error.details ?? '';
      throw error;
    }
  },
});

export type Tickets = ReturnType<typeof createTickets>;
