// A change of a confirmed order (commerce, section 5): new places first, one write with the pending change, new places
// sold, one write that does it; then old tickets, old places. Each write is conditional on what it finds.

import { extractTax, UNTAXED } from '@boxoffice/prices';
import { type Sale, toSoldLine } from '../confirmation.ts';
import { accept, type Decision, isRefused, refuse } from '../decisions.ts';
import { addCreditDue, addRaisedCredit } from '../order/credit.ts';
import type { LineChangeFee } from '../order/line.ts';
import { addRefund, computeCredit, computeDue, computeLeft, computeTotal, limitGoodwill } from '../order/money.ts';
import type { Change, FormerLine, Line, Order, Payment } from '../order/order.ts';
import { listPerformanceIds, markModified } from '../order/state.ts';
import { listStock } from '../price.ts';
import { refundByProvider } from '../provider-refunds.ts';
import { moveLine } from './policy.ts';
import { updateCodes } from './price.ts';

export function findPendingChange({ changes }: Pick<Order, 'changes'>): Change | undefined {
  return changes?.find(({ state }) => state === 'pending');
}

export function findChange({ changes }: Pick<Order, 'changes'>, id: string | undefined): Change | undefined {
  return changes?.find((one) => one.id === id);
}

/** The oldest that is done, and whose old tickets and places have not followed yet. */
export function findUnsettledChange({ changes }: Pick<Order, 'changes'>): Change | undefined {
  return changes?.find(({ state, settlement }) => state === 'done' && settlement.settledAt === null);
}

/** Ids of lines that it takes away. */
export function listLeavingIds({ returns, exchanges }: Pick<Change, 'returns' | 'exchanges'>): string[] {
  return [...returns, ...exchanges].map(({ lineId }) => lineId);
}

/** With the tax of its line. */
export function buildLeavingFee(
  { id: lineId, price }: Line,
  { id, changeId, kind, amount }: { id: string; changeId: string; kind: 'return' | 'exchange'; amount: number },
): LineChangeFee {
  const { taxId, rate } = price?.tax ?? UNTAXED;
  const tax = rate === null ? 0 : extractTax(amount, rate);
  return {
    id,
    amount,
    taxes: [{ taxId, rate, net: amount - tax, tax, gross: amount }],
    change: { changeId, lineId, kind },
  };
}

type Figures = Pick<Change, 'difference' | 'fee' | 'due' | 'credit'>;

/** What the change makes of the order's total, due and credit. What was captured for a pending one counts for nothing. */
export function computeFigures(
  order: Order,
  leaving: readonly string[],
  { lines, fees }: { readonly lines: readonly Line[]; readonly fees: readonly LineChangeFee[] },
): Figures {
  const staying = order.lines.filter(({ id }) => !leaving.includes(id));
  const charged = [...(order.fees ?? []), ...fees];
  const after = limitGoodwill({ ...order, lines: [...staying, ...lines], fees: charged });
  return {
    difference: computeTotal(after) - computeTotal(order),
    fee: fees.reduce((sum, { amount }) => sum + amount, 0),
    due: Math.max(0, computeDue(after) - computeDue(order)),
    credit: Math.max(0, computeCredit(after) - computeCredit(order)),
  };
}

/** With its figures as they are now: what the order's credit pays of it may go back, or grow. */
export function updateFigures(order: Order, change: Change): Change {
  const { newLines: lines, fees } = change;
  return { ...change, ...computeFigures(order, listLeavingIds(change), { lines, fees }) };
}

export function putChange<O extends Order>(order: O, change: Change): O {
  const known = order.changes ?? [];
  const changes = known.some(({ id }) => id === change.id)
    ? known.map((one) => (one.id === change.id ? change : one))
    : [...known, change];
  return { ...order, changes };
}

/** Of its lines, and of those that a pending change is to give it. */
export function listOwnStock({ lines, changes }: Pick<Order, 'lines' | 'changes'>): string[] {
  return listStock([...lines, ...(findPendingChange({ ...(changes && { changes }) })?.newLines ?? [])]);
}

/** New ones that the order does not have already. */
export function listNewStock({ lines }: Pick<Order, 'lines'>, { newLines }: Pick<Change, 'newLines'>): string[] {
  const own = new Set(listStock(lines));
  return listStock(newLines).filter((id) => !own.has(id));
}

/**
 * Its new places are held; with nothing left to pay it is to be done, and without new places it is done at once.
 * Refused: as the refund that it asks for.
 */
export function beginChange<O extends Order>(
  order: O,
  { change, payment }: { readonly change: Change; readonly payment?: Payment | undefined },
  now: number,
): Decision<O> {
  const payments = payment ? [...order.payments, payment] : order.payments;
  const stock = listNewStock(order, change);
  const heldPlaces = change.newLines.filter(({ place }) => stock.includes(place.id)).length;
  const begun: O = putChange({ ...order, payments, heldPlaces }, change);
  if (change.coveredAt === null) return accept(markModified(begun, now));
  const done = doChange(begun, change.id, { soldPlaceIds: stock }, now);
  // Without places to sell this is the write; else it only says whether the refund is possible.
  if (isRefused(done) || stock.length === 0) return done;
  return accept(markModified(begun, now));
}

