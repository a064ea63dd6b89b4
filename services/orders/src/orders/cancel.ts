import { notFound } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { cancel, PERFORMANCE_CANCELLED } from '../domain/cancellation.ts';
import { accept } from '../domain/order/decision.ts';
import { type Command, decided, runCommand } from '../steps/command.ts';
import { attempt, type Rule, targetOf } from '../steps/write.ts';
import type { OrderDocument } from '../store.ts';

/** Decides whether an order is cancelled, like {@link cancel}. */
export type CancelRule = typeof cancel<OrderDocument>;

/**
 * Cancels an order in any live state in one durable write; tickets and places follow by events. The tickets service
 * has one second to name the controlled tickets; after that the control state recorded in the order decides. @throws
 * Fault for each refusal of the rules
 */
export const cancelOrder = async (
  context: OrdersContext,
  command: Command,
  { reason, override, rule = cancel }: { reason: string | null; override: boolean; rule?: CancelRule },
): Promise<OrderDocument> => {
  const { institution, orderId } = command;
  const found = await context.orders.of(institution).get(orderId);
  if (!found) throw notFound();
  const mayHaveControlled = found.state === 'confirmed' && !override;
  const controlled = mayHaveControlled ? await context.tickets.controlled(institution, orderId) : undefined;
  const how = { reason, override, controlled: controlled ? controlled.length : null };
  const { order } = await runCommand(context, command, (current, now) => rule(current, how, now));
  return order;
};

/** Cancels an order, unless it has ended. @throws Fault for each other refusal of the rules */
export const cancelUnlessEnded = async (
  context: OrdersContext,
  command: Command,
  reason: string | null,
): Promise<OrderDocument> => {
  const how = { reason, override: false, controlled: null };
  const { order } = await runCommand(context, command, (current, now) =>
    current.state === 'expired' || current.state === 'cancelled' ? accept(current) : cancel(current, how, now),
  );
  return order;
};

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
      ? cancel(current, { reason: PERFORMANCE_CANCELLED, override: false, controlled: 0 }, now)
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
