import { type Accepted, accept } from './decisions.ts';
import { ticketIdOf } from './order/facts.ts';
import type { Line, Order, TicketControl } from './order/order.ts';
import { touched } from './order/state.ts';

/** Whether the order has tickets, be they cancelled. */
export const hasTickets = ({ state, cancellation }: Pick<Order, 'state' | 'cancellation'>): boolean =>
  state === 'confirmed' || cancellation?.hadTickets === true;

/** The valid ticket of a line: the one that the confirmation created, or the last replacement. */
export const currentTicket = ({ id, replacements }: Pick<Line, 'id' | 'replacements'>): string => {
  const next = new Map(replacements.map(({ ticketId, replaces }) => [replaces, ticketId]));
  let current = ticketIdOf(id);
  for (let left = replacements.length; left > 0; left -= 1) current = next.get(current) ?? current;
  return current;
};

/**
 * Records a replacement. Events arrive in any order: each names the ticket that it replaces, and the line shows the
 * last of the chain.
 */
export const recordReplacement = <O extends Order>(
  order: O,
  fact: { readonly lineId: string; readonly ticketId: string; readonly replaces: string },
  now: number,
): Accepted<O> => {
  const line = order.lines.find(({ id }) => id === fact.lineId);
  if (!line || line.replacements.some(({ replaces }) => replaces === fact.replaces)) return accept(order);
  const replacements = [...line.replacements, { ticketId: fact.ticketId, replaces: fact.replaces }];
  const ticketId = line.ticketId === null ? null : currentTicket({ id: line.id, replacements });
  const lines = order.lines.map((other) => (other.id === line.id ? { ...line, replacements, ticketId } : other));
  return accept(ticketId === line.ticketId ? { ...order, lines } : touched({ ...order, lines }, now));
};

/** Records whether a ticket is controlled. `version` is the ticket's: an older event changes nothing. */
export const recordControl = <O extends Order>(
  order: O,
  { ticketId, version, controlled }: TicketControl,
): Accepted<O> => {
  const known = order.ticketNotes.find((other) => other.ticketId === ticketId);
  if (known && known.version >= version) return accept(order);
  const others = order.ticketNotes.filter((other) => other.ticketId !== ticketId);
  return accept({ ...order, ticketNotes: [...others, { ticketId, version, controlled }] });
};

/** The number of controlled tickets that the order knows of. */
export const controlledTickets = ({ ticketNotes }: Pick<Order, 'ticketNotes'>): number =>
  ticketNotes.filter(({ controlled }) => controlled).length;
