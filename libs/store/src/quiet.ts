import type { Store } from './port.ts';

/** Milliseconds without a write of any process; 0 at the first call, and always where the engine has no revision. */
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

/** Skips the task once it has succeeded and nothing has been written for `settledMs`; never one that fails. */
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
