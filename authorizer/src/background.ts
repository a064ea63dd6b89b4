import { type Logger, repeat } from '@boxoffice/runtime';
import { type Store, unlessQuiet } from '@boxoffice/store';
import type { Authorizer } from './authorizer.ts';
import { KEY_REFRESH_MS } from './domain/key-schedule.ts';

/** Starts the instance's background work: reading the keys again. */
export const startBackground = (authorizer: Authorizer, store: Store, logger: Pick<Logger, 'error'>) => {
  const keys = repeat(unlessQuiet(store, 0, authorizer.keys.load), {
    everyMs: KEY_REFRESH_MS,
    failed: (error) => logger.error('the signing keys could not be read', { error }),
  });
  return {
    close: async (): Promise<void> => {
      await keys.close();
      await authorizer.close();
    },
  };
};
