import type { Message } from '@boxoffice/messaging';
import type { Desk } from '../context.ts';
import { noteReplaced } from '../domain/tickets.ts';
import { note, textIn } from './record.ts';

export const TICKET_REPLACED = 'ticket.replaced';

/** The order's line names the new ticket. */
export const onTicketReplaced = (desk: Desk, message: Message): Promise<void> => {
  const fact = {
    lineId: textIn(message, 'lineId'),
    ticketId: textIn(message, 'ticketId'),
    replaces: textIn(message, 'replaces'),
  };
  return note(desk, message, (order, now) => noteReplaced(order, fact, now));
};
