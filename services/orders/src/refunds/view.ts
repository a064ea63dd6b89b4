import type { Static } from 'typebox';
import type { Order, Refund } from '../domain/order/order.ts';
import { seesReferences } from '../payments/view.ts';
import type * as schemas from '../schemas.ts';
import { instant } from '../time.ts';

/** A refund as it is answered; `reference` is shown as in a payment. */
export const refundView = (
  { id: orderId }: Pick<Order, 'id'>,
  refund: Refund,
  scopes: readonly string[],
): Static<typeof schemas.Refund> => ({
  id: refund.id,
  orderId,
  amount: refund.amount,
  currency: refund.currency,
  method: refund.method,
  ...(seesReferences(scopes) ? { reference: refund.reference } : {}),
  createdAt: instant(refund.createdAt),
});
