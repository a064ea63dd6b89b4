// What the catalogue says of the new lines of a change; nothing is held.

import { createRefusalFault, RefusedOrder } from '../api/faults.ts';
import type { Book, PricedItem } from '../clients/services.ts';
import type { OrdersContext } from '../context.ts';
import { describeTariff } from '../domain/cart.ts';
import type { ChangeRefusal, ExchangeInput } from '../domain/changes/check.ts';
import { refuse } from '../domain/decisions.ts';
import type { Line, Texts } from '../domain/order/order.ts';
import { toBuyer } from '../domain/price.ts';
import { deriveId } from '../ids.ts';
import type { OrderItem } from '../orders/items.ts';
import { composeLine } from '../orders/prices.ts';
import type { OrderDocument } from '../store.ts';

/** The line keeps its place: it is neither held nor released. */
const isPlaceKept = (line: Line | undefined, exchange: ExchangeInput): boolean =>
  line?.performanceId === exchange.performanceId &&
  line.seatCategoryId === exchange.seatCategoryId &&
  (exchange.placeId === undefined || exchange.placeId === line.place.id);

export function deriveNewLineId(changeId: string, lineId: string): string {
  return deriveId('lin', changeId, lineId);
}

/** An exchange that needs a place, with the item that is held for it. */
export interface FreshExchange {
  readonly exchange: ExchangeInput;
  readonly item: OrderItem;
  /** Of the exchange in the request. */
  readonly path: string;
}

/** Those that need a place. */
export function listFresh(
  { lines }: Pick<OrderDocument, 'lines'>,
  exchanges: readonly ExchangeInput[],
): FreshExchange[] {
  return toFresh(exchanges).filter(({ exchange }) => !isPlaceKept(find({ lines }, exchange), exchange));
}

const toFresh = (exchanges: readonly ExchangeInput[]): FreshExchange[] =>
  exchanges.map((exchange, nth) => ({ exchange, path: `$.exchanges[${nth}]`, item: toItem(exchange) }));

/** What the catalogue says of its items, of the exchanges of the request. */
export function renamePaths(details: string, fresh: readonly FreshExchange[]): string {
  return details.replace(/\$\.items\[(\d+)\](\.placeIds\[0\])?/g, (path, item, place) => {
    const { path: own = path } = fresh[item] ?? {};
    return place ? `${own}.placeId` : own;
  });
}

const find = ({ lines }: Pick<OrderDocument, 'lines'>, { lineId }: ExchangeInput): Line | undefined =>
  lines.find(({ id }) => id === lineId);

/** New lines at their bases, in the order of their exchanges. */
export interface NewLines {
  readonly lines: readonly Line[];
  readonly refusals: readonly ChangeRefusal[];
  /** Undefined: it is to be read. */
  readonly book: Book | null | undefined;
}

/** Of those that need another place, without that place; with `publicOnly` of what public access shows. @throws Fault `service_unavailable` */
export async function quoteFresh(
  { stock }: OrdersContext,
  order: OrderDocument,
  changeId: string,
  fresh: readonly FreshExchange[],
  publicOnly = false,
): Promise<NewLines> {
  if (fresh.length === 0) return { lines: [], refusals: [], book: undefined };
  const { codes = [], pointOfSale, institution } = order;
  const answer = await stock.quoteAll(institution, {
    items: fresh.map(({ item }) => item),
    ...(codes.length > 0 && { codes: codes.map(({ code }) => code) }),
    ...(pointOfSale !== null && { pointOfSale }),
    ...(publicOnly && { publicOnly }),
  });
  const book = answer.pricing ?? null;
  const made = answer.quotes.map((quote) => {
    const exchange = fresh[quote.item]?.exchange;
    return exchange ? makeLine(order, changeId, exchange, quote, book) : {};
  });
  const refused = answer.refusals.map(({ item, reason, details }) => ({
    lineId: item === null ? null : (fresh[item]?.exchange.lineId ?? null),
    refusal: refuse(reason, renamePaths(details, fresh)).refused,
  }));
  return {
    lines: made.flatMap(({ line }) => line ?? []),
    refusals: [...made.flatMap(({ refusal }) => refusal ?? []), ...refused],
    book: leaveLimited(book),
  };
}

/** It does not know the uses that the request has claimed before: where uses count it is to be read. */
const leaveLimited = (book: Book | null): NewLines['book'] => {
  const isLimited = book?.discounts.some(({ free, codes }) => [{ free }, ...codes].some((one) => one.free !== null));
  return isLimited ? undefined : book;
};

