// Reactions to the facts of other services, one file per fact.

import { type Message, Unreadable } from '@boxoffice/messaging';
import type { Context } from '../context.ts';
import { deliveries } from '../domain/order.ts';
import { isOrderedTicket, orderedTicketOf } from '../issue/confirmation.ts';
import { issue } from '../issue/issue.ts';

export const ORDER_CONFIRMED = 'order.confirmed';

/** The members of the event that are used here. */
interface OrderConfirmed {
  readonly orderId: string;
  readonly contactNumber: string | null;
  readonly pointOfSale: string | null;
  readonly ticketDelivery?: string;
  readonly callFollows?: boolean;
  readonly tickets: readonly unknown[];
}

/**
 * An order was confirmed: issues the tickets that the direct call has not issued, unless the call follows with the
 * names, and updates a changed buyer.
 */
export const onOrderConfirmed = async (context: Context, message: Message): Promise<void> => {
  const {
    orderId,
    contactNumber = null,
    pointOfSale,
    ticketDelivery,
    callFollows,
    tickets,
  } = message.data as Partial<OrderConfirmed>;
  if (typeof orderId !== 'string' || !Array.isArray(tickets) || !tickets.every(isOrderedTicket)) {
    throw new Unreadable('order.confirmed needs orderId, and of each ticket its ids, its place and its price');
  }
  const ordered = tickets.map(orderedTicketOf);
  await issue(context, message.institution, {
    orderId,
    version: message.version,
    contactNumber,
    pointOfSale,
    ticketDelivery: deliveries.find((known) => known === ticketDelivery),
    tickets: ordered,
    // Otherwise nothing is missing: the order names nobody.
    ...(callFollows === true ? { callFollows } : { named: true }),
  });
};
