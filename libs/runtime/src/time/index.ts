// Deadlines, intervals and retries. A separate entry point, so that store and messaging load nothing else of this
// package.

/**
 * Settles like the promise, for at most `ms` milliseconds; after them with the result of `late`, which may throw. The
 * work behind the promise continues, and its later rejection is not reported as unhandled. The timer is cleared as soon
 * as the promise settles.
 */
export const within = async <T, L>(promise: Promise<T>, ms: number, late: () => L | Promise<L>): Promise<T | L> => {
  const deadline = Promise.withResolvers<void>();
  const timer = setTimeout(deadline.resolve, ms);
  try {
    return await Promise.race([promise, deadline.promise.then(late)]);
  } finally {
    clearTimeout(timer);
  }
};

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
