import {
  applyConfirmation,
  type Confirmed,
  type OrderedTicket,
  type OrderTickets,
  type SettledChange,
} from './order.ts';
import { cancel, countInvisibleWrite, print, type Ticket } from './ticket.ts';

/** Tickets as they were, or are to be, issued first. */
export interface LineChange {
  readonly id: string;
  /** Cancels controlled tickets of returned lines, too. */
  readonly override: boolean;
  readonly returned: readonly OrderedTicket[];
  readonly exchanged: readonly { readonly leaving: OrderedTicket; readonly replacing: OrderedTicket }[];
}

/** Undefined if that changes nothing. A later change may have taken out what replaces a line, so `fact` lacks it. */
export function addChange<T extends OrderTickets>(order: T, fact: Confirmed, { exchanged }: LineChange): T | undefined {
  const confirmed = applyConfirmation(order, fact);
  const { tickets, cancellation } = confirmed ?? order;
  const known = new Set(tickets.map(({ ticketId }) => ticketId));
  const added = exchanged.flatMap(({ replacing }) => (known.has(replacing.ticketId) ? [] : [replacing]));
  return cancellation || added.length === 0 ? confirmed : { ...(confirmed ?? order), tickets: [...tickets, ...added] };
}

/**
 * A ticket of a line that left is cancelled, or invalidated by the one that replaces it. A controlled one stays so for
 * good, unless its line was returned with `override`. The same object if that is done.
 */
export function leave<T extends Ticket>(ticket: T, { id: leftBy, override, exchanged }: LineChange, now: string): T {
  if (ticket.status === 'invalidated' || ticket.leftBy !== undefined) return ticket;
  if (ticket.status === 'cancelled' || ticket.kept) return { ...ticket, leftBy, ...countInvisibleWrite(ticket) };
  const exchange = exchanged.find(({ leaving }) => leaving.lineId === ticket.lineId);
  if (!exchange || ticket.status === 'controlled') return { ...cancel(ticket, override && !exchange, now), leftBy };
  return { ...ticket, status: 'invalidated', replacedBy: exchange.replacing.ticketId, leftBy, updatedAt: now };
}

/**
 * `old` has left with the line that was `ordered`: a ticket that it does not make way for is cancelled. A printed ticket
 * is replaced by a printed one, which has its name unless the order has given a later one.
 */
export function replaceBy(old: Ticket | undefined, fresh: Ticket, now: string, ordered?: OrderedTicket): Ticket {
  if (old?.replacedBy !== fresh.id) return { ...fresh, status: 'cancelled' };
  const isNamedSince = fresh.namedAsOf !== undefined || (old.namedAsOf ?? 0) < (ordered?.beneficiaryAsOf ?? 0);
  const beneficiary = old.named && !isNamedSince ? old.beneficiary : fresh.beneficiary;
  const ticket = { ...fresh, beneficiary, replaces: old.id };
  const printed = old.printedAt === null ? undefined : print(ticket, now);
  return printed && 'next' in printed ? printed.next : ticket;
}

/** `left`: the last tickets of the lines that left; what stayed controlled counts so for good. */
export function computeSettlement({ id, returned }: LineChange, left: readonly Ticket[]): SettledChange {
  const lineIds = new Set(returned.map(({ lineId }) => lineId));
  const keptLineIds = left.flatMap(({ kept, lineId }) => (kept ? [lineId] : []));
  const cancelled = left.filter(({ kept, status, lineId }) => !kept && status === 'cancelled' && lineIds.has(lineId));
  return { id, ticketsCancelled: cancelled.length, controlled: keptLineIds.length, keptLineIds };
}
