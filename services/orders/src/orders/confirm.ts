import type { OrdersContext } from '../context.ts';
import { beginConfirm } from '../domain/confirmation.ts';
import { type Command, runCommand } from '../steps/command.ts';
import { sell } from '../steps/sell.ts';
import { working } from '../steps/working.ts';
import type { OrderDocument } from '../store.ts';

/** Does what the order's mark announces, if it has one to sell by; leaves the mark to the next one who comes if the catalog does not answer. */
export const sellMarked = async (
  context: OrdersContext,
  order: OrderDocument,
  stamp: Command['stamp'],
): Promise<OrderDocument> => {
  const pending = order.begun;
  if (pending?.step !== 'confirm') return order;
  // If the catalog does not answer it is not known whether it was sold: only selling it again finds out.
  return working(context, order, () => sell(context, order, pending, { stamp }));
};

/**
 * Confirms an order that is paid, free of charge or goes on account. @throws Fault as the rules refuse,
 * `service_unavailable`: then it may be confirmed a little later
 */
export const confirmOrder = async (
  context: OrdersContext,
  command: Command,
  onAccount: boolean,
): Promise<OrderDocument> => {
  const { order, done } = await runCommand(
    context,
    command,
    (current, request, now) => beginConfirm(current, { request, onAccount }, now),
    { startsStep: true },
  );
  return done ? order : sellMarked(context, order, command.stamp);
};
