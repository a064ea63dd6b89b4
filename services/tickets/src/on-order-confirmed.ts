import { type Message, Unreadable } from '@boxoffice/messaging';
import type { Context } from './context.ts';
import type { Wanted } from './domain/order.ts';
import { issue } from './issue.ts';

export const ORDER_CONFIRMED = 'order.confirmed';

/** The part of the fact that is used here. */
interface OrderConfirmed {
  readonly orderId: string;
  readonly contactNumber: string | null;
  readonly tickets: readonly Wanted[];
}

/** Issues what the direct call has not issued yet, and hears of a changed buyer. */
export const onOrderConfirmed = async (context: Context, message: Message): Promise<void> => {
  const { orderId, contactNumber = null, tickets } = message.data as Partial<OrderConfirmed>;
  if (typeof orderId !== 'string' || !Array.isArray(tickets)) {
    throw new Unreadable('order.confirmed needs orderId and tickets');
  }
  await issue(context, message.institution, { orderId, version: message.version, contactNumber, tickets });
};
