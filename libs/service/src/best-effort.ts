import { settleWithin } from '@boxoffice/runtime';

interface BestEffortOptions {
  readonly ms: number;
  /** Pause after a timeout, in milliseconds, without further calls; default 5,000. */
  readonly pauseMs?: number;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

/** Undefined if it fails or times out, and at once during the pause after a timeout; then one call probes the peer. */
export type BestEffort = <Data>(ask: () => Promise<Data>) => Promise<Data | undefined>;

/** Creates the state of one peer: one that hangs delays few callers. */
export function createBestEffort({
  ms,
  pauseMs = 5_000,
  now = () => performance.now(),
}: BestEffortOptions): BestEffort {
  let isLate = false;
  let askAgainAt = 0;

  return async (ask) => {
    if (isLate && now() < askAgainAt) return undefined;
    // The others continue without a result until this probe settles.
    if (isLate) askAgainAt = now() + pauseMs;
    const answered = ask().then(
      (data) => ({ data }),
      () => ({ data: undefined }),
    );
    const inTime = await settleWithin(answered, ms, () => undefined);
    isLate = inTime === undefined;
    if (isLate) askAgainAt = now() + pauseMs;
    return inTime?.data;
  };
}
