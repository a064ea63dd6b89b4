import { Fault } from '@boxoffice/envelope';
import { RefusedOrder } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { refusals, type ShopReason } from '../domain/refusals.ts';
import type { Target } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';

/** The outcome of a visitor's request: the order after it, and the refusal if it was refused. */
export interface Outcome {
  readonly order: OrderDocument | undefined;
  readonly refusal?: { readonly reason: ShopReason; readonly details: string };
}

/**
 * Runs a visitor's request and returns a refusal as data. `isDone` says whether the order already has the effect of
 * this request: then two attempts met, and the slower one failed harmlessly. @throws Fault for every error that is
 * not a refusal, or whose reason is not one of the shop's
 */
export const outcomeOf = async (
  context: Pick<OrdersContext, 'orders'>,
  { institution, orderId }: Target,
  act: () => Promise<OrderDocument>,
  isDone: (order: OrderDocument) => boolean = () => false,
): Promise<Outcome> => {
  try {
    return { order: await act() };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const order = await context.orders.of(institution).get(orderId);
    if (order && isDone(order) && (error.code === 'conflict' || error.code === 'service_unavailable')) return { order };
    const reason = error instanceof RefusedOrder ? refusals[error.reason].shopReason : null;
    if (!reason) throw error;
    return { order, refusal: { reason, details: error.details } };
  }
};