/**
 * Its new places are sold. A change that is done stays. Refused: `overtaken` where it has ended or its lines are gone,
 * and as its refund.
 */
export function doChange<O extends Order>(order: O, changeId: string, sale: Sale, now: number): Decision<O> {
  const change = findChange(order, changeId);
  if (change?.state === 'done') return accept(order);
  const leavingIds = change ? listLeavingIds(change) : [];
  const leaving = order.lines.filter(({ id }) => leavingIds.includes(id));
  if (change?.state !== 'pending' || order.state !== 'confirmed' || leaving.length !== leavingIds.length)
    return refuse('overtaken');
  const staying = order.lines.filter(({ id }) => !leavingIds.includes(id));
  const added = change.newLines.map((line) =>
    moveLine(toSoldLine(inheritBeneficiary(line, leaving), sale.replaced), sale.starts),
  );
  const lines = [...staying, ...added];
  const wanted = listNewStock(order, { newLines: added });
  if (wanted.some((id) => !sale.soldPlaceIds.includes(id))) return refuse('overtaken');
  const former = leaving.map((line): FormerLine => ({ ...line, changeId, leftAt: now }));
  const { refund, ...done } = updateFigures(order, change);
  const next: O = putChange(
    {
      ...updateCodes({ ...order, lines }),
      formerLines: [...(order.formerLines ?? []), ...former],
      fees: change.fees.length === 0 ? order.fees : [...(order.fees ?? []), ...change.fees],
      performanceIds: listPerformanceIds(lines),
      heldPlaces: 0,
    },
    {
      ...{ ...done, state: 'done', newLines: [], expiresAt: null, deadline: null, coveredAt: null, doneAt: now },
      ...(done.credit === 0 && { refundId: null }),
    },
  );
  const changed = markModified(limitGoodwill(next), now);
  const credited = giveBackPaid(order, changed, done, now);
  return refund && done.credit > 0 ? giveBack(credited, done, refund, now) : accept(credited);
}

const inheritBeneficiary = (line: Line, leaving: readonly Line[]): Line => {
  const beneficiary = leaving.find(({ id }) => id === line.replaces)?.beneficiary ?? null;
  return { ...line, beneficiary };
};

const giveBack = <O extends Order>(
  order: O,
  { refundId, credit, createdBy }: Pick<Change, 'refundId' | 'credit' | 'createdBy'>,
  refund: NonNullable<Change['refund']>,
  now: number,
): Decision<O> => {
  const made = { id: String(refundId), amount: credit, ...(createdBy && { createdBy }) };
  if ('provider' in refund) return refundByProvider(order, { ...made, ...refund }, now);
  return accept(addRefund(order, { ...made, ...refund, currency: order.currency, createdAt: now }));
};

/** What it held is released, and its money is credit. One that has ended stays. */
export function lapseChange<O extends Order>(order: O, { withdrawn }: { readonly withdrawn?: true }, now: number): O {
  const change = findPendingChange(order);
  if (!change) return order;
  const { since = now, placeIds = [], asOf = 0 } = order.removedPlaces ?? {};
  const own = listStock(order.lines);
  const released = [...new Set([...placeIds, ...listNewStock(order, change)])].filter((id) => !own.includes(id));
  // A late sale has held its places again as of a later version.
  const version = 'version' in order && typeof order.version === 'number' ? order.version : 0;
  const removedPlaces = { since, asOf: Math.max(asOf, change.asOf, version), placeIds: released };
  const ended = { state: 'lapsed' as const, expiresAt: null, deadline: null, coveredAt: null };
  const next: O = putChange(
    { ...order, heldPlaces: 0, ...(released.length > 0 && { removedPlaces }) },
    { ...updateFigures(order, change), ...ended, ...(withdrawn && { withdrawn }) },
  );
  return markModified(giveBackPaid(order, next, { ...change, credit: 0 }, now), now);
}

/** What a provider has captured for a change, and is credit beside the change's own; of a buyer's all that is credit. */
const giveBackPaid = <O extends Order>(before: O, after: O, { id, givesBack, credit }: PaidChange, now: number): O => {
  if (givesBack) return addRaisedCredit(before, after, now);
  const captured = after.payments.filter(({ changeId, provider }) => changeId === id && provider !== undefined);
  const most = captured.reduce((sum, payment) => sum + computeLeft(after, payment), 0);
  return addCreditDue(after, Math.min(most, computeCredit(after) - computeCredit(before) - credit), now);
};
type PaidChange = Pick<Change, 'id' | 'givesBack' | 'credit'>;
