// What a change takes of the catalogue's stock before it is written: new places, and uses of discounts.

import { RefusedOrder, toFault } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { computeFigures } from '../domain/changes/change.ts';
import { selectNew, toPricedChange } from '../domain/changes/price.ts';
import type { Line } from '../domain/order/order.ts';
import { toBuyer } from '../domain/price.ts';
import { checkUnlocking } from '../domain/price-checks.ts';
import { deriveId } from '../ids.ts';
import { createHeldLines } from '../orders/items.ts';
import { applyOrderPrice, claimUses, listClaimedUses } from '../orders/prices.ts';
import { linkPerformances, type OrderDocument } from '../store.ts';
import type { ChangeDraft } from './draft.ts';
import { createCurrencyFault, deriveNewLineId, type FreshExchange, type NewLines, renamePaths } from './new-lines.ts';
import type { ChangeRequest } from './request.ts';

/** Milliseconds. */
const HOLD_FOR_SALE_MS = 300_000;

/** Hears of places and uses that the catalogue has given to the order, as of this version of it. */
type Take = (asOf: number, stock: readonly string[]) => void;

interface Holding {
  readonly requested: ChangeRequest;
  readonly fresh: readonly FreshExchange[];
  readonly isRepeated: boolean;
  readonly take: Take;
}

/**
 * Until epoch milliseconds. An exchange adds no place to its order, whose limit of places it does not meet. @throws
 * Fault as a new order, and where its order has another currency
 */
export async function holdFresh(
  context: OrdersContext,
  order: OrderDocument,
  { requested: { id: changeId, payment, onAccount, difference }, fresh, isRepeated, take }: Holding,
): Promise<NewLines & { readonly until: number }> {
  const { institution, id: holder, version: asOf, pointOfSale, codes = [], performanceIds } = order;
  const items = fresh.map(({ item }) => item);
  const others = items.map(({ performanceId }) => performanceId).filter((id) => !performanceIds.includes(id));
  await linkPerformances(context.links.of(institution), order, others);
  // Done at once: free places first, and what a dead attempt has left is free soon. A second try has its places.
  const isAtOnce = !isRepeated && (difference <= 0 || payment?.status === 'captured' || onAccount === true);
  const heldUntil = new Date(context.now() + HOLD_FOR_SALE_MS).toISOString();
  const asked = {
    ...{ holder, requestId: deriveId('req', changeId), asOf, items, ...(isAtOnce && { claimFirst: true, heldUntil }) },
    ...(pointOfSale !== null && { pointOfSale }),
    ...(codes.length > 0 && { codes: codes.map(({ code }) => code) }),
  };
  const held = await context.stock.hold(institution, asked).catch((error: unknown) => {
    if (!(error instanceof RefusedOrder)) throw error;
    throw toFault({ reason: error.reason, details: renamePaths(error.details, fresh) });
  });
  take(
    asOf,
    held.lines.map(({ place }) => place.id),
  );
  const { lines, currency, until } = createHeldLines(context, held, items, toBuyer(order));
  if (currency !== order.currency) throw createCurrencyFault(order, currency);
  const made = lines.map((line, index): Line => {
    const { lineId = '' } = fresh[held.lines[index]?.item ?? -1]?.exchange ?? {};
    const id = deriveNewLineId(changeId, lineId);
    return { ...line, id, replaces: lineId, ticketId: null, replacements: [] };
  });
  return { lines: made, refusals: [], book: held.book, until };
}

/**
 * The draft at the prices that its new lines have with the uses of limited discounts that are claimed for them; `take`
 * hears of these. @throws Fault `tariff_locked`, `service_unavailable`
 */
export async function claimNewLines(
  context: OrdersContext,
  order: OrderDocument,
  draft: ChangeDraft,
  {
    requested,
    until,
    take,
  }: {
    readonly requested: ChangeRequest;
    readonly until: number;
    readonly take: Take;
  },
): Promise<ChangeDraft> {
  const { institution, id: holder, version: asOf } = order;
  const { bases, pricing, fees } = draft;
  const leaving = [...requested.returns, ...requested.exchanges].map(({ lineId }) => lineId);
  const left = order.lines.filter(({ id }) => leaving.includes(id));
  const priced = toPricedChange(order, bases, leaving);
  const spare = left.flatMap(({ price }) => price?.grant ?? []);
  const requestId = deriveId('req', requested.id);
  const claim = { institution, holder, requestId, asOf, heldUntil: new Date(until).toISOString() };
  const check = (price: Parameters<typeof checkUnlocking>[0]) =>
    checkUnlocking({ lines: selectNew(price.lines, bases) });
  const claimed = await claimUses(context, { ...priced, spare }, pricing, { ...claim, check });
  take(asOf, listClaimedUses(claimed));
  const after = applyOrderPrice(priced, claimed, context.now(), { lines: [...priced.lines, ...left] });
  const newLines = selectNew(after.lines, bases);
  const figures = computeFigures(order, leaving, { lines: newLines, fees });
  return { ...draft, ...figures, newLines };
}
