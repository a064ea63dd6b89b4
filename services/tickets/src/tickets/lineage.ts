import { UniqueViolation, type Where } from '@boxoffice/store';
import type { Shelf } from '../context.ts';
import { previousId } from '../domain/lineage.ts';
import { successorOf, type Ticket } from '../domain/ticket.ts';
import { ticketReplaced } from '../events.ts';
import type { TicketDocument } from '../store.ts';

// A replacement writes three documents: a note that it has begun, the old ticket (which decides, and carries everything that the new one
// is made of), then the new ticket with its event. Whoever meets one that was interrupted finishes it.

/**
 * Writes the ticket that replaces this invalidated one, unless it is there already; answers it as it now stands, or undefined if
 * this one was not replaced.
 */
export const finishReplacement = async ({ tickets }: Shelf, old: Ticket): Promise<TicketDocument | undefined> => {
  const next = successorOf(old);
  if (!next) return undefined;
  const there = await tickets.get(next.id);
  if (there) return there;
  try {
    return await tickets.insert(next, { events: [ticketReplaced(next)] });
  } catch (error) {
    if (error instanceof UniqueViolation) return tickets.get(next.id);
    throw error;
  }
};

/** The ticket of that id, also if its replacement was interrupted before it was written. */
export const findTicket = async (shelf: Shelf, id: string): Promise<TicketDocument | undefined> => {
  const found = await shelf.tickets.get(id);
  const before = found ? undefined : previousId(id);
  if (before === undefined) return found;
  const old = await shelf.tickets.get(before);
  return old?.replacedBy === id ? finishReplacement(shelf, old) : undefined;
};

/** All that match, in order of creation, and what replaces them: interrupted replacements are finished. */
export const ticketsWhere = async (shelf: Shelf, where: Where): Promise<TicketDocument[]> => {
  const found = await shelf.tickets.find({ where, orderBy: 'createdAt' });
  const known = new Set(found.map(({ id }) => id));
  const missing = found.filter(({ replacedBy }) => replacedBy !== null && !known.has(replacedBy));
  const finished = await Promise.all(missing.map((old) => finishReplacement(shelf, old)));
  return [...found, ...finished.flatMap((ticket) => (ticket ? [ticket] : []))];
};

/** Every ticket of an order. */
export const ticketsOfOrder = (shelf: Shelf, orderId: string): Promise<TicketDocument[]> =>
  ticketsWhere(shelf, { orderId });

/** Finishes replacements that were interrupted just now, for a list that would miss the new tickets; finds nothing nearly always. */
export const finishBegun = async (shelf: Shelf): Promise<void> => {
  for (const { id, ticketId } of await shelf.replacements.find({ limit: 500 })) {
    const old = await shelf.tickets.get(ticketId);
    if (old?.replacedBy === id) await finishReplacement(shelf, old);
  }
};

/**
 * Changes a ticket and whatever has replaced it or does so meanwhile (`step` answers the same object where there is nothing to do);
 * answers the ticket of the line that counts.
 */
export const changeLine = async (
  shelf: Shelf,
  ticket: TicketDocument,
  step: (ticket: TicketDocument) => TicketDocument,
  changed: (ticket: TicketDocument) => Promise<void> = async () => {},
): Promise<TicketDocument> => {
  const updated = await shelf.tickets.update(ticket.id, (found) => {
    const next = step(found);
    return next === found ? undefined : { next };
  });
  const written = updated ?? ticket;
  await changed(written);
  const replacing = await finishReplacement(shelf, written);
  return replacing ? changeLine(shelf, replacing, step, changed) : written;
};
