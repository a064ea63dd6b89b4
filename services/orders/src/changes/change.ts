import { Fault } from '@boxoffice/envelope';
import { createRefusalFault, isUnavailable, toFault } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { beginChange, computeFigures, findChange } from '../domain/changes/change.ts';
import { type ChangeInput, type ChangeRefusal, checkOrderChangeable } from '../domain/changes/check.ts';
import { emptyChange } from '../domain/changes/follow.ts';
import { selectNew, toPricedChange } from '../domain/changes/price.ts';
import { accept } from '../domain/decisions.ts';
import type { Change, Creator, Line, Payment } from '../domain/order/order.ts';
import { toBuyer } from '../domain/price.ts';
import { checkUnlocking } from '../domain/price-checks.ts';
import { type ProviderPage, toPagePayment } from '../domain/providers.ts';
import { deriveId } from '../ids.ts';
import { cancelIfOver } from '../orders/actions.ts';
import { createHeldLines } from '../orders/items.ts';
import { applyOrderPrice, claimUses, listClaimedUses } from '../orders/prices.ts';
import { finishChange, holdNewUntil } from '../saga/change.ts';
import { type Command, runStockFirst } from '../saga/command.ts';
import { releaseRefused, type Taken } from '../saga/release.ts';
import { linkPerformances, type OrderDocument } from '../store.ts';
import { type ChangeDraft, type ChangeMaker, deriveNewLineId, draftChange } from './draft.ts';

export interface ChangeRequest extends ChangeInput {
  /** The same for a repeat of the request. */
  readonly id: string;
  readonly difference: number;
  readonly payment?: ChangePayment | undefined;
  readonly onAccount?: boolean | undefined;
  readonly refund?: Change['refund'] | undefined;
  readonly givesBack?: true | undefined;
  readonly createdBy?: Creator | undefined;
  readonly maker: ChangeMaker;
  /** Says how it is paid once it is known what is due. @throws Fault for each refusal */
  readonly pay?: (order: OrderDocument, due: number) => Promise<ChangePaying>;
}

interface ChangePayment {
  readonly method: string;
  readonly status: 'captured' | 'pending';
  readonly reference?: string | undefined;
  /** Of a provider, whose name is the method. */
  readonly page?: ProviderPage | undefined;
}

export type ChangePaying = Pick<ChangeRequest, 'payment' | 'onAccount' | 'createdBy'>;

/** Milliseconds that a change without new places waits for its payment. */
const WAIT_MS = 15 * 60_000;

/**
 * New places are held first, then the change is written; with nothing left to pay it is done when this answers, else it
 * is pending. @throws Fault for each refusal of section 5 of commerce, in its order; `payment_recorded` where it is paid
 * and its places are gone
 */
export async function changeOrder(
  context: OrdersContext,
  command: Command,
  requested: ChangeRequest,
): Promise<OrderDocument> {
  const { id } = requested;
  const { institution, orderId } = command;
  const requestId = deriveId('req', id);
  const controlled = (await context.tickets.controlled(institution, orderId)) ?? [];
  let taken: Taken | undefined;
  let end = (): void => undefined;
  try {
    const isMade = (order: OrderDocument) => findChange(order, id) !== undefined;
    const { order } = await runStockFirst<Prepared>(
      context,
      { ...command, isMade },
      {
        rule: (order) => {
          const refused = checkOrderChangeable(order);
          return refused ?? accept(order);
        },
        async effect(order) {
          end();
          const draft = await draftChange(context, order, id, requested, requested.maker, controlled);
          throwFirst(draft.refusals);
          requireDifference(draft.difference, requested.difference);
          const paid = { ...requested, ...(await requested.pay?.(order, draft.due)) };
          requireNeeded(context, draft, paid);
          throwFirst(draft.placeRefusals);
          const places = draft.fresh.length;
          if (places > 0) end = await context.limit.admit(order, places);
          const asOf = order.version;
          const prepared = await holdNew(context, order, draft, paid, (stock) => {
            taken = { stock: [...(taken?.stock ?? []), ...stock], requestId, asOf };
          });
          return prepared;
        },
        write: (prepared) => (order, now) => beginChange(order, prepared, now),
      },
    );
    if (requested.exchanges.length > 0) await cancelIfOver(context, order);
    return await finishChange(context, order, id, command.idempotencyRecord);
  } catch (error) {
    // Without an answer a repeat finds them; else they are free once their hold ends.
    if (error instanceof Fault && taken && !isUnavailable(error)) await releaseRefused(context, command, taken);
    throw error;
  } finally {
    end();
  }
}

