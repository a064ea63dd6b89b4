import { id } from '@boxoffice/http';
import type { Message } from '@boxoffice/messaging';
import type { Store } from '@boxoffice/store';
import { Type } from 'typebox';
import { contextOf } from '../context.ts';
import { publishReleased, releaseNamed } from '../stock/releases.ts';
import { reading, someIds } from './reader.ts';

/** The tickets of a cancelled order were cancelled: releases their places, but not those of controlled tickets. */
export const onTicketsCancelled = (store: Store) => {
  const read = reading(Type.Object({ orderId: id, placeIds: someIds, keptPlaceIds: someIds }));
  return async (message: Message): Promise<void> => {
    const { orderId, placeIds, keptPlaceIds } = read(message);
    const context = contextOf(store, message.institution);
    await releaseNamed(context.collections, orderId, placeIds, keptPlaceIds);
    await publishReleased(context, { orderId, cause: 'tickets.cancelled', placeIds });
  };
};
