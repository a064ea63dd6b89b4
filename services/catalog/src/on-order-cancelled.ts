import type { Message } from '@boxoffice/messaging';
import type { Store } from '@boxoffice/store';
import { Type } from 'typebox';
import { contextOf } from './context.ts';
import { orderId, reading, someIds } from './facts.ts';
import { freeAll, tellReleased } from './releases.ts';

/**
 * An order was cancelled: without tickets, all that it has is released, also what the message does not name. With tickets nothing is done
 * yet: which places are free is known once tickets has said which tickets stay.
 */
export const onOrderCancelled = (store: Store) => {
  const read = reading(Type.Object({ orderId, hadTickets: Type.Boolean(), placeIds: someIds }));
  return async (message: Message): Promise<void> => {
    const { orderId, hadTickets, placeIds } = read(message);
    if (hadTickets) return;
    const context = contextOf(store, message.institution);
    await freeAll(context.shelf, orderId);
    await tellReleased(context, { orderId, cause: 'order.cancelled', placeIds });
  };
};
