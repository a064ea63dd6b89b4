// The prices of a whole order: what its lines keep of the hold, and what changes with lines, codes and contact.

import {
  type Buyer,
  type Buying,
  type CodeState,
  computeOrderPrice,
  type Discount,
  type Fee,
  type Grant,
  type LinePrice,
  type Price,
  type PricedItem,
  sumTaxes,
  type TaxedSum,
  UNTAXED,
} from '@boxoffice/prices';
import type { Line, Order } from './order/order.ts';

/** What an order is priced with. */
export interface Pricing {
  readonly discounts: readonly Discount[];
  /** Of an order; it has them from its first lines on. */
  readonly orderFees: readonly Fee[];
  /** Of the order's contact; null: it has none. */
  readonly criteria: readonly string[] | null;
}

/** Ids of uses, by the id of the discount or code that they are of. */
export type ClaimedUses = ReadonlyMap<string, readonly string[]>;

/** Ids of the uses that the line has. */
export function listUses({ price }: Pick<Line, 'price'>): readonly string[] {
  return price?.grant?.uses ?? [];
}

/** Ids of what an order has in the catalogue's stock: the places of its lines, and uses of their discounts. */
export function listStock(lines: readonly Pick<Line, 'place' | 'price'>[]): string[] {
  return lines.flatMap((line) => [line.place.id, ...listUses(line)]);
}

export function computeBase({ amount, price }: Pick<Line, 'amount' | 'price'>): number {
  return price?.base ?? amount;
}

export function listLineTaxes({ amount, price }: Pick<Line, 'amount' | 'price'>): readonly TaxedSum[] {
  return price?.taxes ?? [{ ...UNTAXED, net: amount, tax: 0, gross: amount }];
}

/** By tax and rate, without those whose gross is 0. */
export function listOrderTaxes({ lines, fees = [] }: Pick<Order, 'lines' | 'fees'>): TaxedSum[] {
  return sumTaxes([...lines.flatMap(listLineTaxes), ...fees.flatMap(({ taxes }) => taxes)]);
}

/** Of lines that are no more in the order. */
export function listSpare(before: Pick<Order, 'lines'>, { lines }: Pick<Order, 'lines'>): readonly Grant[] {
  const left = before.lines.filter(({ id }) => !lines.some((line) => line.id === id));
  return left.flatMap(({ price }) => price?.grant ?? []);
}

type PricedLine = Pick<Line, 'id' | 'productId' | 'performanceId' | 'tariffId' | 'amount' | 'price'>;

const toItem = (line: PricedLine): PricedItem => {
  const { id, productId, performanceId, tariffId, price } = line;
  const { hidden = false, tax = UNTAXED, fees = [], grant = null } = price ?? {};
  return { id, productId, performanceId, tariffId, hidden, base: computeBase(line), tax, fees, grant };
};

export interface PricedOrder extends Pick<Order, 'fees' | 'codes' | 'pointOfSale' | 'createdBy'> {
  readonly lines: readonly PricedLine[];
  /** What lines had that leave the order with this change. */
  readonly spare?: readonly Grant[];
}

export function toBuyer({ pointOfSale, createdBy }: Pick<PricedOrder, 'pointOfSale' | 'createdBy'>): Buyer {
  return { pointOfSale, clientId: createdBy && 'clientId' in createdBy ? createdBy.clientId : null };
}

/** As it would be now, with uses that are free. */
export function computePrice(order: PricedOrder, { discounts, orderFees, criteria }: Pricing, now: number): Price {
  const { codes = [], lines, spare } = order;
  const buying: Buying = { ...toBuyer(order), criteria, codes: codes.map(({ code }) => code), now };
  // Those of an earlier write, or of the first lines; a line without terms was held before the house had any.
  const isNew = order.fees === undefined && lines.every(({ price }) => price !== undefined);
  const fees = isNew ? orderFees : (order.fees ?? []).flatMap((one) => ('fee' in one ? [one.fee] : []));
  return computeOrderPrice(lines.map(toItem), { fees, discounts, buying, spare });
}

