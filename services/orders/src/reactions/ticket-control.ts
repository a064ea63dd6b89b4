import type { Message } from '@boxoffice/messaging';
import type { Desk } from '../context.ts';
import { noteControlled, noteReverted } from '../domain/tickets.ts';
import { note, textIn } from './record.ts';

export const TICKET_CONTROLLED = 'ticket.controlled';
export const TICKET_CONTROL_REVERTED = 'ticket.control_reverted';

/** The order knows whether it may still be cancelled, also while tickets is down. */
export const onTicketControl = (desk: Desk, message: Message): Promise<void> => {
  const fact = { ticketId: textIn(message, 'ticketId'), version: message.version };
  const rule = message.type === TICKET_CONTROLLED ? noteControlled : noteReverted;
  return note(desk, message, (order) => rule(order, fact));
};
