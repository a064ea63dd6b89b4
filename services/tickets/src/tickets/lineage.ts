import { UniqueViolation, type Where } from '@boxoffice/store';
import type { Collections } from '../context.ts';
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
export const finishReplacement = async ({ tickets }: Collections, old: Ticket): Promise<TicketDocument | undefined> => {
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
export const findTicket = async (collections: Collections, id: string): Promise<TicketDocument | undefined> => {
  const found = await collections.tickets.get(id);
  const before = found ? undefined : previousId(id);
  if (before === undefined) return found;
  const old = await collections.tickets.get(before);
  return old?.replacedBy === id ? finishReplacement(collections, old) : undefined;
};

/** All that match, in order of creation, and what replaces them: interrupted replacements are finished. */
export const ticketsWhere = async (collections: Collections, where: Where): Promise<TicketDocument[]> => {
  const found = await collections.tickets.find({ where, orderBy: 'createdAt' });
  const known = new Set(found.map(({ id }) => id));
  const missing = found.filter(({ replacedBy }) => replacedBy !== null && !known.has(replacedBy));
  const finished = await Promise.all(missing.map((old) => finishReplacement(collections, old)));
  return [...found, ...finished.flatMap((ticket) => (ticket ? [ticket] : []))];
};

/** Every ticket of an order. */
export const ticketsOfOrder = (collections: Collections, orderId: string): Promise<TicketDocument[]> =>
  ticketsWhere(collections, { orderId });

/** Finishes replacements that were interrupted just now, for a list that would miss the new tickets; finds nothing nearly always. */
export const finishPending = async (collections: Collections): Promise<void> => {
  for (const { id, ticketId } of await collections.replacements.find({ limit: 500 })) {
    const old = await collections.tickets.get(ticketId);
    if (old?.replacedBy === id) await finishReplacement(collections, old);
  }
};

/**
 * Changes a ticket and whatever has replaced it or does so meanwhile (`step` answers the same object where there is nothing to do);
 * answers the ticket of the line that counts.
 */
export const changeLine = async (
  collections: Collections,
  ticket: TicketDocument,
  step: (ticket: TicketDocument) => TicketDocument,
  changed: (ticket: TicketDocument) => Promise<void> = async () => {},
): Promise<TicketDocument> => {
  const updated = await collections.tickets.update(ticket.id, (found) => {
    const next = step(found);
    return next === found ? undefined : { next };
  });
  const written = updated ?? ticket;
  await changed(written);
  const replacing = await finishReplacement(collections, written);
  return replacing ? changeLine(collections, replacing, step, changed) : written;
};
