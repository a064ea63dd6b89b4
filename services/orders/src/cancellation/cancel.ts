import type { OrdersContext } from '../context.ts';
import { cancel } from '../domain/cancellation.ts';
import type { Decision } from '../domain/order/decision.ts';
import { notFound } from '../faults.ts';
import { type Command, runCommand } from '../steps/command.ts';
import type { OrderDocument } from '../store.ts';

interface CancelOptions {
  readonly reason: string | null;
  readonly override: boolean;
  /** The rule that decides; by default the one of every order. */
  readonly rule?: (
    order: OrderDocument,
    how: { readonly reason: string | null; readonly override: boolean; readonly controlled: number | null },
    now: number,
  ) => Decision<OrderDocument>;
}

/**
 * Cancels an order in any live state in one durable write; tickets and places follow by events. The tickets service
 * has one second to name the controlled tickets; after that the control state recorded in the order decides. @throws
 * Fault for each refusal of the rules
 */
export const cancelOrder = async (
  context: OrdersContext,
  command: Command,
  { reason, override, rule = cancel }: CancelOptions,
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
