// What a change would make of an order now: its new lines, what they cost, and every reason why it would be refused.

import type { OrdersContext } from '../context.ts';
import { checkTariffAccess } from '../domain/buyer.ts';
import { buildLeavingFee, computeFigures } from '../domain/changes/change.ts';
import {
  type ChangeInput,
  type ChangeRefusal,
  checkOrderChangeable,
  listLineRefusals,
  listUnknownLines,
} from '../domain/changes/check.ts';
import { resolveReturnPolicy } from '../domain/changes/policy.ts';
import { limitToChange, selectNew, toPricedChange } from '../domain/changes/price.ts';
import { refuse } from '../domain/decisions.ts';
import type { LineChangeFee } from '../domain/order/line.ts';
import type { Change, Line } from '../domain/order/order.ts';
import { computePrice, type Pricing } from '../domain/price.ts';
import { deriveId } from '../ids.ts';
import { NO_PRICING, readOrderPricing } from '../orders/prices.ts';
import type { OrderDocument } from '../store.ts';
import { deriveNewLineId, listFresh, mergeLines, type NewLines, quoteFresh, quoteOwnPlaces } from './new-lines.ts';

export interface ChangeDraft extends Pick<Change, 'returns' | 'exchanges' | 'difference' | 'fee' | 'due' | 'credit'> {
  /** Priced, one per exchange whose references are known; without their places, if these are not held. */
  readonly newLines: readonly Line[];
  /** The same at their bases. */
  readonly bases: readonly Line[];
  readonly fees: readonly LineChangeFee[];
  readonly pricing: Pricing;
  /** Of the first step that fails, of the order, its lines and references. */
  readonly refusals: readonly ChangeRefusal[];
  readonly hasUnknown: boolean;
  /** Of new places and their tariffs. */
  readonly placeRefusals: readonly ChangeRefusal[];
}

/** What may have tariffs with a criterion that the buyer does not meet. */
export interface ChangeMaker {
  readonly sellsToAnybody: boolean;
  /** It knows of the catalogue what public access shows. */
  readonly publicOnly?: boolean;
  /** Performances that are not sold to him any more. */
  readonly over?: readonly string[] | undefined;
}

export interface DraftInput extends ChangeInput {
  readonly id: string;
  readonly maker: ChangeMaker;
  /** Tickets that the tickets service says are. */
  readonly controlled: readonly string[];
}

/** Of the order and its lines, before anything is known of new ones. */
export function listOwnRefusals(order: OrderDocument, input: DraftInput, now: number): readonly ChangeRefusal[] {
  const changeable = checkOrderChangeable(order, now);
  if (changeable) return [{ lineId: null, refusal: changeable.refused }];
  const unknown = listUnknownLines(order, input);
  return unknown.length > 0 ? unknown : listLineRefusals(order, input, input.controlled, now);
}

/** Reads only. @throws Fault `service_unavailable` */
export async function draftChange(
  context: OrdersContext,
  order: OrderDocument,
  input: DraftInput,
): Promise<ChangeDraft> {
  const { id, exchanges } = input;
  const { publicOnly } = input.maker;
  const fresh = await quoteFresh(context, order, id, listFresh(order, exchanges), publicOnly);
  const kept = await quoteOwnPlaces(context, order, id, exchanges, publicOnly);
  return composeDraft(context, order, input, mergeLines(exchanges, [fresh, kept]));
}

/** With new lines as they are quoted or held. @throws Fault `service_unavailable` */
export async function composeDraft(
  context: OrdersContext,
  order: OrderDocument,
  input: DraftInput,
  quoted: NewLines,
): Promise<ChangeDraft> {
  const { lines, book } = quoted;
  // A repeat has its uses already.
  const request = { holder: order.id, requestId: deriveId('req', input.id) };
  const pricing =
    lines.length === 0 ? NO_PRICING : await readOrderPricing(context, { ...order, lines }, { book, request });
  const unmet = await listTariffRefusals(context, order, lines, input.maker);
  return assembleDraft(order, input, quoted, pricing, unmet, context.now());
}

/** Without exchanges nothing has to be read. */
export function draftReturns(order: OrderDocument, input: DraftInput, now: number): ChangeDraft {
  return assembleDraft(order, input, { lines: [], refusals: [], book: null }, NO_PRICING, [], now);
}

