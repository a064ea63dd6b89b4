import { type Logger, repeat } from '@boxoffice/runtime';
import { type Collection, type Document, type Query, rewrite, type Store } from '@boxoffice/store';
import type { Closable } from './definition.ts';

const EVERY_MS = 600_000;

/** Longer than most installations need; two instances at once do no harm. */
const LEASE_MS = 3_600_000;

/** So that queries and due work find documents that instances of an earlier release wrote, and go on to write. */
export function startCompletion<T extends Document>(
  store: Store,
  collection: Collection<T>,
  old: Pick<Query, 'where' | 'index'>,
  log: Pick<Logger, 'warn'>,
): Closable {
  const documents = store.collection(collection).acrossInstitutions;
  const run = async (): Promise<void> => {
    const found = await documents.find({ ...old, limit: 1 });
    if (found.length > 0 && (await store.lease(`complete ${collection.name}`, LEASE_MS)))
      await rewrite(store, collection, old);
  };
  const logFailure = (error: unknown) =>
    log.warn('documents of an earlier release could not all be completed', { error, collection: collection.name });
  return repeat(run, { everyMs: EVERY_MS, atOnce: true, failed: logFailure });
}
