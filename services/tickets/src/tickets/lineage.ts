import { insertUnlessTaken, type Where } from '@boxoffice/store';
import type { Collections } from '../context.ts';
import { buildSuccessor, derivePreviousId, type Ticket } from '../domain/ticket.ts';
import { createTicketReplacedFact } from '../events.ts';
import type { TicketDocument } from '../store.ts';

// A replacement writes the pending step, the old ticket (the commit point, which has all members of the new one), then
// the new ticket. Any operation that reads an interrupted replacement completes it.

/** Inserts the new ticket, unless it exists; undefined if this ticket was not replaced. */
export async function finishReplacement({ tickets }: Collections, old: Ticket): Promise<TicketDocument | undefined> {
  const next = buildSuccessor(old);
  if (!next) return undefined;
  const events = [createTicketReplacedFact(next)];
  return (
    (await tickets.get(next.id)) ?? (await insertUnlessTaken(tickets, next, { events })) ?? (await tickets.get(next.id))
  );
}

/** Completes an interrupted replacement that has not written it yet. */
export async function findTicket(collections: Collections, id: string): Promise<TicketDocument | undefined> {
  const found = await collections.tickets.get(id);
  const before = found ? undefined : derivePreviousId(id);
  if (before === undefined) return found;
  const old = await collections.tickets.get(before);
  return old?.replacedBy === id ? finishReplacement(collections, old) : undefined;
}

/** By id: one query, unless some were left by an interrupted replacement. */
export async function findTicketsByIds(
  collections: Collections,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TicketDocument>> {
  const found = await collections.tickets.find({ where: { id: { in: ids } } });
  const there = new Map(found.map((ticket) => [ticket.id, ticket]));
  for (const id of ids.filter((one) => !there.has(one) && derivePreviousId(one) !== undefined)) {
    const ticket = await findTicket(collections, id);
    if (ticket) there.set(id, ticket);
  }
  return there;
}

/** In order of creation, with those that replace them; completes interrupted replacements. */
export async function findTicketsWhere(collections: Collections, where: Where): Promise<TicketDocument[]> {
  const found = await collections.tickets.find({ where, orderBy: 'createdAt' });
  const known = new Set(found.map(({ id }) => id));
  const missing = found.filter(({ replacedBy }) => replacedBy !== null && !known.has(replacedBy));
  const finished = await Promise.all(missing.map((old) => finishReplacement(collections, old)));
  return [...found, ...finished.flatMap((ticket) => (ticket ? [ticket] : []))];
}

export function listOrderTickets(collections: Collections, orderId: string): Promise<TicketDocument[]> {
  return findTicketsWhere(collections, { orderId });
}

/** So that a list does not miss the new tickets. There is nearly always none. */
export async function finishPending(collections: Collections): Promise<void> {
  for (const { id, ticketId } of await collections.replacements.find({ limit: 500 })) {
    const old = await collections.tickets.get(ticketId);
    if (old?.replacedBy === id) await finishReplacement(collections, old);
  }
}

/**
 * Also all tickets that have replaced it; returns the current ticket of the line. `step` returns the same object if
 * nothing changes; `onChange` runs after each ticket.
 */
export async function changeLine(
  collections: Collections,
  ticket: TicketDocument,
  step: (ticket: TicketDocument) => TicketDocument,
  onChange: (ticket: TicketDocument) => Promise<void> = async () => {},
): Promise<TicketDocument> {
  const updated = await collections.tickets.update(ticket.id, (found) => {
    const next = step(found);
    return next === found ? undefined : { next };
  });
  const written = updated ?? ticket;
  await onChange(written);
  const replacing = await finishReplacement(collections, written);
  return replacing ? changeLine(collections, replacing, step, onChange) : written;
}

const WIDTH = 16;

/** Each like {@link changeLine}; resolves to the current tickets of their lines. */
export async function changeLines(
  collections: Collections,
  tickets: readonly TicketDocument[],
  step: (ticket: TicketDocument) => TicketDocument,
): Promise<TicketDocument[]> {
  const done: TicketDocument[] = [];
  for (let start = 0; start < tickets.length; start += WIDTH) {
    const some = tickets.slice(start, start + WIDTH).map((ticket) => changeLine(collections, ticket, step));
    done.push(...(await Promise.all(some)));
  }
  return done;
}
