import { listStock, type OrderDocument } from '@boxoffice/orders';
import type { TicketDocument } from '@boxoffice/tickets';

/** Whether a change is to be done, or the tickets and places of lines that left are to be ended. */
export function isChanging({ changes = [] }: Pick<OrderDocument, 'changes'>): boolean {
  return changes.some(
    ({ state, coveredAt, settlement }) => coveredAt !== null || (state === 'done' && settlement.settledAt === null),
  );
}

/** The tickets that were used and have no line any more: their places stay sold. */
export function listRetainedTickets(
  { state, formerLines = [] }: OrderDocument,
  tickets: readonly TicketDocument[],
): TicketDocument[] {
  const former = new Set(formerLines.map(({ id }) => id));
  return tickets.filter(
    ({ status, lineId }) => status === 'controlled' && (state === 'cancelled' || former.has(lineId)),
  );
}

/** What an order may have sold beside its lines: what a pending change is about to add, and what used tickets keep. */
export function listUnlinedStock(order: OrderDocument, tickets: readonly TicketDocument[]): string[] {
  const kept = new Set(listRetainedTickets(order, tickets).map(({ lineId }) => lineId));
  const pending = (order.changes ?? []).flatMap(({ state, newLines }) => (state === 'pending' ? newLines : []));
  return listStock([...pending, ...(order.formerLines ?? []).filter(({ id }) => kept.has(id))]);
}

/** Whether a line that it was exchanged for was used after all: then its own ticket admits nobody. */
export function isBarred(
  { formerLines = [] }: Pick<OrderDocument, 'formerLines'>,
  { replaces }: Pick<OrderDocument['lines'][number], 'replaces'>,
  tickets: readonly TicketDocument[],
): boolean {
  if (replaces === undefined) return false;
  if (tickets.some(({ status, lineId }) => status === 'controlled' && lineId === replaces)) return true;
  return isBarred({ formerLines }, formerLines.find(({ id }) => id === replaces) ?? {}, tickets);
}
