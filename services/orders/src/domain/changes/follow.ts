// What follows from a change that is done, and what ends one that is pending.

import { type Sale, toSoldLine } from '../confirmation.ts';
import { type Accepted, accept, isRefused, type Refused, refuse } from '../decisions.ts';
import { isControlled } from '../lines.ts';
import { createLinesReturnedFacts } from '../order/facts.ts';
import type { Change, Line, Order } from '../order/order.ts';
import { markModified } from '../order/state.ts';
import { listStock } from '../price.ts';
import {
  beginChange,
  computeFigures,
  findChange,
  findPendingChange,
  lapseChange,
  listLeavingIds,
  listOwnStock,
  putChange,
} from './change.ts';
import { refuseChangeByState } from './check.ts';

/** Once. Its old tickets and places have followed. */
export function settleChange<O extends Order>(
  order: O,
  changeId: string,
  counts: {
    readonly ticketsCancelled: number;
    readonly controlled: number;
    readonly placesReleased: number;
    readonly keptLineIds?: readonly string[];
  },
  now: number,
): Accepted<O> {
  const known = findChange(order, changeId);
  if (known?.state !== 'done' || known.settlement.settledAt !== null) return accept(order);
  const settled: Change = { ...known, settlement: { ...counts, settledAt: now } };
  const changes = order.changes?.map((one) => (one.id === changeId ? settled : one));
  return accept(markModified({ ...order, ...(changes && { changes }) }, now));
}

/** Of the pending change: others, that were held again in place of those that were taken meanwhile. */
export function replaceNewPlaces<O extends Order>(
  order: O,
  changeId: string,
  replaced: NonNullable<Sale['replaced']>,
): O {
  const change = findPendingChange(order);
  if (change?.id !== changeId || replaced.length === 0) return order;
  const newLines = change.newLines.map((line) => ({ ...toSoldLine(line, replaced), ticketId: null }));
  return putChange(order, { ...change, newLines });
}

/** Credit that it leaves stays credit. */
export function dropRefund<O extends Order>(order: O, changeId: string): O {
  const { refund: _, ...change } = findChange(order, changeId) ?? {};
  return 'id' in change ? putChange(order, { ...change, refundId: null }) : order;
}

/**
 * Places and uses that the settlement of a change must not release: those of its lines and of a pending change, of
 * lines whose old tickets are not ended yet by a later change, and the places of tickets that were let in.
 */
export function listRetainedStock(order: Order, { id }: Change): string[] {
  const { changes = [], formerLines = [] } = order;
  const isOpen = (changeId: string): boolean =>
    changeId !== id && changes.some((one) => one.id === changeId && one.settlement.settledAt === null);
  const kept = changes.flatMap(({ settlement }) => settlement.keptLineIds ?? []);
  return [
    ...listOwnStock(order),
    ...listStock(formerLines.filter(({ changeId }) => isOpen(changeId))),
    ...formerLines.filter((line) => kept.includes(line.id)).map(({ place }) => place.id),
  ];
}

/** What else than places has ended a change: the end of its order, or a control. */
export function findLapseCause(order: Order, change: Change): Refused | undefined {
  if (order.state !== 'confirmed') return refuseChangeByState(order);
  const leaving = order.lines.filter(({ id }) => listLeavingIds(change).includes(id));
  return leaving.some((line) => isControlled(order, line))
    ? refuse('change_ticket_controlled', 'A ticket of the change was controlled meanwhile.')
    : undefined;
}

/** A control that would refuse it now. */
export function lapseControlledChange<O extends Order>(order: O, now: number): O {
  const pending = findPendingChange(order);
  if (!pending) return order;
  const fixed = pending.override ? pending.exchanges.map(({ lineId }) => lineId) : listLeavingIds(pending);
  const isRefused = order.lines.some((line) => fixed.includes(line.id) && isControlled(order, line));
  return isRefused ? lapseChange(order, {}, now) : order;
}

/**
 * Returns the lines of cancelled performances in full, where a confirmed order has others, too; a pending change of the
 * order lapses first, and its buyer gets a mail. Undefined where nothing remains: the whole order is to be cancelled.
 */
export function returnPerformances<O extends Order & { readonly version: number }>(
  order: O,
  performanceIds: readonly string[],
  toChangeId: (lineIds: readonly string[]) => string,
  now: number,
): Accepted<O> | undefined {
  const isOver = ({ performanceId }: Pick<Line, 'performanceId'>): boolean => performanceIds.includes(performanceId);
  const pending = findPendingChange(order);
  const gone = order.lines.filter(isOver);
  if (gone.length === 0) return accept(pending?.newLines.some(isOver) ? lapseChange(order, {}, now) : order);
  if (order.state !== 'confirmed' || gone.length === order.lines.length) return undefined;
  const open = lapseChange(order, {}, now);
  const leaving = gone.map(({ id }) => id);
  const change: Change = {
    ...emptyChange,
    id: toChangeId(leaving),
    reason: 'performance_cancelled',
    returns: leaving.map((lineId) => ({ lineId, reason: null, fee: 0 })),
    ...computeFigures(open, leaving, { lines: [], fees: [] }),
    givesBack: true,
    createdAt: now,
    coveredAt: now,
    asOf: order.version,
  };
  const begun = beginChange(open, { change }, now);
  if (isRefused(begun)) return accept(open);
  return { ...begun, facts: [...begun.facts, ...createLinesReturnedFacts(begun.next, change.id, now)] };
}

export const emptyChange = {
  state: 'pending',
  reason: null,
  returns: [],
  exchanges: [],
  newLines: [],
  fees: [],
  refundId: null,
  expiresAt: null,
  deadline: null,
  coveredAt: null,
  doneAt: null,
  settlement: { ticketsCancelled: null, controlled: null, placesReleased: null, settledAt: null },
} as const satisfies Partial<Change>;
