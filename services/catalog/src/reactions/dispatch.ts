// Reactions to the facts of other services, one file per fact: they release places.

import { type Handler, Unreadable } from '@boxoffice/messaging';
import type { Store } from '@boxoffice/store';
import { onOrderCancelled } from './order-cancelled.ts';
import { onOrderExpired } from './order-expired.ts';
import { onTicketsCancelled } from './tickets-cancelled.ts';

/** Reactions to the events of the catalog's queue, by type. */
export const reactTo = (store: Store): Handler => {
  const reactions: Readonly<Record<string, Handler>> = {
    'order.cancelled': onOrderCancelled(store),
    'order.expired': onOrderExpired(store),
    'tickets.cancelled': onTicketsCancelled(store),
  };
  return async (message, attempt) => {
    const reaction = reactions[message.type];
    if (!reaction) throw new Unreadable(`the catalog has no reaction to events of type ${message.type}`);
    await reaction(message, attempt);
  };
};
