import { Fault } from '@boxoffice/envelope';
import type { OrdersContext } from '../context.ts';
import { expire } from '../domain/order/expiry.ts';
import type { OrderDocument } from '../store.ts';
import { sell } from './sell.ts';
import { whileOwningStep } from './step-ownership.ts';
import { attempt, type Target } from './write.ts';

/**
 * Sells by the pending step `confirm` that followed from what the order has paid, if it has one. The request asked for
 * something else, so it does not fail with the sale: places that are gone are recorded, and without an answer of the
 * catalog the step is left to recovery.
 */
export const sellPaid = async (context: OrdersContext, order: OrderDocument): Promise<OrderDocument> => {
  const { pendingStep: pending, institution, id } = order;
  if (pending?.step !== 'confirm') return order;
  try {
    return await whileOwningStep(context, order, () => sell(context, order, pending));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return (await context.orders.of(institution).get(id)) ?? order;
  }
};

/** Ends an order past due: sells it if it is paid in full, else writes its expiry. Returns the order after it. */
export const expireNow = async (context: OrdersContext, target: Target): Promise<OrderDocument> => {
  const outcome = await attempt(context, target, expire);
  return 'refused' in outcome ? outcome.order : sellPaid(context, outcome.order);
};
