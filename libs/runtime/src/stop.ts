import type { Logger } from './logs/logger.ts';
import { within } from './time/deadline.ts';

/** Ends a program in order. */
export interface Stop {
  /**
   * Something to close; the last one added is closed first.
   * @throws once the stop has begun, so that a start goes no further; what was added is closed all the same
   */
  add(name: string, close: () => Promise<void> | void): void;
  /** Aborted when the stop begins, so that pending waits of the start end. */
  readonly signal: AbortSignal;
  /**
   * Ends the process when SIGTERM or SIGINT comes: status 0 if everything closed in time, 1 otherwise or at a second
   * signal.
   */
  onSignal(): void;
  /**
   * Ends the process in order, with status 1, when an error reaches nobody: an exception that is not caught, or a
   * rejected promise that is not handled. It is logged with its stack. What the program remembers may be wrong from
   * then on, so it does not go on.
   */
  onFault(): void;
  /**
   * Closes everything, each after the one before, within the time; answers whether all of it closed. A second call
   * answers the same.
   */
  run(): Promise<boolean>;
  /**
   * Awaits the program's start, which a stop lets come to its next part. What fails in it after the stop began fails
   * because of that, and is no fault to report.
   */
  during(start: Promise<void>): Promise<void>;
}

export interface StopOptions {
  /** For everything together; default 10 s. */
  readonly withinMs?: number;
}

/**
 * What is just being started needs what was started before it: for so long the stop waits for the start to come to its
 * next part.
 */
const START_MS = 1_000;

/** A further signal within this time is the same one; a later one means now. */
const REPEAT_MS = 1_000;

/** Makes the list of what a program closes at its end. */
export const createStop = (logger: Logger, { withinMs = 10_000 }: StopOptions = {}): Stop => {
  const parts: { readonly name: string; readonly close: () => Promise<void> | void }[] = [];
  let ending: Promise<boolean> | undefined;
  let signalled = Number.NEGATIVE_INFINITY;
  let current = '';
  let faulty = false;
  let starting: Promise<unknown> | undefined;
  const begun = new AbortController();

  const closeAll = async (): Promise<boolean> => {
    let clean = true;
    begun.abort();
    if (starting) await within(starting, START_MS, () => undefined);
    for (let part = parts.pop(); part; part = parts.pop()) {
      current = part.name;
      try {
        await part.close();
      } catch (error) {
        clean = false;
        logger.error('could not close', { part: part.name, error });
      }
    }
    return clean;
  };

  const run = (): Promise<boolean> => {
    ending ??= within(closeAll(), withinMs, () => {
      logger.error('did not close in time', { part: current });
      return false;
    });
    return ending;
  };

  const end = async (): Promise<void> => {
    const clean = await run();
    process.exit(clean && !faulty ? 0 : 1);
  };

  return {
    add: (name, close) => {
      parts.push({ name, close });
      if (begun.signal.aborted) throw new Error('the program is stopping');
    },
    signal: begun.signal,
    run,
    during(start) {
      const done = start.catch((error: unknown) => {
        if (ending === undefined) throw error;
      });
      starting = done.catch(() => undefined);
      return done;
    },
    onSignal() {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) {
        process.on(signal, () => {
          if (ending) {
            // A terminal and a supervisor signal the whole group, and npm passes its own on: the same signal comes
            // twice.
            if (performance.now() - signalled < REPEAT_MS) return;
            process.exit(1);
          }
          signalled = performance.now();
          logger.info('stopping', { signal });
          void end();
        });
      }
    },
    onFault() {
      // Node raises an unhandled rejection as an uncaught exception, as long as nobody listens for it.
      process.on('uncaughtException', (error: unknown, origin) => {
        faulty = true;
        const what = origin === 'unhandledRejection' ? 'a rejection was not handled' : 'an exception was not caught';
        logger.error(what, { error });
        void end();
      });
    },
  };
};
