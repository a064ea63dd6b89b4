import { type Context, createInstitutionContext, type InstitutionContext, readTimestamp } from '../context.ts';
import { addChange, computeSettlement, type LineChange, leave, replaceBy } from '../domain/change.ts';
import { type Confirmed, createOrder, type OrderTickets, type SettledChange, selectCurrent } from '../domain/order.ts';
import { cancel, type Ticket } from '../domain/ticket.ts';
import { changeOrInsert, type OrderDocument } from '../store.ts';
import { changeLines } from '../tickets/lineage.ts';
import { createTickets, eraseAgain, issueMissing, type TicketSummary } from './issue.ts';

type Settlement = SettledChange & { readonly tickets: readonly TicketSummary[] };

const findSettled = ({ changes = [] }: OrderTickets, id: string) => changes.find((change) => change.id === id);

/**
 * Ends the tickets of lines that left a confirmed order, and issues those that replace them; each ticket's own write
 * decides whether it was controlled before. The order's document is written first, so that a cancellation at the same
 * time sees the new tickets, and last, with the result. Idempotent: a repeat completes what was interrupted.
 */
export async function settleChange(
  context: Context,
  institution: string,
  fact: Confirmed,
  change: LineChange,
): Promise<Settlement> {
  const own = createInstitutionContext(context, institution);
  const { collections } = own;
  const now = readTimestamp(context);
  const first = createOrder(fact, now);
  const { document: order } = await changeOrInsert(
    collections.orders,
    addChange(first, fact, change) ?? first,
    (known) => addChange(known, fact, change),
  );
  const leaving = [...change.returned, ...change.exchanged.map((exchange) => exchange.leaving)];
  const known = findSettled(order, change.id);
  // What was not issued yet is inserted as ended: a late issue finds its id taken.
  const all = await issueMissing(own, order, known ? [] : leaving, (ticket) =>
    leave(order.cancellation ? cancel(ticket, false, now) : ticket, change, now),
  );
  if (known) return { ...known, tickets: selectCurrent(all) };
  const lineIds = new Set(leaving.map(({ lineId }) => lineId));
  const theirs = all.filter(({ lineId }) => lineIds.has(lineId));
  const last = theirs.filter(({ status, leftBy }) => status !== 'invalidated' || leftBy !== undefined);
  const left = await changeLines(collections, last, (found) => leave(found, change, now));
  const made = await issueReplacing(own, order, change, left);
  await eraseAgain(context, collections, order, [...left, ...made]);
  const written = await collections.orders.update(order.id, (found) =>
    findSettled(found, change.id)
      ? undefined
      : { next: { ...found, changes: [...(found.changes ?? []), computeSettlement(change, left)] } },
  );
  const settled = (written && findSettled(written, change.id)) ?? computeSettlement(change, left);
  const others = all.filter(({ lineId }) => !lineIds.has(lineId));
  const tickets = [...new Map([...made, ...others].map((ticket) => [ticket.id, ticket])).values()];
  return { ...settled, tickets: selectCurrent(tickets) };
}

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
    const old = left.find(({ lineId }) => lineId === exchanged[index]?.leaving.lineId);
    return replaceBy(old, ticket, readTimestamp(context));
  });
  await context.collections.tickets.insertMany(made);
  return made;
};
