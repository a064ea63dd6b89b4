import { within } from '@boxoffice/runtime';

export interface BestEffortOptions {
  /** So long an answer is waited for, in milliseconds. */
  readonly ms: number;
  /** So long nothing is asked after an answer came too late, in milliseconds; default 5,000. */
  readonly pauseMs?: number;
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
}

/**
 * Asks for what the caller can do without: answers undefined if that fails or takes too long, and at once for a while
 * after it took too long. Then one call finds out whether it is worth asking again, and only that one waits.
 */
export type BestEffort = <Data>(ask: () => Promise<Data>) => Promise<Data | undefined>;

/** Makes the memory of one peer: one that hangs costs few callers a wait, and not each of them. */
export const createBestEffort = ({
  ms,
  pauseMs = 5_000,
  now = () => performance.now(),
}: BestEffortOptions): BestEffort => {
  let isLate = false;
  let askAgainAt = 0;

  return async (ask) => {
    if (isLate && now() < askAgainAt) return undefined;
    // The others go on without until this one knows.
    if (isLate) askAgainAt = now() + pauseMs;
    const answered = ask().then(
      (data) => ({ data }),
      () => ({ data: undefined }),
    );
    const inTime = await within(answered, ms, () => undefined);
    isLate = inTime === undefined;
    if (isLate) askAgainAt = now() + pauseMs;
    return inTime?.data;
  };
};
