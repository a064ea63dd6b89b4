import type { Message } from '@boxoffice/messaging';
import type { Store } from '@boxoffice/store';
import { Type } from 'typebox';
import { contextOf } from '../context.ts';
import { abandon } from '../stock/abandoned.ts';
import { releaseEarlier } from '../stock/releases.ts';
import { orderId, reading } from './reader.ts';

/**
 * An order expired: what it had until then is free. A sale that was under way is undone, too; but a late payment may have held the places
 * again before this message came, and then they stay. Nobody waits for numbers, so nothing is told.
 */
export const onOrderExpired = (store: Store) => {
  const read = reading(Type.Object({ orderId }));
  return async (message: Message): Promise<void> => {
    const { orderId } = read(message);
    const { collections, now } = contextOf(store, message.institution);
    await abandon(collections, { holder: orderId, asOf: message.version }, now());
    await releaseEarlier(collections, orderId, message.version);
  };
};
