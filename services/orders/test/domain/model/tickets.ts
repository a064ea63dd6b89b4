import { deriveTicketId, type OrderCancelled, type OrderConfirmed } from '../../../src/domain/order/facts.ts';
import type { Change, Line } from '../../../src/domain/order/order.ts';

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
  /** Higher once tickets that had stayed controlled are cancelled, too. */
  readonly version: number;
  readonly ticketsCancelled: number;
  readonly controlled: number;
  readonly placeIds: readonly string[];
  /** The places of controlled tickets, which stay sold. */
  readonly keptPlaceIds: readonly string[];
}

/** What became of the tickets of lines that left; somebody is inside with those of `keptLineIds`. */
interface Left {
  readonly ticketsCancelled: number;
  readonly controlled: number;
  readonly keptLineIds: readonly string[];
}

/** The tickets service for one order. It decides from its own state, which may lag behind the order. */
export function createTickets(forgets: boolean) {
  const tickets: Ticket[] = [];
  let outcome: TicketsCancelled | undefined;
  let buyer: string | null = null;
  let asOf = 0;
  /** Lines that left the order, and what the settlement of each change came to. */
  const leftLines = new Set<string>();
  const settled = new Map<string, Left>();
  const valid = () => tickets.filter(({ status, lineId }) => status !== 'invalidated' && !leftLines.has(lineId));
  const isInside = ({ status, lineId }: Ticket) => status === 'controlled' && leftLines.has(lineId);
  const add = ({ id: lineId, place }: Pick<Line, 'id' | 'place'>, status: Ticket['status']): Ticket => {
    const ticket: Ticket = { id: deriveTicketId(lineId), lineId, placeId: place.id, version: 1, status };
    if (!tickets.some(({ id }) => id === ticket.id)) tickets.push(ticket);
    return tickets.find(({ id, status: now }) => id === ticket.id && now !== 'invalidated') ?? ticket;
  };
  return {
    outcome: () => outcome,
    /** The last ticket of each line that there is or was. */
    lastIds: () => [...new Map(tickets.map(({ id, lineId }) => [lineId, id]))],
    /** The places of controlled tickets whose lines have left. */
    keptPlaceIds: () => tickets.filter(isInside).map(({ placeId }) => placeId),
    /** Tickets that open a door although their lines have left. */
    open: () => tickets.filter(({ status, lineId }) => status === 'printed' && leftLines.has(lineId)),
    /** Ends the tickets of lines that left, and issues those that replace them; once for each change. */
    leave: ({ id, override, returns }: Change, former: readonly Line[], made: readonly Line[]): Left => {
      const known = settled.get(id);
      if (known) return known;
      const kept: string[] = [];
      for (const line of former) {
        const own = tickets.findLast(({ lineId, status }) => lineId === line.id && status !== 'invalidated');
        const ticket = own ?? add(line, outcome ? 'cancelled' : 'printed');
        const isReturn = returns.some(({ lineId }) => lineId === line.id);
        const stays = ticket.status === 'controlled' && !(isReturn && override);
        if (stays) kept.push(line.id);
        else if (ticket.status !== 'cancelled') ticket.status = isReturn ? 'cancelled' : 'invalidated';
        if (forgets && isReturn && !stays) tickets.splice(tickets.indexOf(ticket), 1);
        leftLines.add(line.id);
        const next = made.find(({ replaces }) => replaces === line.id);
        if (next) add(next, stays || ticket.status === 'cancelled' ? 'cancelled' : 'printed');
      }
      const ended = returns.filter(({ lineId }) => !kept.includes(lineId)).length;
      const left = { ticketsCancelled: ended, controlled: kept.length, keptLineIds: kept };
      settled.set(id, left);
      return left;
    },
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
      const live = valid().filter(({ status }) => status === 'printed' || status === 'controlled');
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
    /** Cancels the tickets once, and with override those that stayed; other later calls have the same outcome. */
    cancel: ({ override, placeIds }: OrderCancelled['data']): TicketsCancelled => {
      if (outcome && !(override && outcome.controlled > 0)) return outcome;
      const found = tickets.filter(({ status }) => status === 'controlled' && !override);
      const cancelled = [...valid(), ...tickets.filter(isInside)].filter((ticket) => !found.includes(ticket));
      const known = tickets.map(({ placeId }) => placeId);
      const missing = placeIds.filter((placeId) => !known.includes(placeId));
      const unknown = tickets.length === 0;
      outcome = {
        version: (outcome?.version ?? 0) + 1,
        ticketsCancelled: unknown ? placeIds.length : cancelled.length + missing.length,
        controlled: found.length,
        keptPlaceIds: found.map(({ placeId }) => placeId),
        placeIds: unknown ? placeIds : [...cancelled.map(({ placeId }) => placeId), ...missing],
      };
      for (const ticket of cancelled) Object.assign(ticket, { status: 'cancelled' });
      return outcome;
    },
  };
}

export type Tickets = ReturnType<typeof createTickets>;
