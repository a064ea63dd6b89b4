import { type Peer, PeerRefusal } from '@boxoffice/service';
import type { PlaceName } from './orders.ts';

export type TicketStatus = 'not_printed' | 'printed' | 'controlled' | 'invalidated' | 'cancelled';

/** A ticket, and whose it is. */
export interface Ticket {
  readonly id: string;
  readonly status: TicketStatus;
  readonly orderId: string;
  readonly productId: string | null;
  readonly performanceId: string;
  /** ISO 8601 UTC. */
  readonly startDate: string | null;
  readonly seatCategoryId: string;
  readonly place: PlaceName;
  readonly tariffId: string;
  /** In the currency's minor unit. */
  readonly price: number;
  readonly currency: string;
  readonly beneficiary: { readonly firstName: string | null; readonly lastName: string | null } | null;
  readonly barcode: string;
  readonly contactNumber: string | null;
}

/** Who will come; what is absent stays, null removes. */
export interface Naming {
  readonly firstName?: string | null;
  readonly lastName?: string | null;
}

/** Which tickets: of a contact or of some orders. */
export interface TicketSelection {
  readonly contactNumber?: string;
  readonly orderIds?: readonly string[];
  readonly status?: TicketStatus;
}

/** What the point of sale asks tickets; everything rejects with Fault `service_unavailable` when they do not answer. */
export interface Tickets {
  /** By the start of their performance, then by id. */
  list(institution: string, selection: TicketSelection): Promise<readonly Ticket[]>;
  /** A ticket; undefined if there is none. */
  get(institution: string, ticketId: string): Promise<Ticket | undefined>;
  /** Names the beneficiary; answers the ticket that counts then, or why that cannot be (English, for humans). */
  name(institution: string, ticketId: string, naming: Naming): Promise<Ticket | string>;
}

const PATH = '/internal/shop/tickets';
const MAX_ORDERS = 100;

/** The tickets, over HTTP. */
export const createTickets = (tickets: Peer): Tickets => {
  const ask = async (institution: string, parameters: Record<string, string>): Promise<readonly Ticket[]> => {
    const path = `${PATH}?${new URLSearchParams(parameters)}`;
    const call = { operation: 'listShopTickets', method: 'GET', path } as const;
    return (await tickets.call<{ tickets: Ticket[] }>(institution, call)).tickets;
  };
  return {
    async list(institution, { contactNumber, orderIds, status }) {
      const common = {
        ...(contactNumber === undefined ? {} : { contactNumber }),
        ...(status === undefined ? {} : { status }),
      };
      if (orderIds === undefined) return ask(institution, common);
      const found: Ticket[] = [];
      for (let first = 0; first < orderIds.length; first += MAX_ORDERS) {
        const part = orderIds.slice(first, first + MAX_ORDERS).join(',');
        found.push(...(await ask(institution, { ...common, orderIds: part })));
      }
      return found;
    },
    async get(institution, ticketId) {
      try {
        const path = `${PATH}/${encodeURIComponent(ticketId.toWellFormed())}`;
        return await tickets.call<Ticket>(institution, { operation: 'getShopTicket', method: 'GET', path });
      } catch (error) {
        if (error instanceof PeerRefusal && error.http === 404) return undefined;
        throw error;
      }
    },
    async name(institution, ticketId, naming) {
      const path = `${PATH}/${encodeURIComponent(ticketId.toWellFormed())}/beneficiary`;
      try {
        const call = { operation: 'nameShopTicket', method: 'POST', path, body: naming } as const;
        return await tickets.call<Ticket>(institution, call);
      } catch (error) {
        if (error instanceof PeerRefusal && (error.http === 409 || error.http === 412)) return error.details ?? '';
        throw error;
      }
    },
  };
};
