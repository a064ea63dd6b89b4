import type { Store } from '@boxoffice/store';
import { type SessionDocument, users } from '../store.ts';

/** Maximum orders per user, the latest ones; with those of a session they fit into one query of orders. */
const MOST = 300;

const NONE: readonly string[] = [];

/**
 * Creates the record of the orders that logged-in users bought for a contact other than their own, stored in the
 * document of the user and deleted with it.
 */
export const createPurchases = (store: Pick<Store, 'collection'>) => {
  const all = store.collection(users);
  return {
    /** Records that the session's user buys the order; idempotent, and without effect for a guest. */
    async add({ institution, userId }: SessionDocument, orderId: string): Promise<void> {
      if (userId === null) return;
      await all.of(institution).update(userId, (user) => {
        const { orderIds = NONE } = user;
        return orderIds.includes(orderId)
          ? undefined
          : { next: { ...user, orderIds: [...orderIds, orderId].slice(-MOST) } };
      });
    },

    /** Ids of these orders of the session's user; empty for a guest. */
    async of({ institution, userId }: SessionDocument): Promise<readonly string[]> {
      return userId === null ? NONE : ((await all.of(institution).get(userId))?.orderIds ?? NONE);
    },
  };
};

export type Purchases = ReturnType<typeof createPurchases>;
