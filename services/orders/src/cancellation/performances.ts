import type { OrdersContext } from '../context.ts';
import { cancel } from '../domain/cancellation.ts';
import { accept } from '../domain/order/decision.ts';
import { decided } from '../steps/command.ts';
import { attempt, type Rule, targetOf } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';

const REASON = 'the performance was cancelled';

/**
 * Cancels an order if it is live and has a place of one of these performances. A controlled ticket does not prevent this:
 * it stays controlled and its place stays sold.
 */
export const cancelOfPerformances = async (
  context: OrdersContext,
  order: OrderDocument,
  performanceIds: readonly string[],
): Promise<void> => {
  const rule: Rule = (current, now) =>
    current.performanceIds.some((id) => performanceIds.includes(id))
      ? cancel(current, { reason: REASON, override: false, controlled: 0 }, now)
      : accept(current);
  await decided(context, targetOf(order), () => attempt(context, targetOf(order), rule));
};

/**
 * Cancels an order whose performance was cancelled while its places were being held: the fact has searched the orders
 * before this one was written. Call it after the write, whose answer stays: either the search or this finds the other.
 */
export const cancelIfOver = async (context: OrdersContext, order: OrderDocument): Promise<void> => {
  const { institution, performanceIds } = order;
  const where = { id: { in: performanceIds } };
  const cancelled = await context.cancelledPerformances.of(institution).find({ where });
  if (cancelled.length > 0)
    await cancelOfPerformances(
      context,
      order,
      cancelled.map(({ id }) => id),
    );
};
