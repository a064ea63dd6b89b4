import type { Store } from '@boxoffice/store';
import { type SessionDocument, users } from '../store.ts';

/** What logged-in users bought for another contact than their own. */
export interface Purchases {
  /** Notes that the session's user buys this order; again, or without a user: no effect. */
  add(session: SessionDocument, orderId: string): Promise<void>;
  /** Ids of the orders that the session's user bought so; none without a user. */
  of(session: SessionDocument): Promise<readonly string[]>;
}

/** A user sees so many of them, the last ones: with those of a session as many as one question to orders may name. */
const MOST = 300;

const NONE: readonly string[] = [];

/** Makes the memory of it: with the user, so that it goes with the user. */
export const createPurchases = (store: Pick<Store, 'collection'>): Purchases => {
  const all = store.collection(users);
  return {
    async add({ institution, userId }, orderId) {
      if (userId === null) return;
      await all.of(institution).update(userId, (user) => {
        const { orderIds = NONE } = user;
        return orderIds.includes(orderId)
          ? undefined
          : { next: { ...user, orderIds: [...orderIds, orderId].slice(-MOST) } };
      });
    },
    async of({ institution, userId }) {
      return userId === null ? NONE : ((await all.of(institution).get(userId))?.orderIds ?? NONE);
    },
  };
};
