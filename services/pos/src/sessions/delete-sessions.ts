import type { Store, Where } from '@boxoffice/store';
import { ofSession } from '../ids.ts';
import { sessions } from '../store.ts';

/**
 * Deletes the sessions that match, and their idempotency records. The records go first: after a crash in between, a
 * repeat still finds the session.
 */
export const deleteSessions = async (store: Store, institution: string, where: Where): Promise<void> => {
  const found = store.collection(sessions).of(institution);
  for (const { id } of await found.find({ where })) {
    await store.idempotency.forget(ofSession(id));
    await found.delete(id);
  }
};
