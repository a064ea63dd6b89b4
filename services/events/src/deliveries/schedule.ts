const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long after a failed attempt the next one comes, by the number of the failed attempt; then the event is given up. */
const RETRIES_MS = [
  5 * SECOND,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

/** By which part a retry comes earlier or later, so that those of an outage do not come all at once. */
const JITTER = 0.2;

/** A webhook without any success for this long is disabled. */
export const GIVES_UP_MS = 5 * DAY;

/** How long delivery records are kept. */
export const RECORDS_MS = 30 * DAY;

/**
 * Milliseconds from a failed attempt (from 1) to the next; undefined after the last. `random` is in [0, 1).
 */
export const retryAfter = (attempt: number, random: number): number | undefined => {
  const delay = RETRIES_MS[attempt - 1];
  return delay === undefined ? undefined : Math.round(delay * (1 - JITTER + 2 * JITTER * random));
};
