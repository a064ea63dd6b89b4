import type { Message } from '@boxoffice/messaging';
import type { Desk } from '../context.ts';
import { noteTicketsCancelled } from '../domain/settlement.ts';
import { countIn, note } from './record.ts';

export const TICKETS_CANCELLED = 'tickets.cancelled';

/** The cancellation knows how many tickets it cancelled, and how many stay controlled. */
export const onTicketsCancelled = (desk: Desk, message: Message): Promise<void> => {
  const { version } = message;
  const ticketsCancelled = countIn(message, 'ticketsCancelled');
  const controlled = countIn(message, 'controlled');
  return note(desk, message, (order, now) =>
    noteTicketsCancelled(order, { version, ticketsCancelled, controlled }, now),
  );
};
