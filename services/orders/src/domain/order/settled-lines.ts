import type { Change, Line, Order } from './order.ts';

/** The lines as they were once the change was done, whatever came later; without one, once all settled ones were. */
export function listLinesAsOf(order: Pick<Order, 'lines' | 'formerLines' | 'changes'>, changeId?: string): Line[] {
  const changes = order.changes?.filter(({ state }) => state === 'done') ?? [];
  const isBefore = ({ id, settlement }: Change): boolean =>
    changeId === undefined ? settlement.settledAt !== null : id === changeId;
  const last = changes.findLastIndex(isBefore);
  const later = changes.slice(last + 1);
  const made = new Set(later.flatMap(({ exchanges }) => exchanges.map(({ newLineId }) => newLineId)));
  const left = order.formerLines?.filter((line) => later.some(({ id }) => id === line.changeId)) ?? [];
  return [...order.lines, ...left].filter(({ id }) => !made.has(id));
}
