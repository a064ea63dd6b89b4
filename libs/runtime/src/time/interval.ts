/** A task that is repeated until it is closed. */
export interface Interval {
  /** Begins no further turn; resolves when the one under way has ended. */
  close(): Promise<void>;
}

export interface IntervalOptions {
  /** Milliseconds from the beginning of a turn to that of the next. */
  readonly everyMs: number;
  /** Whether the first turn begins at once instead of after `everyMs`. Default: no. */
  readonly atOnce?: boolean;
  /** Is handed what a turn rejects with, for the log. The next turn comes all the same. */
  failed(error: unknown): void;
}

/**
 * Runs `task` every `everyMs` milliseconds, never twice at once: a turn that is due while the last one still runs is
 * skipped. Its timer keeps no process alive.
 */
export const repeat = (
  task: () => Promise<unknown>,
  { everyMs, atOnce = false, failed }: IntervalOptions,
): Interval => {
  let underWay: Promise<void> | undefined;
  const turn = async (): Promise<void> => {
    try {
      await task();
    } catch (error) {
      failed(error);
    } finally {
      underWay = undefined;
    }
  };
  const begin = (): void => {
    underWay ??= turn();
  };
  const timer = setInterval(begin, everyMs);
  timer.unref();
  if (atOnce) begin();
  return {
    async close() {
      clearInterval(timer);
      await underWay;
    },
  };
};
