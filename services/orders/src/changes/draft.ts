// What a change would make of an order now: its new lines, what they cost, and every reason why it would be refused.

import { RefusedOrder } from '../api/faults.ts';
import type { Book, PricedItem } from '../clients/services.ts';
import type { OrdersContext } from '../context.ts';
import { checkTariffAccess } from '../domain/buyer.ts';
import { describeTariff } from '../domain/cart.ts';
import { buildLeavingFee, computeFigures } from '../domain/changes/change.ts';
import {
  type ChangeInput,
  type ChangeRefusal,
  checkOrderChangeable,
  type ExchangeInput,
  listLineRefusals,
  listUnknownLines,
} from '../domain/changes/check.ts';
import { resolveReturnPolicy } from '../domain/changes/policy.ts';
import { limitToChange, selectNew, toPricedChange } from '../domain/changes/price.ts';
import { refuse } from '../domain/decisions.ts';
import type { LineChangeFee } from '../domain/order/line.ts';
import type { Change, Line, Texts } from '../domain/order/order.ts';
import { computePrice, type Pricing, toBuyer } from '../domain/price.ts';
import { deriveId } from '../ids.ts';
import type { OrderItem } from '../orders/items.ts';
import { composeLine, readOrderPricing } from '../orders/prices.ts';
import type { OrderDocument } from '../store.ts';

export interface ChangeDraft extends Pick<Change, 'returns' | 'exchanges' | 'difference' | 'fee' | 'due' | 'credit'> {
  /** Priced, one per exchange whose references are known. Places of new ones are not known yet. */
  readonly newLines: readonly Line[];
  readonly fees: readonly LineChangeFee[];
  readonly pricing: Pricing;
  /** Of those that need a place, with their items. */
  readonly fresh: readonly { readonly exchange: ExchangeInput; readonly item: OrderItem }[];
  /** Of the first step that fails, of the order, its lines and references. */
  readonly refusals: readonly ChangeRefusal[];
  readonly hasUnknown: boolean;
  /** Of new places and their tariffs. */
  readonly placeRefusals: readonly ChangeRefusal[];
}

/** What may have tariffs with a criterion that the buyer does not meet. */
export interface ChangeMaker {
  readonly sellsToAnybody: boolean;
}

/** The line keeps its place: it is neither held nor released. */
export function isPlaceKept(line: Line | undefined, exchange: ExchangeInput): boolean {
  return (
    line?.performanceId === exchange.performanceId &&
    line.seatCategoryId === exchange.seatCategoryId &&
    (exchange.placeId === undefined || exchange.placeId === line.place.id)
  );
}

export function deriveNewLineId(changeId: string, lineId: string): string {
  return deriveId('lin', changeId, lineId);
}

/** Reads only. `controlled`: tickets that the tickets service says are. @throws Fault `service_unavailable` */
export async function draftChange(
  context: OrdersContext,
  order: OrderDocument,
  changeId: string,
  input: ChangeInput,
  maker: ChangeMaker,
  controlled: readonly string[],
): Promise<ChangeDraft> {
  const { returns, exchanges } = input;
  const leaving = [...returns, ...exchanges].map(({ lineId }) => lineId);
  const unknownLines = listUnknownLines(order, input);
  const quoted = await quoteExchanges(context, order, changeId, exchanges);
  const [references, places] = splitReferences(quoted.refusals);
  const unknown = [...unknownLines, ...references];
  const pricing = limitToChange(
    await readOrderPricing(context, { ...order, lines: quoted.lines }, { book: quoted.book }),
    order,
    leaving,
  );
  const priced = toPricedChange(order, quoted.lines, leaving);
  const spare = order.lines.flatMap(({ id, price }) => (leaving.includes(id) && price?.grant ? [price.grant] : []));
  const price = computePrice({ ...priced, spare }, pricing, context.now());
  const prices = selectNew(price.lines, quoted.lines);
  const newLines = quoted.lines.map((line, index) => applyQuote(line, prices[index]));
  const fees = listFees(order, changeId, input);
  const feeOf = (lineId: string) => fees.find(({ change }) => change.lineId === lineId)?.amount ?? 0;
  const changeable = checkOrderChangeable(order);
  const steps = [
    changeable ? [{ lineId: null, refusal: changeable.refused }] : [],
    unknown,
    listLineRefusals(order, input, controlled, context.now()),
  ];
  const locked = prices.filter((line) => line.locked).map(({ id }) => id);
  return {
    ...computeFigures(order, leaving, { lines: newLines, fees }),
    returns: returns.map(({ lineId, reason = null }) => ({ lineId, reason, fee: feeOf(lineId) })),
    exchanges: exchanges.map(({ lineId }) => ({
      lineId,
      newLineId: deriveNewLineId(changeId, lineId),
      fee: feeOf(lineId),
    })),
    newLines,
    fees,
    pricing,
    fresh: quoted.fresh,
    refusals: steps.find((step) => step.length > 0) ?? [],
    hasUnknown: unknown.length > 0,
    placeRefusals: [
      ...(await listTariffRefusals(context, order, quoted.lines, maker)),
      ...quoted.lines
        .filter(({ id }) => locked.includes(id))
        .map(({ replaces = null }) => ({ lineId: replaces, refusal: refuse('tariff_locked').refused })),
      ...places,
    ],
  };
}

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

