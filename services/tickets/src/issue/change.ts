import { type Context, createInstitutionContext, type InstitutionContext, readTimestamp } from '../context.ts';
import { addChange, computeSettlement, type LineChange, leave, replaceBy } from '../domain/change.ts';
import { type Confirmed, createOrder, type OrderedTicket, type SettledChange } from '../domain/order.ts';
import { cancel, type Ticket } from '../domain/ticket.ts';
import { changeOrInsert, type OrderDocument } from '../store.ts';
import { changeLine, finishReplacement } from '../tickets/lineage.ts';
import { createTickets, repeatErasure } from './issue.ts';

/**
 * Ends the tickets of lines that left a confirmed order, and issues those that replace them; each ticket's own write
 * decides whether it was controlled before. The order's document is written first, so that a cancellation at the same
 * time sees the new tickets. Idempotent: a repeat completes what was interrupted, and finds the same.
 */
export async function settleChange(
  context: Context,
  institution: string,
  fact: Confirmed,
  change: LineChange,
): Promise<SettledChange> {
  const own = createInstitutionContext(context, institution);
  const { collections } = own;
  const first = createOrder(fact, readTimestamp(context));
  const { document: order } = await changeOrInsert(
    collections.orders,
    addChange(first, fact, change) ?? first,
    (known) => addChange(known, fact, change),
  );
  const leaving = [...change.returned, ...change.exchanged.map((exchange) => exchange.leaving)];
  const left: Ticket[] = [];
  for (let start = 0; start < leaving.length; start += WIDTH) {
    const some = leaving.slice(start, start + WIDTH).map((ordered) => endTicket(own, order, ordered, change));
    left.push(...(await Promise.all(some)));
  }
  const made = await issueReplacing(own, order, change, left);
  await repeatErasure(context, collections, order, [...left, ...made]);
  return computeSettlement(change, left);
}

const WIDTH = 16;

/** The last ticket of the line. What was not issued yet is inserted as ended: a late issue finds its id taken. */
const endTicket = async (
  context: InstitutionContext,
  order: OrderDocument,
  ordered: OrderedTicket,
  change: LineChange,
): Promise<Ticket> => {
  const { tickets } = context.collections;
  const now = readTimestamp(context);
  const end = <T extends Ticket>(ticket: T): T => leave(ticket, change, now);
  const endIssued = async (): Promise<Ticket | undefined> => {
    const found = await tickets.update(ordered.ticketId, (ticket) => {
      const next = end(ticket);
      return next === ticket ? undefined : { next };
    });
    if (!found || found.leftBy !== undefined) return found;
    const replacing = await finishReplacement(context.collections, found);
    return replacing ? changeLine(context.collections, replacing, end) : found;
  };
  const issued = await endIssued();
  if (issued) return issued;
  const [fresh] = await createTickets(context, order, [ordered]);
  if (!fresh) throw new Error('no ticket was made');
  const ended = end(order.cancellation ? cancel(fresh, false, now) : fresh);
  // Issued meanwhile.
  return (await tickets.insertMany([ended])) === 1 ? ended : ((await endIssued()) ?? ended);
};

/** With the names that the order has now. What another process has inserted stays. */
const issueReplacing = async (
  context: InstitutionContext,
  order: OrderDocument,
  { exchanged }: LineChange,
  left: readonly Ticket[],
): Promise<Ticket[]> => {
  if (exchanged.length === 0) return [];
  const known = new Map(order.tickets.map((ordered) => [ordered.ticketId, ordered]));
  const ordered = exchanged.map(({ replacing }) => known.get(replacing.ticketId) ?? replacing);
  const fresh = await createTickets(context, order, ordered);
  const made = fresh.map((ticket, index) => {
    const { leaving } = exchanged[index] ?? {};
    const old = left.find(({ lineId }) => lineId === leaving?.lineId);
    return replaceBy(old, ticket, readTimestamp(context), leaving);
  });
  await context.collections.tickets.insertMany(made);
  return made;
};
