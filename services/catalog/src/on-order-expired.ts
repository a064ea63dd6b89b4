import type { Message } from '@boxoffice/messaging';
import type { Store } from '@boxoffice/store';
import { Type } from 'typebox';
import { orderId, reading } from './facts.ts';
import { freeEarlier } from './releases.ts';
import { shelfOf } from './store.ts';

/**
 * An order expired: what it had until then is free. A sale that was under way is undone, too; but a late payment may have held the places
 * again before this message came, and then they stay. Nobody waits for numbers, so nothing is told.
 */
export const onOrderExpired = (store: Store) => {
  const read = reading(Type.Object({ orderId }));
  return async (message: Message): Promise<void> => {
    await freeEarlier(shelfOf(store, message.institution), read(message).orderId, message.version);
  };
};
