import { ApiError, ConnectionError } from '../errors.ts';

/** How requests are repeated. */
export interface Repetition {
  /** Repetitions of one request at most. */
  readonly retries: number;
  /** Milliseconds that a repetition is waited for at most. */
  readonly maxDelayMs: number;
}

/**
 * Which failures of a request may be followed by a repetition: `always` when a second one has no second effect,
 * `refused` when only what was refused before any effect can be repeated, else `never`.
 */
export type Repeatable = 'always' | 'refused' | 'never';

const FIRST_MS = 500;
const AWAY = [502, 503];

/** The delay before the next attempt, doubled each time, with jitter of a half. */
export const backoff = (attempt: number, maxDelayMs: number): number =>
  Math.min(maxDelayMs, FIRST_MS * 2 ** attempt) * (0.5 + Math.random() / 2);

const mayRepeat = (error: unknown, repeatable: Repeatable): boolean => {
  if (repeatable === 'never') return false;
  if (error instanceof ConnectionError) return repeatable === 'always';
  if (!(error instanceof ApiError)) return false;
  const { httpStatus, status } = error;
  // The first request with the same key is still running: its answer comes.
  if (status === 'idempotency_in_progress') return true;
  // Family B answers 500 to whatever fails, with Retry-After where waiting helps.
  const isAway = AWAY.includes(httpStatus) || (httpStatus === 500 && error.retryAfter !== null);
  return httpStatus === 429 || (repeatable === 'always' && isAway);
};

/** Milliseconds until a failed request is repeated; undefined if it is not. */
export const repeatedAfter = (
  error: unknown,
  attempt: number,
  repeatable: Repeatable,
  { retries, maxDelayMs }: Repetition,
): number | undefined => {
  if (attempt >= retries || !mayRepeat(error, repeatable)) return undefined;
  const asked = error instanceof ApiError && error.retryAfter !== null ? error.retryAfter * 1_000 : 0;
  return asked > maxDelayMs ? undefined : Math.max(asked, backoff(attempt, maxDelayMs));
};