/** @throws Fault if there is no need for how it is paid or refunded */
const requireNeeded = (
  context: OrdersContext,
  { due, credit }: ChangeDraft,
  { payment, onAccount, refund }: ChangeRequest,
): void => {
  if ([payment, onAccount, refund].filter(Boolean).length > 1)
    throw createRefusalFault('change_overpaid', 'A change has one of $.payment, $.onAccount and $.refund.');
  if ((payment || onAccount) && due === 0)
    throw createRefusalFault('change_overpaid', 'Nothing is due, so $.payment and $.onAccount are of no use.');
  if (refund && credit === 0)
    throw createRefusalFault('change_overpaid', 'The change leaves no credit, so there is nothing to refund.');
  if (onAccount && context.mayDo?.onAccount === false) throw createRefusalFault('on_account_excluded');
};

const throwFirst = (refusals: readonly ChangeRefusal[]): void => {
  const [first] = refusals;
  if (!first) return;
  const same = refusals.filter(({ refusal }) => refusal.reason === first.refusal.reason);
  throw toFault({ ...first.refusal, details: same.map(({ refusal }) => refusal.details).join(' ') });
};

const requireDifference = (difference: number, given: number): void => {
  if (difference === given) return;
  const details = `$.difference is ${given}, but the change makes a difference of ${difference}.`;
  throw createRefusalFault('difference_changed', details);
};

interface Prepared {
  readonly change: Change;
  readonly payment?: Payment;
  readonly codes?: OrderDocument['codes'];
}

/** Holds new places and uses of discounts. `take` hears of each as soon as it is held. @throws Fault as a new order */
const holdNew = async (
  context: OrdersContext,
  order: OrderDocument,
  draft: ChangeDraft,
  requested: ChangeRequest,
  take: (stock: readonly string[]) => void,
): Promise<Prepared> => {
  const { institution, id: holder, version: asOf } = order;
  const requestId = deriveId('req', requested.id);
  const leaving = [...requested.returns, ...requested.exchanges].map(({ lineId }) => lineId);
  const { lines: bare, heldUntil } = await holdPlaces(context, order, draft, { requestId, changeId: requested.id });
  take(
    bare
      .filter(({ id }) => draft.fresh.some(({ exchange }) => deriveNewLineId(requested.id, exchange.lineId) === id))
      .map(({ place }) => place.id),
  );
  const priced = toPricedChange(order, bare, leaving);
  const left = order.lines.filter(({ id }) => leaving.includes(id));
  const spare = left.flatMap(({ price }) => price?.grant ?? []);
  const claim = { institution, holder, requestId, asOf, heldUntil: new Date(heldUntil).toISOString() };
  const check = (price: Parameters<typeof checkUnlocking>[0]) =>
    checkUnlocking({ lines: selectNew(price.lines, bare) });
  const claimed = await claimUses(context, { ...priced, spare }, draft.pricing, { ...claim, check });
  take(listClaimedUses(claimed));
  const now = context.now();
  const after = applyOrderPrice(priced, claimed, now, { lines: [...priced.lines, ...left] });
  const newLines = selectNew(after.lines, bare);
  const figures = computeFigures(order, leaving, { lines: newLines, fees: draft.fees });
  requireDifference(figures.difference, requested.difference);
  const { payment, onAccount, refund, override, givesBack, createdBy, id } = requested;
  const isCovered = figures.due === 0 || payment?.status === 'captured' || onAccount === true;
  const isAwaited = !isCovered && payment !== undefined;
  const page = payment?.page;
  const until = page ? Math.max(heldUntil, page.until) : heldUntil + context.graceMs;
  const hasGrace = isAwaited && (await holdNewUntil(context, order, { newLines }, until));
  if (page && !hasGrace) throw createRefusalFault('places_unavailable', 'Places of the change are gone.');
  const change: Change = {
    ...emptyChange,
    ...{ id, returns: draft.returns, exchanges: draft.exchanges, newLines, fees: draft.fees, ...figures },
    ...(override && { override }),
    ...(givesBack && { givesBack }),
    ...(refund && { refund, refundId: deriveId('ref', id) }),
    expiresAt: heldUntil,
    deadline: hasGrace ? until : heldUntil,
    coveredAt: isCovered ? now : null,
    ...(createdBy && { createdBy }),
    createdAt: now,
    asOf,
  };
  const paid = payment && {
    ...{ id: deriveId('pay', id), changeId: id, method: payment.method, amount: figures.due, currency: order.currency },
    ...{ reference: payment.reference ?? null, ...(createdBy && { createdBy }), status: payment.status },
    ...{ createdAt: now, updatedAt: now, ...(page && toPagePayment(order, page, now)) },
  };
  const hasApplied = after.codes?.some(
    ({ state }, index) => state === 'applied' && order.codes?.[index]?.state !== state,
  );
  return { change, ...(paid && { payment: paid }), ...(hasApplied && { codes: mergeCodes(order, after) }) };
};

