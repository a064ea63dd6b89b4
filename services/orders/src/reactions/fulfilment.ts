// Reactions to the facts of other services, one file per fact.

import { type Message, Unreadable } from '@boxoffice/messaging';
import type { OrdersContext } from '../context.ts';
import { onPlacesReleased, PLACES_RELEASED } from './places-released.ts';
import { onTicketControl, TICKET_CONTROL_REVERTED, TICKET_CONTROLLED } from './ticket-control.ts';
import { onTicketReplaced, TICKET_REPLACED } from './ticket-replaced.ts';
import { onTicketsCancelled, TICKETS_CANCELLED } from './tickets-cancelled.ts';

const reactions: Readonly<Record<string, (context: OrdersContext, message: Message) => Promise<void>>> = {
  [TICKETS_CANCELLED]: onTicketsCancelled,
  [PLACES_RELEASED]: onPlacesReleased,
  [TICKET_CONTROLLED]: onTicketControl,
  [TICKET_CONTROL_REVERTED]: onTicketControl,
  [TICKET_REPLACED]: onTicketReplaced,
};

/**
 * Events about an order's tickets and places: they share one queue, so that the events of one order keep their
 * sequence.
 */
export const onFulfilment = async (context: OrdersContext, message: Message): Promise<void> => {
  const react = reactions[message.type];
  if (!react) throw new Unreadable(`no reaction handles ${message.type}`);
  await react(context, message);
};
