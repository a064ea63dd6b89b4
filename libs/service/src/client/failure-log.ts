import type { Logger } from '@boxoffice/runtime';

/** A call of another service that got no answer or a 5xx. */
export interface FailedCall {
  readonly operation: string;
  readonly reason: string;
  readonly durationMs: number;
}

/** Minimum time between two log lines. Milliseconds. */
const LOGGED_EVERY_MS = 10_000;

/**
 * Makes the log of failed calls of one service: the first is logged at once, later ones at most every ten seconds, with
 * the number of calls that failed since the last line.
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
