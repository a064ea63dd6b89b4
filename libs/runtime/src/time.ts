// A separate entry point, so that store and messaging load nothing else of this package.

import { setTimeout as pause } from 'node:timers/promises';

/** After `ms` milliseconds the result of `late`, which may throw. The work continues; its rejection is ignored. */
export async function settleWithin<T, L>(promise: Promise<T>, ms: number, late: () => L | Promise<L>): Promise<T | L> {
  const deadline = Promise.withResolvers<void>();
  const timer = setTimeout(deadline.resolve, ms);
  try {
    return await Promise.race([promise, deadline.promise.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

export interface Interval {
  /** Now, or once more after the run under way. Resolves when a run that began after the call has ended or failed. */
  wake(): Promise<void>;
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

/** Never concurrently: a run that is due while the last one continues is skipped. Does not keep the process alive. */
export function repeat(task: () => Promise<unknown>, { everyMs, atOnce = false, failed }: IntervalOptions): Interval {
  const { begin, ...runs } = createRuns(task, failed);
  const timer = setInterval(() => void begin(), everyMs);
  timer.unref();
  if (atOnce) void begin();
  return {
    ...runs,
    async close() {
      clearInterval(timer);
      await runs.close();
    },
  };
}

/** Runs only when it is woken; never concurrently. */
export function runWhenWoken(task: () => Promise<unknown>, { failed }: Pick<IntervalOptions, 'failed'>): Interval {
  const { begin: _, ...runs } = createRuns(task, failed);
  return runs;
}

const createRuns = (
  task: () => Promise<unknown>,
  failed: (error: unknown) => void,
): Interval & { readonly begin: () => Promise<void> } => {
  let underWay: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let isClosed = false;
  const turn = async (): Promise<void> => {
    try {
      await task();
    } catch (error) {
      failed(error);
    } finally {
      underWay = undefined;
    }
  };
  const begin = (): Promise<void> => {
    underWay ??= turn();
    return underWay;
  };
  const beginNext = async (current: Promise<void>): Promise<void> => {
    await current;
    next = undefined;
    if (!isClosed) await begin();
  };
  return {
    begin,
    async wake() {
      if (isClosed) return;
      if (underWay) next ??= beginNext(underWay);
      await (next ?? begin());
    },
    async close() {
      isClosed = true;
      await underWay;
    },
  };
};

interface Persistent<Value> {
  /** Resolves at the first success; rejects at `cancel`. */
  readonly opened: Promise<Value>;
  /** Resolves when the first attempt has ended, with whether it succeeded; at `cancel` with false. */
  readonly tried: Promise<boolean>;
  cancel(): void;
  /** The value, or undefined if the attempts were cancelled. */
  orNothing(): Promise<Value | undefined>;
}

interface Waits {
  warn(message: string, fields: { readonly part: string; readonly reason: string }): void;
}

const PAUSE_MS = 1_000;

export function openPersistently<Value>(name: string, logger: Waits, open: () => Promise<Value>): Persistent<Value> {
  const end = new AbortController();
  const tried = Promise.withResolvers<boolean>();
  end.signal.addEventListener('abort', () => tried.resolve(false));

  const attempt = async (): Promise<Value> => {
    for (;;) {
      try {
        const value = await open();
        tried.resolve(true);
        return value;
      } catch (error) {
        tried.resolve(false);
        if (end.signal.aborted) throw error;
        logger.warn('waiting', { part: name, reason: (error as Error).message });
        await pause(PAUSE_MS, undefined, { signal: end.signal }).catch(() => undefined);
        if (end.signal.aborted) throw error;
      }
    }
  };

  // An attempt may take long to fail; `cancel` does not wait for that.
  const cancelled = Promise.withResolvers<never>();
  end.signal.addEventListener('abort', () => cancelled.reject(new Error(`waiting for ${name} was cancelled`)));
  const opened = Promise.race([attempt(), cancelled.promise]);
  // Callers may await it to see a failure; without one the rejection must not be unhandled.
  opened.catch(() => undefined);
  return { opened, tried: tried.promise, cancel: () => end.abort(), orNothing: () => opened.catch(() => undefined) };
}
