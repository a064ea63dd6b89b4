import { type Message, Unreadable } from '@boxoffice/messaging';
import type { OrdersContext } from '../context.ts';
import { type ReleaseCause, recordPlacesReleased } from '../domain/settlement.ts';
import { applyEvent } from './apply-event.ts';
import { countIn, textIn } from './event-data.ts';

export const PLACES_RELEASED = 'places.released';

const causes: readonly string[] = ['order.cancelled', 'tickets.cancelled', 'order.expired'] satisfies ReleaseCause[];

/** places.released: records in the cancellation how many places were released. */
export const onPlacesReleased = (context: OrdersContext, message: Message): Promise<void> => {
  const { version } = message;
  const placesReleased = countIn(message, 'placesReleased');
  const cause = textIn(message, 'cause');
  if (!causes.includes(cause)) throw new Unreadable(`${message.type} has an unknown cause`);
  const fact = { version, cause: cause as ReleaseCause, placesReleased };
  return applyEvent(context, message, (order, now) => recordPlacesReleased(order, fact, now));
};