interface QuotedExchanges {
  readonly lines: readonly Line[];
  readonly fresh: ChangeDraft['fresh'];
  readonly refusals: readonly ChangeRefusal[];
  /** Undefined where the order's codes were not asked for. */
  readonly book: Book | null | undefined;
}

/** New lines at their bases, without a place where theirs is another. */
const quoteExchanges = async (
  context: OrdersContext,
  order: OrderDocument,
  changeId: string,
  exchanges: readonly ExchangeInput[],
): Promise<QuotedExchanges> => {
  const find = (exchange: ExchangeInput) => order.lines.find(({ id }) => id === exchange.lineId);
  const kept = exchanges.filter((exchange) => isPlaceKept(find(exchange), exchange));
  const fresh = exchanges
    .filter((exchange) => !kept.includes(exchange))
    .map((exchange) => ({ exchange, item: toItem(exchange) }));
  const lines = new Map<ExchangeInput, Line>();
  const refusals: ChangeRefusal[] = [];
  let book: Book | null | undefined = exchanges.length === 0 ? null : undefined;
  const buyer = toBuyer(order);
  const add = (exchange: ExchangeInput, quote: QuotedTariff, known: Book | null, had?: Line) => {
    if (quote.currency !== order.currency) {
      const details = `The order is in ${order.currency}, the new line is in ${quote.currency}.`;
      refusals.push({ lineId: exchange.lineId, refusal: refuse('currency_mismatch', details).refused });
    } else lines.set(exchange, toNewLine(changeId, exchange, quote, composeLine(quote, known, buyer), had));
  };
  if (fresh.length > 0) {
    const { codes = [], pointOfSale } = order;
    const answer = await context.stock.quoteAll(order.institution, {
      items: fresh.map(({ item }) => item),
      ...(codes.length > 0 && { codes: codes.map(({ code }) => code) }),
      ...(pointOfSale !== null && { pointOfSale }),
    });
    book = answer.pricing ?? null;
    for (const quote of answer.quotes) {
      const exchange = fresh[quote.item]?.exchange;
      if (exchange) add(exchange, quote, book);
    }
    for (const { item, reason, details } of answer.refusals)
      refusals.push({
        lineId: item === null ? null : (fresh[item]?.exchange.lineId ?? null),
        refusal: refuse(reason, details).refused,
      });
  }
  if (kept.length > 0) {
    const quotes = await quoteKept(context, order, kept).catch((error: unknown) => {
      if (!(error instanceof RefusedOrder)) throw error;
      const [only, ...others] = kept;
      const lineId = only && others.length === 0 ? only.lineId : null;
      refusals.push({ lineId, refusal: { reason: error.reason, details: error.details } });
      return [];
    });
    quotes.forEach((quote, index) => {
      const exchange = kept[index];
      const had = exchange && find(exchange);
      if (exchange && had) add(exchange, { ...quote, productId: had.productId }, quote.book, had);
    });
    if (fresh.length === 0 && !order.codes?.length) book = quotes[0]?.book ?? null;
  }
  return { lines: exchanges.flatMap((exchange) => lines.get(exchange) ?? []), fresh, refusals, book };
};

const quoteKept = (
  { stock }: OrdersContext,
  { institution, pointOfSale }: OrderDocument,
  kept: readonly ExchangeInput[],
) =>
  stock.quotes(
    institution,
    kept.map(({ performanceId, seatCategoryId, tariffId }) => ({ performanceId, seatCategoryId, tariffId })),
    pointOfSale,
  );

const toItem = ({ performanceId, seatCategoryId, tariffId, placeId }: ExchangeInput): OrderItem => ({
  ...{ performanceId, seatCategoryId, tariffId },
  ...(placeId === undefined ? { quantity: 1 } : { placeIds: [placeId] }),
});

type QuotedTariff = Omit<PricedItem, 'item' | 'quantity'> & { readonly name?: Texts };

const NO_PLACE = { id: '', label: '', row: null, seat: null };

/** `had`: the line whose place it keeps. */
const toNewLine = (
  changeId: string,
  { lineId, performanceId, seatCategoryId, tariffId }: ExchangeInput,
  quote: QuotedTariff,
  composed: Pick<Line, 'price'>,
  had: Line | undefined,
): Line => ({
  id: deriveNewLineId(changeId, lineId),
  replaces: lineId,
  productId: quote.productId ?? '',
  startDate: quote.startDate ?? had?.startDate ?? '',
  ...{ performanceId, seatCategoryId, tariffId },
  criterion: quote.criterion,
  amount: quote.amount,
  ...composed,
  place: had?.place ?? NO_PLACE,
  ...(had && describeTariff(had, quote.name)),
  ...(quote.returnPolicy && { returnPolicy: quote.returnPolicy }),
  ticketId: null,
  replacements: [],
});

const splitReferences = (all: readonly ChangeRefusal[]): [ChangeRefusal[], ChangeRefusal[]] => {
  const isReference = ({ refusal: { reason } }: ChangeRefusal) =>
    reason === 'invalid_reference' || reason === 'currency_mismatch';
  return [all.filter(isReference), all.filter((one) => !isReference(one))];
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
