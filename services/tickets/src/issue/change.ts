import { type Context, createInstitutionContext, readTimestamp } from '../context.ts';
import { addChange, computeSettlement, type LineChange, leave, replaceBy } from '../domain/change.ts';
import { type Confirmed, createOrder, type OrderTickets, type SettledChange, selectCurrent } from '../domain/order.ts';
import { cancel } from '../domain/ticket.ts';
import { changeOrInsert } from '../store.ts';
import { changeLines } from '../tickets/lineage.ts';
import { createTickets, forgetErased, issueMissing, type TicketSummary } from './issue.ts';

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
  const [theirs, others] = [
    all.filter(({ lineId }) => lineIds.has(lineId)),
    all.filter(({ lineId }) => !lineIds.has(lineId)),
  ];
  const last = theirs.filter(({ status, leftBy }) => status !== 'invalidated' || leftBy !== undefined);
  const left = await changeLines(collections, last, (found) => leave(found, change, now));
  const there = new Set(others.map(({ id }) => id));
  const replacing = change.exchanged.flatMap(({ replacing: { ticketId }, replacing }) =>
    there.has(ticketId) ? [] : [order.tickets.find((ordered) => ordered.ticketId === ticketId) ?? replacing],
  );
  const oldLines = new Map(change.exchanged.map((exchange) => [exchange.replacing.ticketId, exchange.leaving.lineId]));
  const fresh = await createTickets(own, order, replacing);
  const made = fresh.map((ticket) =>
    replaceBy(
      left.find(({ lineId }) => lineId === oldLines.get(ticket.id)),
      ticket,
      now,
    ),
  );
  if (made.length > 0) await collections.tickets.insertMany(made);
  await forgetErased(context, collections, order, [...left, ...made]);
  const written = await collections.orders.update(order.id, (found) =>
    findSettled(found, change.id)
      ? undefined
      : { next: { ...found, changes: [...(found.changes ?? []), computeSettlement(change, left)] } },
  );
  const settled = (written && findSettled(written, change.id)) ?? computeSettlement(change, left);
  return { ...settled, tickets: selectCurrent([...others, ...made]) };
}
