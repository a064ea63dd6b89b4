import { type Message, Unreadable } from '@boxoffice/messaging';
import { cancelTickets, type OrderCancelled } from '../cancellation/cancel.ts';
import type { Context } from '../context.ts';

/** An order was cancelled: cancels its tickets. An order that was never confirmed has none. */
export const onOrderCancelled = async (context: Context, message: Message): Promise<void> => {
  const {
    orderId,
    hadTickets,
    override = false,
    placeIds,
  } = message.data as Partial<OrderCancelled & { readonly hadTickets: boolean }>;
  if (typeof orderId !== 'string' || typeof hadTickets !== 'boolean' || !Array.isArray(placeIds)) {
    throw new Unreadable('order.cancelled needs orderId, hadTickets and placeIds');
  }
  if (hadTickets) await cancelTickets(context, message.institution, { orderId, override, placeIds });
};
