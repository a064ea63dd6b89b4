import type { OrdersContext } from '../context.ts';
import { beginConfirm } from '../domain/confirmation.ts';
import { type Command, runCommand } from '../steps/command.ts';
import { sell } from '../steps/sell.ts';
import { whileOwningStep } from '../steps/step-ownership.ts';
import type { OrderDocument } from '../store.ts';

/**
 * Sells by the order's pending step `confirm`, if it has one. If the catalog does not answer, the step stays for
 * recovery.
 */
export const sellPending = async (
  context: OrdersContext,
  order: OrderDocument,
  idempotencyRecord: Command['idempotencyRecord'],
): Promise<OrderDocument> => {
  const pending = order.pendingStep;
  if (pending?.step !== 'confirm') return order;
  // Without an answer the sale may have happened: only selling again finds out, which is idempotent.
  return whileOwningStep(context, order, () => sell(context, order, pending, idempotencyRecord));
};

/**
 * Confirms an order that is paid, free of charge or on account. @throws Fault for each refusal of the rules;
 * `service_unavailable`: the order may still be confirmed by recovery
 */
export const confirmOrder = async (
  context: OrdersContext,
  command: Command,
  onAccount: boolean,
): Promise<OrderDocument> => {
  const { order, done } = await runCommand(context, command, (current, request, now) =>
    beginConfirm(current, { request, onAccount }, now),
  );
  return done ? order : sellPending(context, order, command.idempotencyRecord);
};
