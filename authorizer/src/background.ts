import type { Logger } from '@boxoffice/runtime';
import type { Authorizer } from './authorizer.ts';
import { KEY_REFRESH_MS } from './domain/key-life.ts';

/** Calls `task` at an interval, never concurrently; a failure is logged and does not stop the interval. */
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

/** Starts the instance's background work: reading the keys again. */
export const startBackground = (authorizer: Authorizer, logger: Pick<Logger, 'error'>) => {
  const stopKeys = every(
    KEY_REFRESH_MS,
    () => authorizer.keys.load(),
    (error) => logger.error('the signing keys could not be read', { error }),
  );
  return {
    close: async (): Promise<void> => {
      await stopKeys();
      await authorizer.close();
    },
  };
};
