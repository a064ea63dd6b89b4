import type { AnswerOf, BodyOf, QueryOf, ServiceClient } from '@boxoffice/service';
import type { operations } from './generated/tickets.ts';

/** A ticket with the contact number of its buyer. */
export type Ticket = AnswerOf<operations, 'getShopTicket'>;

/** Base64-encoded: a PDF, or SVG where no font has the letters. */
export type ShownDocument = AnswerOf<operations, 'drawShopDocument'>;

/** The first document of a process loads fonts, and a new logo is drawn. */
const DOCUMENT_MS = 8_000;

type Query = QueryOf<operations, 'listShopTickets'>;

type TicketSelection = Omit<Query, 'orderIds'> & { readonly orderIds?: readonly string[] };

const MAX_ORDERS = 100;

/** Rejects with Fault `service_unavailable` if tickets does not answer. */
export function createTickets(tickets: ServiceClient<operations>) {
  return {
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

    get: (institution: string, ticketId: string): Promise<Ticket | undefined> =>
      tickets.find(institution, 'getShopTicket', { path: { ticketId } }),

    /** Base64-encoded. @throws {ServiceRefusal} 412 if a ticket is not printed or not valid */
    draw: (institution: string, body: BodyOf<operations, 'drawShopDocument'>): Promise<ShownDocument> =>
      tickets.call(institution, 'drawShopDocument', { body, timeoutMs: DOCUMENT_MS }),

    /** Absent names stay, null removes them. @throws {ServiceRefusal} 409 or 412 if the ticket cannot be changed */
    name: (institution: string, ticketId: string, body: BodyOf<operations, 'nameShopTicket'>): Promise<Ticket> =>
      tickets.call(institution, 'nameShopTicket', { path: { ticketId }, body }),
  };
}

export type Tickets = ReturnType<typeof createTickets>;