/** Of those that keep their place. @throws Fault `service_unavailable` */
export async function quoteOwnPlaces(
  context: OrdersContext,
  order: OrderDocument,
  changeId: string,
  exchanges: readonly ExchangeInput[],
  publicOnly = false,
): Promise<NewLines> {
  const own = toFresh(exchanges).filter(({ exchange }) => isPlaceKept(find(order, exchange), exchange));
  const kept = own.map(({ exchange }) => exchange);
  if (kept.length === 0) return { lines: [], refusals: [], book: undefined };
  // Their own places are not free, and need not be.
  const quoteEach = async (): Promise<NewLines> => {
    const fresh = own.map((one) => ({ ...one, item: toItem({ ...one.exchange, placeId: undefined }) }));
    const all = await quoteFresh(context, order, changeId, fresh, publicOnly);
    return { ...all, refusals: all.refusals.filter(({ refusal }) => refusal.reason !== 'places_unavailable') };
  };
  if (publicOnly) return quoteEach();
  const items = kept.map(({ performanceId, seatCategoryId, tariffId }) => ({
    performanceId,
    seatCategoryId,
    tariffId,
  }));
  try {
    const quotes = await context.stock.quotes(order.institution, items, order.pointOfSale);
    const made = quotes.map((quote, index) => {
      const exchange = kept[index];
      return exchange ? makeLine(order, changeId, exchange, quote, quote.book) : {};
    });
    return {
      lines: made.flatMap(({ line }) => line ?? []),
      refusals: made.flatMap(({ refusal }) => refusal ?? []),
      book: order.codes?.length ? undefined : leaveLimited(quotes[0]?.book ?? null),
    };
  } catch (error) {
    if (!(error instanceof RefusedOrder)) throw error;
    // Which of them, and what the others would cost.
    const all = await quoteEach();
    const unnamed = { lineId: null, refusal: { reason: error.reason, details: renamePaths(error.details, own) } };
    return { ...all, refusals: all.refusals.length > 0 ? all.refusals : [unnamed] };
  }
}

/** In the order of the exchanges. */
export function mergeLines(exchanges: readonly ExchangeInput[], parts: readonly NewLines[]): NewLines {
  const all = parts.flatMap(({ lines }) => lines);
  return {
    lines: exchanges.flatMap(({ lineId }) => all.find(({ replaces }) => replaces === lineId) ?? []),
    refusals: parts.flatMap(({ refusals }) => refusals),
    book: parts.map(({ book }) => book).find((book) => book !== undefined),
  };
}

const toItem = ({ performanceId, seatCategoryId, tariffId, placeId }: ExchangeInput): OrderItem => ({
  ...{ performanceId, seatCategoryId, tariffId },
  ...(placeId === undefined ? { quantity: 1 } : { placeIds: [placeId] }),
});

export function createCurrencyFault({ currency }: OrderDocument, other: string): RefusedOrder {
  return createRefusalFault('currency_mismatch', `The order is in ${currency}, the new line is in ${other}.`);
}

type Quote = Omit<PricedItem, 'item' | 'quantity'> & { readonly name?: Texts };

const NO_PLACE = { id: '', label: '', row: null, seat: null };

const makeLine = (
  order: OrderDocument,
  changeId: string,
  { lineId, ...exchange }: ExchangeInput,
  quote: Quote,
  book: Book | null,
): { readonly line?: Line; readonly refusal?: ChangeRefusal } => {
  if (quote.currency !== order.currency)
    return { refusal: { lineId, refusal: createCurrencyFault(order, quote.currency) } };
  const had = find(order, { lineId, ...exchange });
  const kept = isPlaceKept(had, { lineId, ...exchange }) ? had : undefined;
  const { performanceId, seatCategoryId, tariffId } = exchange;
  const line: Line = {
    id: deriveNewLineId(changeId, lineId),
    replaces: lineId,
    productId: quote.productId ?? kept?.productId ?? '',
    startDate: quote.startDate ?? kept?.startDate ?? '',
    ...{ performanceId, seatCategoryId, tariffId },
    criterion: quote.criterion,
    amount: quote.amount,
    ...composeLine(quote, book, toBuyer(order)),
    place: kept?.place ?? NO_PLACE,
    ...(kept && describeTariff(kept, quote.name)),
    ...(quote.returnPolicy && { returnPolicy: quote.returnPolicy }),
    ...{ ticketId: null, replacements: [] },
  };
  return { line };
};
