import { Fault } from '@boxoffice/envelope';
import { RefusedOrder } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { cancel } from '../domain/cancellation.ts';
import { cancelByShopper } from '../domain/checkout.ts';
import { refuse } from '../domain/order/decision.ts';
import type { State } from '../domain/order/order.ts';
import { derivedId } from '../ids.ts';
import { cancelOrder } from '../orders/cancel.ts';
import type { Command } from '../steps/command.ts';
import type { Target } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';

const AFTER_FAULT = 'an unforeseen error at the checkout';

/**
 * Cancels an order for its shopper, durably; a repeat of the request answers the same. @throws Fault `not_found`
 * (also for carts), or a refusal of the rules
 */
export const cancelForShopper = (
  context: OrdersContext,
  { institution, orderId }: Target,
  requestId: string,
  { reason, until }: { readonly reason: string | null; readonly until?: number | undefined },
): Promise<OrderDocument> => {
  const request = derivedId('req', 'cancellation', orderId, requestId);
  const command: Command = { institution, orderId, ifMatch: () => undefined, request };
  const rule: NonNullable<Parameters<typeof cancelOrder>[2]['rule']> = (order, how, now) =>
    cancelByShopper(order, { ...how, until }, now);
  return cancelOrder(context, command, { reason, override: false, rule });
};

/** Whether the cancellation is durable, and the order's state; null if there is no order. */
export interface Certainty {
  readonly cancelled: boolean;
  readonly state: State | null;
}

const stateOf = async (context: OrdersContext, { institution, orderId }: Target): Promise<State | null> => {
  const order = await context.orders.of(institution).get(orderId);
  return order?.state ?? null;
};

/**
 * Cancels a cart or an order whose checkout met an unforeseen error; idempotent. `cancelled` is true only once that
 * is durable. After `notAfter` (epoch milliseconds) nothing is cancelled: by then the caller has reported a failure,
 * and a repeated checkout may have succeeded. @throws Fault `service_unavailable`
 */
export const cancelAfterFault = async (
  context: OrdersContext,
  target: Target,
  notAfter: number,
): Promise<Certainty> => {
  const { institution, orderId } = target;
  const command = { institution, orderId, ifMatch: () => undefined, appliesTo: 'both' } as const;
  const rule: NonNullable<Parameters<typeof cancelOrder>[2]['rule']> = (order, how, now) =>
    now > notAfter ? refuse('wrong_state', 'It is too late to cancel what the fault left.') : cancel(order, how, now);
  try {
    const { state } = await cancelOrder(context, command, { reason: AFTER_FAULT, override: false, rule });
    return { cancelled: state === 'cancelled', state };
  } catch (error) {
    const isOver = error instanceof Fault && error.code === 'not_found';
    if (!isOver && !(error instanceof RefusedOrder && error.http === 412)) throw error;
    const state = await stateOf(context, target);
    return { cancelled: state === 'cancelled', state };
  }
};
