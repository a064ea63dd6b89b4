import { computeTotal, listStock, type OrderDocument } from '@boxoffice/orders';
import type { TicketDocument } from '@boxoffice/tickets';
import type { Rule } from './findings.ts';

type Change = NonNullable<OrderDocument['changes']>[number];

/** After which a change that is paid, or past its deadline, has ended. Milliseconds. */
const END_MS = 60_000;

/** Each line that left did so by a change that is done, whose figures follow from what left and came. */
export function listChangeRules(order: OrderDocument, now: number): Rule[] {
  const { changes = [], formerLines = [] } = order;
  return [
    [changes.filter(({ state }) => state === 'pending').length < 2, 'has two pending changes'],
    ...formerLines.map(({ id, changeId }): Rule => {
      const change = changes.find((one) => one.id === changeId);
      const isLeaving = change !== undefined && listLeaving(change).some(({ lineId }) => lineId === id);
      return [change?.state === 'done' && isLeaving, `has the former line ${id}, of no change that is done`];
    }),
    ...changes.filter(({ state }) => state !== 'lapsed').flatMap((change) => listFigureRules(order, change, now)),
    ...changes.map((change): Rule => {
      const { id, due, credit } = change;
      return [
        isRaised(order, change),
        `has a change ${id} with ${due} due and ${credit} credit, unlike what it raised`,
      ];
    }),
  ];
}

const listLeaving = ({ returns, exchanges }: Change) => [...returns, ...exchanges];

const add = (all: readonly { readonly amount: number }[]): number => all.reduce((sum, { amount }) => sum + amount, 0);

const listFigureRules = (order: OrderDocument, change: Change, now: number): Rule[] => {
  const { id, state, difference, fee, due, credit, exchanges, newLines, deadline, coveredAt } = change;
  const lines = [...order.lines, ...(order.formerLines ?? []), ...newLines];
  const select = (ids: readonly string[]) => lines.filter((line) => ids.includes(line.id));
  const left = select(listLeaving(change).map(({ lineId }) => lineId));
  const came = select(exchanges.map(({ newLineId }) => newLineId));
  const charged = state === 'done' ? (order.fees ?? []) : change.fees;
  const own = charged.filter((one) => 'change' in one && one.change.changeId === id);
  const lineFees = add(listLeaving(change).map((one) => ({ amount: one.fee })));
  const made = add(came) - add(left) + fee;
  const isWhole = left.length === listLeaving(change).length && came.length === exchanges.length;
  const ends = coveredAt ?? deadline ?? 0;
  return [
    [isWhole, `has not all lines of its change ${id}`],
    [!isWhole || made === difference, `has a change ${id} with a difference of ${difference}, its lines make ${made}`],
    [add(own) === fee && lineFees === fee, `has a change ${id} with a fee of ${fee}, it was charged ${add(own)}`],
    [
      due >= 0 && credit >= 0 && due <= Math.max(0, difference) && credit <= Math.max(0, -difference),
      `has a change ${id} of ${difference} with ${due} due and ${credit} credit`,
    ],
    [state !== 'pending' || ends + END_MS > now, `has a change ${id} that should have ended`],
  ];
};

/** Whether due and credit follow from the money then; also where other money came or went back at about that time. */
const isRaised = (order: OrderDocument, { id, state, doneAt, difference, due, credit, refundId }: Change): boolean => {
  const { payments, refunds, changes = [], goodwill = 0, goodwillLost = 0 } = order;
  const captured = payments.filter(({ status, changeId }) => status === 'captured' && changeId !== id);
  const back = refunds.filter((refund) => refund.id !== refundId);
  const moved = [
    ...captured.map(({ amount, updatedAt: at }) => ({ amount, at })),
    ...back.map(({ amount, createdAt: at }) => ({ amount: -amount, at })),
  ];
  const hasOther = payments.some(({ disputed }) => disputed) || refunds.some(({ status }) => status === 'failed');
  if (state !== 'done' || doneAt === null || hasOther || goodwill + goodwillLost > 0) return true;
  if (moved.some(({ at }) => Math.abs(at - doneAt) < END_MS)) return true;
  const since = changes.filter((one) => (one.doneAt ?? 0) >= doneAt).map((one) => ({ amount: one.difference }));
  const before = add(moved.filter(({ at }) => at < doneAt)) - computeTotal(order) + add(since);
  const raise = (sign: number) => Math.max(0, Math.max(0, sign * (before - difference)) - Math.max(0, sign * before));
  return due === raise(-1) && credit === raise(1);
};

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
