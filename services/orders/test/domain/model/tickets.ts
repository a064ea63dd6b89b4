import type { OrderCancelled, OrderConfirmed } from '../../../src/domain/order/facts.ts';

interface Ticket {
  id: string;
  readonly lineId: string;
  readonly placeId: string;
  version: number;
  status: 'printed' | 'controlled' | 'invalidated' | 'cancelled';
}

export type TicketFact =
  | { readonly type: 'ticket.controlled' | 'ticket.control_reverted'; readonly ticketId: string; version: number }
  | { readonly type: 'ticket.replaced'; readonly ticketId: string; readonly replaces: string; readonly lineId: string };

export interface TicketsCancelled {
  readonly ticketsCancelled: number;
  readonly controlled: number;
  readonly placeIds: readonly string[];
  /** The places of controlled tickets, which stay sold. */
  readonly keptPlaceIds: readonly string[];
}

/** The tickets service for one order. It decides from its own state, which may lag behind the order. */
export function createTickets() {
  const tickets: Ticket[] = [];
  let outcome: TicketsCancelled | undefined;
  let buyer: string | null = null;
  let asOf = 0;
  const valid = () => tickets.filter(({ status }) => status !== 'invalidated');
  return {
    outcome: () => outcome,
    validIds: () => valid().map(({ id, lineId }) => [lineId, id] as const),
    controlled: () => tickets.filter(({ status }) => status === 'controlled').length,
    /** Null unless there are tickets. */
    buyer: () => (tickets.length > 0 ? buyer : null),
    /** Creates the tickets that are new, none after the cancellation; all follow the newest buyer. */
    issue: ({ tickets: wanted, contactNumber }: OrderConfirmed['data'], version: number): void => {
      if (version > asOf) [asOf, buyer] = [version, contactNumber];
      if (outcome) return;
      for (const { ticketId, lineId, place } of wanted)
        if (!tickets.some(({ id }) => id === ticketId))
          tickets.push({ id: ticketId, lineId, placeId: place.id, version: 1, status: 'printed' });
    },
    /** Controls a printed ticket, reverts a control, or (`replace`) replaces the ticket. */
    touch: (number: number, replace: boolean): TicketFact | undefined => {
      const live = tickets.filter(({ status }) => status === 'printed' || status === 'controlled');
      const ticket = live[number % Math.max(1, live.length)];
      if (!ticket) return undefined;
      if (replace && ticket.status === 'printed') {
        const id = `${ticket.id}r`;
        tickets.push({ ...ticket, id, version: 1 });
        Object.assign(ticket, { status: 'invalidated' });
        return { type: 'ticket.replaced', ticketId: id, replaces: ticket.id, lineId: ticket.lineId };
      }
      const back = ticket.status === 'controlled';
      Object.assign(ticket, { status: back ? 'printed' : 'controlled', version: ticket.version + 1 });
      const type = back ? 'ticket.control_reverted' : 'ticket.controlled';
      return { type, ticketId: ticket.id, version: ticket.version };
    },
    /** Cancels the tickets once; later calls have the same outcome. */
    cancel: ({ override, placeIds }: OrderCancelled['data']): TicketsCancelled => {
      if (outcome) return outcome;
      const found = valid().filter(({ status }) => status === 'controlled' && !override);
      const cancelled = valid().filter((ticket) => !found.includes(ticket));
      const unknown = tickets.length === 0;
      outcome = {
        ticketsCancelled: unknown ? placeIds.length : cancelled.length,
        controlled: found.length,
        keptPlaceIds: found.map(({ placeId }) => placeId),
        placeIds: unknown ? placeIds : cancelled.map(({ placeId }) => placeId),
      };
      for (const ticket of cancelled) Object.assign(ticket, { status: 'cancelled' });
      return outcome;
    },
  };
}

export type Tickets = ReturnType<typeof createTickets>;
