import type { Desk } from '../context.ts';
import { beginConfirm } from '../domain/confirmation.ts';
import { type Asking, command } from '../steps/command.ts';
import { sell } from '../steps/sell.ts';
import { working } from '../steps/working.ts';
import type { OrderDocument } from '../store.ts';

/** Does what the order's mark announces, if it has one to sell by; leaves the mark to the next one who comes if the catalog does not answer. */
export const sellMarked = async (desk: Desk, order: OrderDocument, stamp: Asking['stamp']): Promise<OrderDocument> => {
  const mark = order.begun;
  if (mark?.step !== 'confirm') return order;
  // If the catalog does not answer it is not known whether it was sold: only selling it again finds out.
  return working(desk, order, () => sell(desk, order, mark, { stamp }));
};

/**
 * Confirms an order that is paid, free of charge or goes on account. @throws Fault as the rules refuse,
 * `service_unavailable`: then it may be confirmed a little later
 */
export const confirmOrder = async (desk: Desk, asking: Asking, onAccount: boolean): Promise<OrderDocument> => {
  const { order, done } = await command(
    desk,
    asking,
    (current, request, now) => beginConfirm(current, { request, onAccount }, now),
    { marks: true },
  );
  return done ? order : sellMarked(desk, order, asking.stamp);
};
