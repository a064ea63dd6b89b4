import type { OrdersContext } from '../context.ts';
import { refundCredit } from '../domain/provider-refunds.ts';
import { deriveId } from '../ids.ts';
import type { OrderDocument } from '../store.ts';

/**
 * Requests the refunds of the credit that is due, where the point of sale does so by itself; idempotent. @throws Fault
 * `service_unavailable`
 */
export async function refundDueCredit(
  context: OrdersContext,
  order: OrderDocument,
): Promise<OrderDocument | undefined> {
  const { institution, id, pointOfSale, creditDue } = order;
  if (!creditDue) return order;
  const isOn = pointOfSale === null || (await context.stock.refundsCredit(institution, pointOfSale));
  return context.orders.of(institution).update(id, (current) => {
    // No two refunds of an order have been recorded after as many others.
    const deriveRefundId = (paymentId: string) => deriveId('ref', id, paymentId, String(current.refunds.length));
    const { next, facts } = refundCredit(current, { isOn, deriveRefundId }, context.now());
    return next === current ? undefined : { next, events: facts };
  });
}
