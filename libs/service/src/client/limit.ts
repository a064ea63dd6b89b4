/** A process that notices the end of a limit later than this has stood still. */
const LATE_MS = 250;
/** The time in which it then hears what arrived meanwhile, in milliseconds. */
const HEARS_MS = 1_000;

/**
 * Calls `expired` after `ms` milliseconds, unless the returned function is called before. Timers may come before
 * arrivals: a process that stood still at the end of the limit would give up an answer that has arrived, so it first
 * hears it.
 */
export const startLimit = (ms: number, expired: () => void): (() => void) => {
  const dueAt = performance.now() + ms;
  let timer = setTimeout(() => {
    if (performance.now() - dueAt < LATE_MS) expired();
    else timer = setTimeout(expired, HEARS_MS);
  }, ms);
  return () => clearTimeout(timer);
};
