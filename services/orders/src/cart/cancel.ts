import { Fault } from '@boxoffice/envelope';
import { RefusedOrder } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { cancel } from '../domain/cancellation.ts';
import { cancelByShopper } from '../domain/checkout.ts';
import { refuse } from '../domain/order/decision.ts';
import type { State } from '../domain/order/order.ts';
import { derivedId } from '../ids.ts';
import { type CancelRule, cancelOrder } from '../orders/cancel.ts';
import type { Target } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';

/**
 * Cancels an order for its shopper, durably; a repeat of the request answers the same. @throws Fault `not_found`
 * (also for carts), or a refusal of the rules
 */
export const cancelForShopper = (
  context: OrdersContext,
  target: Target,
  requestId: string,
  { reason, until }: { readonly reason: string | null; readonly until?: number | undefined },
): Promise<OrderDocument> => {
  const request = derivedId('req', 'cancellation', target.orderId, requestId);
  const rule: CancelRule = (order, how, now) => cancelByShopper(order, { ...how, until }, now);
  return cancelOrder(context, { ...target, request }, { reason, override: false, rule });
};

/**
 * Cancels a cart or an order whose checkout met an unforeseen error; idempotent. `cancelled` is true only once that
 * is durable; `state` is null if there is no order. After `notAfter` (epoch milliseconds) nothing is cancelled: by then the caller has reported a failure,
 * and a repeated checkout may have succeeded. @throws Fault `service_unavailable`
 */
export const cancelAfterFault = async (
  context: OrdersContext,
  target: Target,
  notAfter: number,
): Promise<{ readonly cancelled: boolean; readonly state: State | null }> => {
  const rule: CancelRule = (order, how, now) =>
    now > notAfter ? refuse('wrong_state', 'It is too late to cancel what the fault left.') : cancel(order, how, now);
  const how = { reason: 'an unforeseen error at the checkout', override: false, rule };
  try {
    const { state } = await cancelOrder(context, { ...target, appliesTo: 'both' }, how);
    return { cancelled: state === 'cancelled', state };
  } catch (error) {
    const isOver = error instanceof Fault && error.code === 'not_found';
    if (!isOver && !(error instanceof RefusedOrder && error.http === 412)) throw error;
    const state = (await context.orders.of(target.institution).get(target.orderId))?.state ?? null;
    return { cancelled: state === 'cancelled', state };
  }
};
