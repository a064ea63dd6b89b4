import type { Message } from '@boxoffice/messaging';
import type { OrdersContext } from '../context.ts';
import { recordTicketsCancelled } from '../domain/settlement.ts';
import { applyEvent } from './apply-event.ts';
import { countIn } from './event-data.ts';

export const TICKETS_CANCELLED = 'tickets.cancelled';

/** tickets.cancelled: records in the cancellation how many tickets were cancelled, and how many stay controlled. */
export const onTicketsCancelled = (context: OrdersContext, message: Message): Promise<void> => {
  const { version } = message;
  const ticketsCancelled = countIn(message, 'ticketsCancelled');
  const controlled = countIn(message, 'controlled');
  return applyEvent(context, message, (order, now) =>
    recordTicketsCancelled(order, { version, ticketsCancelled, controlled }, now),
  );
};
