import type { OrdersContext } from '../context.ts';
import { isHidden, isPastDue } from '../domain/order/state.ts';
import { expireNow } from '../steps/sell.ts';
import { targetOf } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';

/** Selects the orders of a contact together with the orders in `ids`, and the page of them. */
export interface ShopSelection {
  readonly contactNumber?: string | undefined;
  readonly ids: readonly string[];
  readonly offset: number;
  readonly limit: number;
}

/** Start of the order's first performance; orders without lines sort last. */
const startOf = ({ lines }: OrderDocument): number =>
  Math.min(...lines.map(({ startDate }) => Date.parse(startDate)), Number.MAX_SAFE_INTEGER);

const byStartThenId = (a: OrderDocument, b: OrderDocument): number =>
  startOf(a) - startOf(b) || (a.id < b.id ? -1 : Number(a.id > b.id));

/**
 * A shopper's orders by start of the first performance, then by id, without carts; expires those past due. Reads all
 * orders of the contact, which are few.
 */
export const listShopOrders = async (
  context: OrdersContext,
  institution: string,
  { contactNumber, ids, offset, limit }: ShopSelection,
): Promise<{ readonly items: readonly OrderDocument[]; readonly total: number }> => {
  const orders = context.orders.of(institution);
  const own = contactNumber === undefined ? [] : await orders.find({ where: { contactNumber, listedAt: { gt: 0 } } });
  const others = ids.filter((id) => !own.some((order) => order.id === id));
  const named = others.length === 0 ? [] : await Promise.all([...new Set(others)].map((id) => orders.get(id)));
  const found = [...own, ...named.flatMap((order) => (order && !isHidden(order) ? [order] : []))];
  const page = found.toSorted(byStartThenId).slice(offset, offset + limit);
  const now = context.now();
  const items = await Promise.all(
    page.map((order) => (isPastDue(order, now) ? expireNow(context, targetOf(order)) : order)),
  );
  return { items, total: found.length };
};
