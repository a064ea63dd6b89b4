import { id } from '@boxoffice/http';
import type { Message } from '@boxoffice/messaging';
import type { Store } from '@boxoffice/store';
import { Type } from 'typebox';
import { contextOf } from '../context.ts';
import { publishReleased, releaseAll } from '../stock/releases.ts';
import { reading, someIds } from './reader.ts';

/**
 * An order was cancelled. Without tickets, all its places are released, also those that the event does not name. With
 * tickets, nothing is released yet: `tickets.cancelled` says which places stay with controlled tickets.
 */
export const onOrderCancelled = (store: Store) => {
  const read = reading(Type.Object({ orderId: id, hadTickets: Type.Boolean(), placeIds: someIds }));
  return async (message: Message): Promise<void> => {
    const { orderId, hadTickets, placeIds } = read(message);
    const context = contextOf(store, message.institution);
    if (hadTickets) return;
    await releaseAll(context.collections, orderId);
    await publishReleased(context, { orderId, cause: 'order.cancelled', placeIds });
  };
};