/**
 * The order at the prices that it has now, with no more uses of limited discounts than it has or has `claimed`. Uses
 * that it needs no more are released with the places of removed lines. `asOf` is its version; ids of its fees come from
 * `toFeeId`.
 */
export function applyPrice<O extends Order>(
  order: O,
  pricing: Pricing & {
    readonly claimed: ClaimedUses;
    readonly asOf: number;
    readonly toFeeId: (feeId: string) => string;
    readonly spare?: readonly Grant[];
  },
  now: number,
): O {
  const { claimed, asOf, toFeeId, spare = [] } = pricing;
  if (!isComposed(order, pricing)) return order;
  const discounts = pricing.discounts.map((one) => limitTo(one, claimed));
  const { lines: prices, fees, codes } = computePrice({ ...order, spare }, { ...pricing, discounts }, now);
  const left = new Map([...claimed].map(([id, uses]) => [id, [...uses]]));
  const take = (id: string): string[] => (left.get(id) ?? []).splice(0, 1);
  const lines = order.lines.map((line, index) => putPrice(line, prices[index], take));
  const kept = new Set(lines.flatMap(listUses));
  const dropped = [...order.lines.flatMap(listUses), ...[...claimed.values()].flat()].filter((id) => !kept.has(id));
  const charged = fees.map(({ amount, taxes, ...fee }) => ({ id: toFeeId(fee.id), fee, amount, taxes }));
  const next: O = { ...order, lines, ...(codes.length > 0 || order.codes ? { codes: toStored(codes) } : {}) };
  return addRemoved({ ...next, fees: lines.length === 0 ? undefined : charged }, dropped, { asOf, now });
}

/** Whether anything but its bases makes its price. */
export function isComposed(
  { lines, fees, codes = [] }: Pick<PricedOrder, 'lines' | 'fees' | 'codes'>,
  { discounts, orderFees }: Pick<Pricing, 'discounts' | 'orderFees'> = { discounts: [], orderFees: [] },
): boolean {
  return (
    codes.length > 0 ||
    fees !== undefined ||
    lines.some(({ price }) => price !== undefined) ||
    discounts.length + orderFees.length > 0
  );
}

const toStored = (codes: readonly CodeState[]): Order['codes'] =>
  codes.map(({ code, discountId, state }) => ({ code, discountId, state }));

const limitTo = (discount: Discount, claimed: ClaimedUses): Discount => {
  const count = (id: string) => ({ claimed: claimed.get(id)?.length ?? 0 });
  return { ...discount, ...count(discount.id), codes: discount.codes.map((code) => ({ ...code, ...count(code.id) })) };
};

const putPrice = (line: Line, priced: LinePrice | undefined, take: (id: string) => string[]): Line => {
  if (!priced) return line;
  const { price, ...known } = line;
  const { components, amount, taxes, grant, wanted } = priced;
  const uses = [...(grant?.uses ?? []), ...wanted.flatMap(take)];
  const { grant: _, ...terms } = price ?? { base: line.amount, tax: UNTAXED, fees: [] };
  return { ...known, amount, price: { ...terms, components, taxes, ...(grant && { grant: { ...grant, uses } }) } };
};

/** Released once the order is written; never what it has again. */
const addRemoved = <O extends Order>(
  order: O,
  ids: readonly string[],
  { asOf, now }: { readonly asOf: number; readonly now: number },
): O => {
  const had = order.removedPlaces;
  const own = new Set(listStock(order.lines));
  const placeIds = [...new Set([...(had?.placeIds ?? []), ...ids])].filter((id) => !own.has(id));
  if (placeIds.length === 0) return had ? { ...order, removedPlaces: null } : order;
  return { ...order, removedPlaces: { since: had?.since ?? now, asOf, placeIds } };
};

/** How many uses of each limited discount and code the order needs beside those that it has. */
export function countNeededUses({ lines }: Price): ReadonlyMap<string, number> {
  const wanted = new Map<string, number>();
  for (const id of lines.flatMap((line) => line.wanted)) wanted.set(id, (wanted.get(id) ?? 0) + 1);
  return wanted;
}
