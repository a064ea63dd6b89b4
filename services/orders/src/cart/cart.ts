import { isUnavailable, refusal } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { changeLine, isCart, type LineChange } from '../domain/cart.ts';
import { isHidden, isPastDue } from '../domain/order/state.ts';
import { cancelUnlessEnded } from '../orders/cancel.ts';
import { runCommand } from '../steps/command.ts';
import { expireNow, findAny } from '../steps/sell.ts';
import { type Target, targetOf } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';
import { permitTariff } from './add.ts';

/** A visitor's change of a line; absent members stay. */
export interface CartLineChange {
  readonly tariffId?: string;
  /** The contact whose criteria the tariff is checked against. */
  readonly contactNumber?: string;
  readonly beneficiary: NonNullable<LineChange['beneficiary']>;
}

/**
 * Changes the tariff or the beneficiary of a line. @throws Fault `not_found`, a refusal of the catalog or of the
 * rules
 */
export const changeCartLine = async (
  context: OrdersContext,
  target: Target,
  { lineId, request }: { readonly lineId: string; readonly request: string },
  { tariffId, contactNumber, beneficiary }: CartLineChange,
): Promise<OrderDocument> => {
  const found = await findAny(context, target);
  const line = found.lines.find(({ id }) => id === lineId);
  const isOpen = isCart(found) && found.state === 'open';
  const [tariff] =
    line && isOpen && tariffId !== undefined
      ? await context.stock.quotes(
          target.institution,
          [{ performanceId: line.performanceId, seatCategoryId: line.seatCategoryId, tariffId }],
          found.pointOfSale,
        )
      : [];
  const priced = tariff ?? (contactNumber === undefined ? undefined : line);
  if (isOpen && priced) await permitTariff(context, target.institution, contactNumber, [priced]);
  const change = { beneficiary, ...(tariff ? { tariff } : {}) };
  const command = { ...target, request, appliesTo: 'carts' } as const;
  const { order } = await runCommand(context, command, (current, now) => changeLine(current, lineId, change, now));
  return order;
};

/**
 * Abandons a cart, durably; idempotent, also after it expired. Its places are released at once if the catalog
 * answers, otherwise by the event. An order whose payment failed is cancelled. @throws Fault `not_found`, or a
 * refusal if the cart was bought
 */
export const abandonCart = async (context: OrdersContext, target: Target): Promise<OrderDocument> => {
  const found = await findAny(context, target);
  if (!isCart(found)) throw refusal('cart_gone');
  const placeIds = found.lines.map(({ place }) => place.id);
  const order = await cancelUnlessEnded(context, { ...target, appliesTo: 'carts' }, null);
  if (order.state !== 'cancelled' || placeIds.length === 0) return order;
  try {
    await context.stock.release(target.institution, target.orderId, { placeIds, asOf: order.version });
  } catch (error) {
    if (!isUnavailable(error)) throw error;
  }
  return order;
};

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
  const named = others.length === 0 ? [] : await orders.find({ where: { id: { in: others } } });
  const found = [...own, ...named.filter((order) => !isHidden(order))];
  const page = found.toSorted(byStartThenId).slice(offset, offset + limit);
  const now = context.now();
  const items = await Promise.all(
    page.map((order) => (isPastDue(order, now) ? expireNow(context, targetOf(order)) : order)),
  );
  return { items, total: found.length };
};
