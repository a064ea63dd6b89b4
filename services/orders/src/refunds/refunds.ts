import type { OrdersContext } from '../context.ts';
import type { Refund } from '../domain/order/order.ts';
import { refund, refundOfRequest } from '../domain/refunds.ts';
import { repeatKeyOf } from '../ids.ts';
import { type Command, runCommand } from '../steps/command.ts';
import type { OrderDocument } from '../store.ts';

/** A refund as requested. */
export interface RefundRequest {
  readonly id: string;
  readonly method: string;
  readonly amount: number;
  readonly currency?: string;
  readonly reference?: string;
}

/** The refund that this request recorded, now or in an earlier attempt. */
export const refundOfCommand = (
  order: OrderDocument,
  { id }: RefundRequest,
  idempotencyRecord: Command['idempotencyRecord'],
): Refund => {
  const made =
    refundOfRequest(order, repeatKeyOf(idempotencyRecord) ?? null) ?? order.refunds.find((other) => other.id === id);
  if (!made) throw new Error('the refund is not in its order');
  return made;
};

/**
 * Records a refund, in every state; waits for a pending sale. @throws Fault `conflict`, `refund_exceeds_paid`,
 * `semantically_invalid`
 */
export const refundOrder = async (
  context: OrdersContext,
  command: Command,
  requested: RefundRequest,
): Promise<OrderDocument> => {
  const repeatKey = repeatKeyOf(command.idempotencyRecord) ?? null;
  const input = { ...requested, reference: requested.reference ?? null, repeatKey };
  const { order } = await runCommand(context, command, (current, _request, now) => refund(current, input, now), {
    knows: (current) => refundOfRequest(current, repeatKey) !== undefined,
  });
  return order;
};
