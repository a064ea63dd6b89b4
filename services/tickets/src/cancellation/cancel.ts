import { type Fact, UniqueViolation } from '@boxoffice/store';
import { type Collections, type Context, timestampOf } from '../context.ts';
import { type Cancellation, cancellationOf, current, neverIssued, tombstone } from '../domain/order.ts';
import { cancel } from '../domain/ticket.ts';
import { ticketsCancelled } from '../events.ts';
import { newTickets } from '../issue/issue.ts';
import type { OrderDocument, TicketDocument } from '../store.ts';
import { changeLine, ticketsOfOrder } from '../tickets/lineage.ts';

/** An order was cancelled that had tickets. */
export interface OrderCancelled {
  readonly orderId: string;
  /** Controlled tickets are cancelled too. */
  readonly override: boolean;
  /** Of all its lines. */
  readonly placeIds: readonly string[];
}

/** So many tickets of an order are cancelled at the same time. */
const WIDTH = 16;

/**
 * Every ticket that the order asked for. One that an interrupted issue has not written is written as a cancelled one, so that a late
 * writer finds its id taken.
 */
const allTickets = async (
  context: Context,
  collections: Collections,
  order: OrderDocument,
): Promise<TicketDocument[]> => {
  const found = await ticketsOfOrder(collections, order.id);
  const there = new Set(found.map(({ id }) => id));
  const missing = order.tickets.filter(({ ticketId }) => !there.has(ticketId));
  if (missing.length === 0) return found;
  const never = await newTickets(context, collections.institution, order, missing);
  const cancelled = { status: 'cancelled', beneficiary: null } as const;
  await collections.tickets.insertMany(never.map((ticket) => ({ ...ticket, ...cancelled })));
  return ticketsOfOrder(collections, order.id);
};

const factOf = (orderId: string, { at: _, ...counts }: Cancellation): Fact => ticketsCancelled({ orderId, ...counts });

/** Writes the tombstone of an order that is not known; answers the order if another instance has come to know it meanwhile. */
const writeTombstone = async (
  collections: Collections,
  { orderId, placeIds }: OrderCancelled,
  now: string,
): Promise<OrderDocument | undefined> => {
  const cancellation = neverIssued(placeIds, now);
  try {
    await collections.orders.insert(tombstone(orderId, cancellation), { events: [factOf(orderId, cancellation)] });
    return undefined;
  } catch (error) {
    const known = error instanceof UniqueViolation ? await collections.orders.get(orderId) : undefined;
    if (!known) throw error;
    return known;
  }
};

/**
 * Cancels the tickets of a cancelled order, then publishes once what it came to. Each ticket decides for itself, in its own write,
 * whether it was controlled before; all of it can be repeated from any point.
 */
export const cancelTickets = async (context: Context, institution: string, fact: OrderCancelled): Promise<void> => {
  const collections = context.collections(institution);
  const { orderId, override } = fact;
  for (;;) {
    const order =
      (await collections.orders.get(orderId)) ?? (await writeTombstone(collections, fact, timestampOf(context)));
    if (!order || order.cancellation) return;
    const lines = current(await allTickets(context, collections, order));
    const done: TicketDocument[] = [];
    for (let start = 0; start < lines.length; start += WIDTH) {
      const some = lines
        .slice(start, start + WIDTH)
        .map((ticket) => changeLine(collections, ticket, (found) => cancel(found, override, timestampOf(context))));
      done.push(...(await Promise.all(some)));
    }
    const cancellation = cancellationOf(done, timestampOf(context));
    const written = await collections.orders.update(orderId, (found) => {
      // Another instance was faster, or the order asks for more tickets than were looked at.
      if (found.cancellation || found.asOf !== order.asOf) return undefined;
      return { next: { ...found, cancellation }, events: [factOf(orderId, cancellation)] };
    });
    if (written?.cancellation) return;
  }
};
