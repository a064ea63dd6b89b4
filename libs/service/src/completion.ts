import { type Logger, repeat } from '@boxoffice/runtime';
import { type Collection, type Document, rewrite, type Store } from '@boxoffice/store';
import type { Closable } from './definition.ts';

/** Instances of the last release may write documents without the member, until the last one has ended. Milliseconds. */
const EVERY_MS = 600_000;

/** Longer than most installations need; two instances at once do no harm. */
const LEASE_MS = 3_600_000;

/**
 * Stores a member that documents of earlier releases lack, which the collection's `upgrade` gives them, so that queries
 * find them by it. An index over all institutions begins with the member.
 */
export const startCompletion = <T extends Document>(
  store: Store,
  collection: Collection<T>,
  member: string,
  log: Pick<Logger, 'warn'>,
): Closable => {
  const documents = store.collection(collection).acrossInstitutions;
  const run = async (): Promise<void> => {
    const lacking = await documents.find({ where: { [member]: null }, limit: 1 });
    if (lacking.length > 0 && (await store.lease(`complete ${collection.name}`, LEASE_MS)))
      await rewrite(store, collection);
  };
  const failed = (error: unknown) =>
    log.warn('documents of an earlier release could not all be completed', { error, collection: collection.name });
  return repeat(run, { everyMs: EVERY_MS, atOnce: true, failed });
};
