import { type Message, Unreadable } from '@boxoffice/messaging';
import { cancelTickets } from '../cancellation/cancel.ts';
import type { Context } from '../context.ts';

export const ORDER_CANCELLED = 'order.cancelled';

/** The members of the event that are used here. */
interface OrderCancelled {
  readonly orderId: string;
  readonly hadTickets: boolean;
  readonly override: boolean;
  readonly placeIds: readonly string[];
}

/** An order was cancelled: cancels its tickets. An order that was never confirmed has none. */
export const onOrderCancelled = async (context: Context, message: Message): Promise<void> => {
  const { orderId, hadTickets, override = false, placeIds } = message.data as Partial<OrderCancelled>;
  if (typeof orderId !== 'string' || typeof hadTickets !== 'boolean' || !Array.isArray(placeIds)) {
    throw new Unreadable('order.cancelled needs orderId, hadTickets and placeIds');
  }
  if (hadTickets) await cancelTickets(context, message.institution, { orderId, override, placeIds });
};
