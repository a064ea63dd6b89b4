import type { OrdersContext } from '../context.ts';
import { isHidden, isPastDue } from '../domain/order/state.ts';
import { notFound } from '../faults.ts';
import { expireNow } from '../steps/sell.ts';
import type { Target } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';

/** Reads an order or a cart; ends it first if it is past due. @throws Fault `not_found` */
export const findAny = async (context: OrdersContext, target: Target): Promise<OrderDocument> => {
  const order = await context.orders.of(target.institution).get(target.orderId);
  if (!order) throw notFound();
  return isPastDue(order, context.now()) ? expireNow(context, target) : order;
};

/** As {@link findAny}, but a cart is `not_found`. */
export const findOrder = async (context: OrdersContext, target: Target): Promise<OrderDocument> => {
  const order = await findAny(context, target);
  if (isHidden(order)) throw notFound();
  return order;
};
