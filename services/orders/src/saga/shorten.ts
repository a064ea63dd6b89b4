import type { Change, IdempotencyRecord } from '@boxoffice/store';
import { isUnavailable } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { isUnpaid } from '../domain/order/state.ts';
import { listStock } from '../domain/price.ts';
import type { OrderDocument } from '../store.ts';

/** After the write that ends the order's hold sooner, never before. Idempotent. @throws Fault `service_unavailable` */
export async function shortenInStock(context: OrdersContext, order: OrderDocument): Promise<void> {
  const { institution, id, lines, expiresAt, version: asOf } = order;
  if (order.shorteningDue == null || expiresAt === null || !isUnpaid(order) || lines.length === 0) return;
  const placeIds = listStock(lines);
  await context.stock.shorten(institution, id, { heldUntil: new Date(expiresAt).toISOString(), placeIds, asOf });
}

/** Writes that it is done, with the idempotency record. Without an answer of the catalog it stays due. */
export async function shortenHold(
  context: OrdersContext,
  order: OrderDocument,
  idempotencyRecord?: IdempotencyRecord<OrderDocument>,
): Promise<OrderDocument> {
  const { institution, id, shorteningDue } = order;
  if (shorteningDue == null) return order;
  const isDone = await shortenInStock(context, order).then(
    () => true,
    (error: unknown) => {
      if (!isUnavailable(error)) throw error;
      context.log.warn('the hold of places is shortened later', { error });
      return false;
    },
  );
  const finish = (current: OrderDocument): Change<OrderDocument> | undefined => {
    if (isDone && current.shorteningDue === shorteningDue) return { next: { ...current, shorteningDue: null } };
    return idempotencyRecord && { next: current };
  };
  return (await context.orders.of(institution).update(id, finish, { idempotencyRecord })) ?? order;
}
