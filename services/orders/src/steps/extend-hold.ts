import type { IdempotencyRecord } from '@boxoffice/store';
import type { OrdersContext } from '../context.ts';
import { extended, failExtension } from '../domain/hold.ts';
import type { ExtendStep } from '../domain/order/pending-step.ts';
import type { OrderDocument } from '../store.ts';
import { ifOwned, stepStock } from './stock.ts';
import { finish, recordRecovered, targetOf } from './write.ts';

/**
 * Executes a pending step `extend`: extends the hold, then writes its effect on the order. @throws Fault
 * `precondition_failed` if places are gone; `service_unavailable` if the catalog does not answer: the step stays
 * pending
 */
export const holdLonger = async (
  context: OrdersContext,
  order: OrderDocument,
  pending: ExtendStep,
  {
    idempotencyRecord,
    recovered,
  }: { idempotencyRecord?: IdempotencyRecord<OrderDocument> | undefined; recovered?: boolean } = {},
): Promise<OrderDocument> => {
  const { request, until } = pending;
  const placeIds = order.lines.map(({ place }) => place.id);
  const { missing } = placeIds.length === 0 ? { missing: [] } : await stepStock(context, order).extend(until, placeIds);
  const remembered = (current: OrderDocument) => (recovered ? recordRecovered(current, request) : current);
  const end =
    missing.length === 0
      ? (current: OrderDocument, now: number) => extended(remembered(current), { request }, now)
      : ifOwned(order, (current, now) => failExtension(remembered(current), { request }, now));
  return finish(context, targetOf(order), end, idempotencyRecord);
};
