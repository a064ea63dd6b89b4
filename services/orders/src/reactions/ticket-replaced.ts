import type { Message } from '@boxoffice/messaging';
import type { OrdersContext } from '../context.ts';
import { recordReplacement } from '../domain/tickets.ts';
import { applyEvent } from './apply-event.ts';
import { textIn } from './event-data.ts';

export const TICKET_REPLACED = 'ticket.replaced';

/** ticket.replaced: records the new ticket in the order's line. */
export const onTicketReplaced = (context: OrdersContext, message: Message): Promise<void> => {
  const fact = {
    lineId: textIn(message, 'lineId'),
    ticketId: textIn(message, 'ticketId'),
    replaces: textIn(message, 'replaces'),
  };
  return applyEvent(context, message, (order, now) => recordReplacement(order, fact, now));
};
