import type { Store } from './port.ts';

/**
 * Returns for how long nothing has been written to the store, by whichever process, as far as calls of it tell: in
 * milliseconds; 0 at the first call, and always where the engine has no revision.
 */
export function createQuiet(store: Pick<Store, 'revision'>): () => number {
  let seen: number | undefined;
  let since = 0;
  return () => {
    const revision = store.revision();
    const now = performance.now();
    if (revision === undefined || revision !== seen) since = now;
    seen = revision;
    return now - since;
  };
}

/**
 * Wraps a task that looks in the store for what others have written, or for what is due some time after a write: it is
 * skipped once it has succeeded and nothing has been written for `settledMs`. A task that fails is never skipped.
 */
export function skipWhenQuiet(
  store: Pick<Store, 'revision'>,
  settledMs: number,
  task: () => Promise<unknown>,
): () => Promise<void> {
  const quietMs = createQuiet(store);
  let succeeded = false;
  return async () => {
    // Asked before the task: what is written meanwhile is found by the next one.
    if (quietMs() > settledMs && succeeded) return;
    succeeded = false;
    await task();
    succeeded = true;
  };
}
