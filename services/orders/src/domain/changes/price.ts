// New lines of a change are priced as if they were added to the order now; those that stay keep their prices.

import { type Discount, isSameCode, UNTAXED } from '@boxoffice/prices';
import type { Line, Order } from '../order/order.ts';
import type { Pricing } from '../price.ts';

const isGranted = ({ price }: Pick<Line, 'price'>, { id }: Discount): boolean => price?.grant?.terms.id === id;

/**
 * The order as its new lines are priced, which come first: lines that stay count for discounts for several places, but
 * take no use of one, since they cost nothing here.
 */
export function toPricedChange<O extends Pick<Order, 'lines'>>(
  order: O,
  newLines: readonly Line[],
  leaving: readonly string[],
): O & { readonly fees: readonly [] } {
  const staying = order.lines.filter(({ id }) => !leaving.includes(id));
  const counted = staying.map((line): Line => {
    const { hidden, tax = UNTAXED, grant } = line.price ?? {};
    const kept = hidden && grant ? { hidden, grant } : {};
    return { ...line, amount: 0, price: { base: 0, tax, fees: [], components: [], taxes: [], ...kept } };
  });
  return { ...order, lines: [...newLines, ...counted], fees: [] };
}

/** As far as one order may have uses of a discount, beside those of the lines that stay. */
export function limitToChange<P extends Pricing>(
  pricing: P,
  { lines }: Pick<Order, 'lines'>,
  leaving: readonly string[],
): P {
  const staying = lines.filter(({ id, price }) => !leaving.includes(id) && !price?.hidden);
  const limit = (discount: Discount): Discount => {
    const had = staying.filter((line) => isGranted(line, discount)).length;
    const { usesPerOrder } = discount;
    return usesPerOrder === null ? discount : { ...discount, usesPerOrder: Math.max(0, usesPerOrder - had) };
  };
  return { ...pricing, discounts: pricing.discounts.map(limit) };
}

/** Of the new lines alone. */
export function selectNew<L extends { readonly id: string }>(
  all: readonly L[],
  newLines: readonly Pick<Line, 'id'>[],
): readonly L[] {
  return all.filter(({ id }) => newLines.some((line) => line.id === id));
}

/** A code is applied while a line has it; what else keeps it from the others is not known without their prices. */
export function updateCodes<O extends Pick<Order, 'lines' | 'codes'>>(order: O): O {
  const grants = order.lines.flatMap(({ price }) => price?.grant ?? []);
  const codes = order.codes?.map((one) => {
    const had = grants.find(({ code }) => code !== null && isSameCode(code, one.code));
    if (had) return { ...one, discountId: had.terms.id, state: 'applied' as const };
    return one.state === 'applied' ? { ...one, state: 'not_matching' as const } : one;
  });
  return codes ? { ...order, codes } : order;
}
