import type { Message } from '@boxoffice/messaging';
import type { OrdersContext } from '../context.ts';
import { recordControl, recordControlReverted } from '../domain/tickets.ts';
import { applyEvent } from './apply-event.ts';
import { textIn } from './event-data.ts';

export const TICKET_CONTROLLED = 'ticket.controlled';
export const TICKET_CONTROL_REVERTED = 'ticket.control_reverted';

/**
 * ticket.controlled and ticket.control_reverted: the order records them, so that a cancellation can be decided while
 * the tickets service is down.
 */
export const onTicketControl = (context: OrdersContext, message: Message): Promise<void> => {
  const fact = { ticketId: textIn(message, 'ticketId'), version: message.version };
  const transition = message.type === TICKET_CONTROLLED ? recordControl : recordControlReverted;
  return applyEvent(context, message, (order) => transition(order, fact));
};
