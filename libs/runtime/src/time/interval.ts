/** A task that is repeated until it is closed. */
export interface Interval {
  /** Starts no further run; resolves when the current one has ended. */
  close(): Promise<void>;
}

interface IntervalOptions {
  /** Milliseconds from the start of a run to the start of the next. */
  readonly everyMs: number;
  /** Whether the first run starts at once instead of after `everyMs`. Default: no. */
  readonly atOnce?: boolean;
  /** Called with the error of a failed run, for the log. The next run comes all the same. */
  failed(error: unknown): void;
}

/**
 * Runs `task` every `everyMs` milliseconds, never concurrently: a run that is due while the last one continues is
 * skipped. Its timer does not keep the process alive.
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
