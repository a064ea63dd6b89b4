import { setTimeout as delay } from 'node:timers/promises';

/** Long enough to distinguish a hang from a slow machine. */
const PATIENCE_MS = 25_000;
const LOOK_EVERY_MS = 10;

/** Resolves when the condition holds. @throws {Error} when it does not hold in time */
export const until = async (holds: () => Promise<boolean>): Promise<void> => {
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error('what was waited for did not come');
    await delay(LOOK_EVERY_MS);
  }
};
