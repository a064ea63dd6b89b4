import type { AnswerOf, BodyOf, QueryOf, ServiceClient } from '@boxoffice/service';
import type { operations } from './generated/tickets.ts';

/** A ticket with the contact number of its buyer. */
export type Ticket = AnswerOf<operations, 'getShopTicket'>;

/** The first document of a process loads fonts. */
const DOCUMENT_MS = 8_000;

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

  /** The document of a printed ticket, base64-encoded. @throws {ServiceRefusal} 412 if it is not printed or not valid */
  document: (institution: string, ticketId: string, languages: readonly string[]) => {
    const query = { lang: languages.join(',') };
    return tickets.call(institution, 'getShopTicketDocument', { path: { ticketId }, query, timeoutMs: DOCUMENT_MS });
  },

  /**
   * Sets the beneficiary: absent names stay, null removes them. Resolves to the valid ticket. @throws {ServiceRefusal}
   * 409 or 412 if it cannot be changed
   */
  name: (institution: string, ticketId: string, body: BodyOf<operations, 'nameShopTicket'>): Promise<Ticket> =>
    tickets.call(institution, 'nameShopTicket', { path: { ticketId }, body }),
});

export type Tickets = ReturnType<typeof createTickets>;
