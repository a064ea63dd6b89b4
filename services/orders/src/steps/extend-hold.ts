import type { OrdersContext } from '../context.ts';
import { extended, failExtension } from '../domain/hold.ts';
import type { ExtendStep } from '../domain/order/pending-step.ts';
import type { OrderDocument } from '../store.ts';
import { ifOwned, stepStock } from './stock.ts';
import { type Ending, finish, type Rule, targetOf } from './write.ts';

/**
 * Executes a pending step `extend`: extends the hold, then writes its effect on the order. @throws Fault
 * `precondition_failed` if places are gone; `service_unavailable` if the catalog does not answer: the step stays
 * pending
 */
export const holdLonger = async (
  context: OrdersContext,
  order: OrderDocument,
  pending: ExtendStep,
  idempotencyRecord?: Ending['idempotencyRecord'],
): Promise<OrderDocument> => {
  const { request, until } = pending;
  const placeIds = order.lines.map(({ place }) => place.id);
  const { missing } = placeIds.length === 0 ? { missing: [] } : await stepStock(context, order).extend(until, placeIds);
  const end: Rule =
    missing.length === 0
      ? (current, now) => extended(current, { request }, now)
      : ifOwned(order, (current, now) => failExtension(current, { request }, now));
  return finish(context, targetOf(order), end, { request, idempotencyRecord });
};
