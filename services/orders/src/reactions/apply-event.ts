import type { Message } from '@boxoffice/messaging';
import type { OrdersContext } from '../context.ts';
import type { Accepted } from '../domain/order/decision.ts';
import type { OrderDocument } from '../store.ts';
import { textIn } from './event-data.ts';

/**
 * Updates the order of an event by a transition, with `now` in epoch milliseconds; the same object returned means no
 * write. Ignores events of unknown orders.
 * @throws {Unreadable} without orderId
 */
export const applyEvent = async (
  context: OrdersContext,
  message: Message,
  transition: (order: OrderDocument, now: number) => Accepted<OrderDocument>,
): Promise<void> => {
  await context.orders.of(message.institution).update(textIn(message, 'orderId'), (order) => {
    const { next, facts } = transition(order, context.now());
    return next === order ? undefined : { next, events: facts };
  });
};
