import { id } from '@boxoffice/http';
import type { Message } from '@boxoffice/messaging';
import type { Store } from '@boxoffice/store';
import { Type } from 'typebox';
import { contextOf } from '../context.ts';
import { releaseEarlier } from '../stock/releases.ts';
import { reading } from './reader.ts';

/**
 * An order expired: the places of its earlier versions are released, also those of a sale in progress. Places that a
 * late payment has held again since then stay. No service needs the result, so no event is published.
 */
export const onOrderExpired = (store: Store) => {
  const read = reading(Type.Object({ orderId: id }));
  return async (message: Message): Promise<void> => {
    const { orderId } = read(message);
    const { collections } = contextOf(store, message.institution);
    await releaseEarlier(collections, orderId, message.version);
  };
};