/** A code that a new line has is applied. */
const mergeCodes = ({ codes = [] }: OrderDocument, after: Pick<OrderDocument, 'codes'>): OrderDocument['codes'] =>
  codes.map((code, index) => {
    const now = after.codes?.[index];
    return now?.state === 'applied' ? now : code;
  });

const holdPlaces = async (
  context: OrdersContext,
  order: OrderDocument,
  { fresh, newLines: drafted, exchanges }: ChangeDraft,
  { requestId, changeId }: { readonly requestId: string; readonly changeId: string },
): Promise<{ readonly lines: readonly Line[]; readonly heldUntil: number }> => {
  const isFresh = ({ replaces }: Line) => fresh.some(({ exchange }) => exchange.lineId === replaces);
  // At their bases again: uses are claimed before they are priced for good.
  const kept = drafted.filter((line) => !isFresh(line)).map(toBase);
  if (fresh.length === 0) return { lines: kept, heldUntil: context.now() + WAIT_MS };
  const { institution, id: holder, version: asOf, pointOfSale, codes = [] } = order;
  const items = fresh.map(({ item }) => item);
  await linkPerformances(
    context.links.of(institution),
    order,
    items.map(({ performanceId }) => performanceId),
  );
  const held = await context.stock.hold(institution, {
    ...{ holder, requestId, asOf, items },
    ...(pointOfSale !== null && { pointOfSale }),
    ...(codes.length > 0 && { codes: codes.map(({ code }) => code) }),
    placesInOrder: order.lines.length - exchanges.length,
  });
  const made = createHeldLines(context, held, items, toBuyer(order));
  const own = made.lines.map((line, index): Line => {
    const { lineId = '' } = fresh[held.lines[index]?.item ?? -1]?.exchange ?? {};
    const id = deriveNewLineId(changeId, lineId);
    return { ...line, id, replaces: lineId, ticketId: null, replacements: [] };
  });
  const lines = exchanges.flatMap(({ newLineId }) => [...kept, ...own].find(({ id }) => id === newLineId) ?? []);
  return { lines, heldUntil: made.until };
};

const toBase = (line: Line): Line =>
  line.price ? { ...line, amount: line.price.base, price: { ...line.price, components: [], taxes: [] } } : line;
