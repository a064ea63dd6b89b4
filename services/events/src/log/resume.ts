import { type Logger, repeat } from '@boxoffice/runtime';
import type { Closable } from '@boxoffice/service';
import { type Store, unlessQuiet } from '@boxoffice/store';
import type { Waiting } from './waiting.ts';

/** Milliseconds between looks at the facts that this process put aside, and at those of every process. */
const OWN_MS = 200;
const ALL_MS = 5_000;

/** Records waiting facts as their predecessors arrive, also those of processes that died; safe in several instances. */
export const startResuming = (
  waiting: Waiting,
  store: Pick<Store, 'revision'>,
  logger: Pick<Logger, 'error'>,
): Closable => {
  const failed = (error: unknown) =>
    logger.error('facts that wait for an earlier one could not be looked at; the next run tries again', { error });
  const own = repeat(() => waiting.resume('own'), { everyMs: OWN_MS, failed });
  const resumeAll = unlessQuiet(store, 0, () => waiting.resume('all'));
  const all = repeat(resumeAll, { everyMs: ALL_MS, atOnce: true, failed });
  return {
    async close() {
      await own.close();
      await all.close();
    },
  };
};
