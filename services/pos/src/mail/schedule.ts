const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long after a failed attempt the next one comes, by the number of the failed attempt: two days in all. */
const RETRIES_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  12 * HOUR,
  20 * HOUR,
] as const;

/** By which part a retry comes earlier or later, so that those of an outage do not come all at once. */
const JITTER = 0.2;

/** A mail that could not be sent for so long is given up. */
export const GIVEN_UP_MS = 48 * HOUR;

/** Milliseconds from a failed attempt (from 1) to the next; undefined after the last. `random` is in [0, 1). */
export const retryAfter = (attempt: number, random: number): number | undefined => {
  const delay = RETRIES_MS[attempt - 1];
  return delay === undefined ? undefined : Math.round(delay * (1 - JITTER + 2 * JITTER * random));
};

const LONGEST_PAUSE_MS = MINUTE;

/** Milliseconds for which nothing is sent after the server was not reached, by the number of failures in a row. */
export const pauseAfter = (failures: number): number => Math.min(SECOND * 2 ** (failures - 1), LONGEST_PAUSE_MS);