const assembleDraft = (
  order: OrderDocument,
  input: DraftInput,
  { lines, refusals }: NewLines,
  offered: Pricing,
  unmet: readonly ChangeRefusal[],
  now: number,
): ChangeDraft => {
  const { id: changeId, returns, exchanges, maker } = input;
  const leaving = [...returns, ...exchanges].map(({ lineId }) => lineId);
  const isReference = ({ refusal: { reason } }: ChangeRefusal) =>
    reason === 'invalid_reference' || reason === 'currency_mismatch';
  const unknown = [...listUnknownLines(order, input), ...refusals.filter(isReference)];
  const places = refusals.filter((one) => !isReference(one));
  const over = exchanges.filter(({ performanceId }) => maker.over?.includes(performanceId)).map(({ lineId }) => lineId);
  const own = listOwnRefusals(order, input, now);
  const isOfOrder = own.some(({ lineId }) => lineId === null);
  const pricing = limitToChange(offered, order, leaving);
  const spare = order.lines.flatMap(({ id, price }) => (leaving.includes(id) && price?.grant ? [price.grant] : []));
  const price = computePrice({ ...toPricedChange(order, lines, leaving), spare }, pricing, now);
  const prices = selectNew(price.lines, lines);
  const newLines = lines.map((line, index) => applyQuote(line, prices[index]));
  const fees = listFees(order, changeId, input);
  const feeOf = (lineId: string) => fees.find(({ change }) => change.lineId === lineId)?.amount ?? 0;
  const locked = lines.filter((_, index) => prices[index]?.locked);
  return {
    ...computeFigures(order, leaving, { lines: newLines, fees }),
    returns: returns.map(({ lineId, reason = null }) => ({ lineId, reason, fee: feeOf(lineId) })),
    exchanges: exchanges.map(({ lineId }) => ({
      ...{ lineId, newLineId: deriveNewLineId(changeId, lineId), fee: feeOf(lineId) },
    })),
    newLines,
    bases: lines,
    fees,
    pricing,
    refusals: isOfOrder || unknown.length === 0 ? own : unknown,
    hasUnknown: unknown.length > 0,
    placeRefusals: [
      ...places.filter(({ refusal }) => refusal.reason === 'tariff_not_sold_here'),
      ...unmet,
      ...locked.map(({ replaces = null }) => ({ lineId: replaces, refusal: refuse('tariff_locked').refused })),
      ...over.map((lineId) => ({ lineId, refusal: refuse('not_on_sale', 'The performance is over.').refused })),
      ...places.filter(
        ({ lineId, refusal }) => refusal.reason !== 'tariff_not_sold_here' && !over.some((id) => id === lineId),
      ),
    ],
  };
};

const applyQuote = (line: Line, priced: ReturnType<typeof computePrice>['lines'][number] | undefined): Line => {
  if (!priced) return line;
  const { amount, components, taxes } = priced;
  return { ...line, amount, ...(line.price && { price: { ...line.price, components, taxes } }) };
};

const listFees = (order: OrderDocument, changeId: string, input: ChangeInput): LineChangeFee[] => {
  if (input.waiveFees) return [];
  const charge = (lineId: string, kind: 'return' | 'exchange'): LineChangeFee[] => {
    const line = order.lines.find(({ id }) => id === lineId);
    const policy = line && resolveReturnPolicy(line);
    const amount = (kind === 'return' ? policy?.returnFee : policy?.exchangeFee) ?? 0;
    const id = deriveId('fli', changeId, lineId);
    return line && amount > 0 ? [buildLeavingFee(line, { id, changeId, kind, amount })] : [];
  };
  return [
    ...input.returns.flatMap(({ lineId }) => charge(lineId, 'return')),
    ...input.exchanges.flatMap(({ lineId }) => charge(lineId, 'exchange')),
  ];
};

const listTariffRefusals = async (
  context: Pick<OrdersContext, 'contacts'>,
  { institution, contactNumber }: OrderDocument,
  lines: readonly Line[],
  { sellsToAnybody }: ChangeMaker,
): Promise<ChangeRefusal[]> => {
  if (sellsToAnybody || lines.every(({ criterion }) => criterion === null)) return [];
  const criteria = contactNumber === null ? [] : ((await context.contacts.criteria(institution, contactNumber)) ?? []);
  return lines.flatMap((line) => {
    const refused = checkTariffAccess([line], criteria);
    return refused ? [{ lineId: line.replaces ?? null, refusal: refused.refused }] : [];
  });
};
