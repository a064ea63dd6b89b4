import { type Asking, command } from './command.ts';
import type { Desk } from './desk.ts';
import { beginConfirm } from './domain/confirmation.ts';
import { isUnavailable } from './faults.ts';
import { letGo } from './recover.ts';
import { sell } from './sell.ts';
import type { OrderDocument } from './store.ts';

/** Does what the order's mark announces, if it has one to sell by; leaves the mark to the next one who comes if the catalog does not answer. */
export const sellMarked = async (desk: Desk, order: OrderDocument, stamp: Asking['stamp']): Promise<OrderDocument> => {
  if (order.begun?.step !== 'confirm') return order;
  try {
    return await sell(desk, order, order.begun, { stamp });
  } catch (error) {
    // Whether it was sold is not known: only selling it again finds out.
    if (isUnavailable(error)) await letGo(desk, order);
    throw error;
  }
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
