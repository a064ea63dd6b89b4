import type { Store } from '@boxoffice/store';
import type { LoginAttempts } from './login-attempts.ts';
import type { Sessions } from './sessions.ts';

const EVERY_MS = 60_000;
const AT_ONCE = 500;

/** Forgets, every minute and in one process of all, sessions that have ended and attempts that count no longer. */
export const startSweeper = (
  store: Store,
  parts: readonly (Pick<Sessions, 'sweep'> | Pick<LoginAttempts, 'sweep'>)[],
  warn: (error: unknown) => void,
): { close(): Promise<void> } => {
  let running = Promise.resolve();
  const sweep = async (): Promise<void> => {
    if (!(await store.lease('sweep', EVERY_MS))) return;
    for (const part of parts) await part.sweep(AT_ONCE);
  };
  const timer = setInterval(() => {
    running = running.then(sweep).catch(warn);
  }, EVERY_MS).unref();
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
};
