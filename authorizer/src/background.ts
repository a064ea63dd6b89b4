import type { Logger } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import type { Authorizer } from './authorizer.ts';
import { KEY_REFRESH_MS } from './domain/key-life.ts';

const SWEEP_MS = 60_000;

/** Calls `task` every so often, never twice at once; a failure is logged and the next turn comes all the same. */
const every = (ms: number, task: () => Promise<unknown>, failed: (error: unknown) => void) => {
  let running: Promise<unknown> = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    running = task()
      .catch(failed)
      .finally(() => {
        busy = false;
      });
  }, ms);
  return async (): Promise<void> => {
    clearInterval(timer);
    await running;
  };
};

/** What an instance does beside requests: it reads the keys again, and one of all instances drops expired revocations. */
export const startBackground = (authorizer: Authorizer, store: Store, logger: Pick<Logger, 'error'>) => {
  const stopKeys = every(
    KEY_REFRESH_MS,
    () => authorizer.keys.load(),
    (error) => logger.error('the signing keys could not be read', { error }),
  );
  const stopSweep = every(
    SWEEP_MS,
    async () => {
      if (await store.lease('sweep', SWEEP_MS)) await authorizer.sweep();
    },
    (error) => logger.error('the sweep of revocations failed', { error }),
  );
  return {
    close: async (): Promise<void> => {
      await Promise.all([stopKeys(), stopSweep()]);
      await authorizer.close();
    },
  };
};
