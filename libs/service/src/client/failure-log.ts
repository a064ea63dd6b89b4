import type { Logger } from '@boxoffice/runtime';

/** A call to another service that failed: no identity token, no answer, no envelope, or a 5xx. */
export interface FailedCall {
  readonly operation: string;
  readonly reason: string;
  /** From the start of the call, including the time for its identity token. */
  readonly durationMs: number;
}

/** Minimum time between two log lines. Milliseconds. */
const LOGGED_EVERY_MS = 10_000;

/**
 * Creates the log of failed calls to one service: the first is logged at once, later ones at most every ten seconds. A
 * line has the operation, reason and duration of the last failed call; `count` is the number of calls that failed since
 * the line before. `now` returns monotonic milliseconds.
 */
export const createFailureLog = (
  service: string,
  logger: Pick<Logger, 'warn'>,
  now: () => number = () => performance.now(),
): ((failed: FailedCall) => void) => {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let count = 0;

  return (failed) => {
    count += 1;
    if (now() - loggedAt < LOGGED_EVERY_MS) return;
    logger.warn('a call of another service failed', { upstream: service, ...failed, count });
    loggedAt = now();
    count = 0;
  };
};
