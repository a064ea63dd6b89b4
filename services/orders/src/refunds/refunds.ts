import type { OrdersContext } from '../context.ts';
import { hasRefund, refund } from '../domain/refunds.ts';
import { type Command, runCommand } from '../steps/command.ts';
import type { OrderDocument } from '../store.ts';

/** A refund as requested. */
export interface RefundRequest {
  /** The same for a repeat of the request. */
  readonly id: string;
  readonly method: string;
  readonly amount: number;
  readonly currency?: string;
  readonly reference?: string;
}

/**
 * Records a refund, in every state; sells an order first whose sale is due. @throws Fault `conflict`, `refund_exceeds_paid`,
 * `semantically_invalid`
 */
export const refundOrder = async (
  context: OrdersContext,
  command: Command,
  requested: RefundRequest,
): Promise<OrderDocument> => {
  const input = { ...requested, reference: requested.reference ?? null };
  const { order } = await runCommand(context, command, (current, now) => refund(current, input, now), {
    isMade: (current) => hasRefund(current, requested.id),
  });
  return order;
};
