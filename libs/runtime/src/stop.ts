import type { Logger } from './logger.ts';
import { getErrorCode } from './settings/start-fault.ts';
import { settleWithin } from './time.ts';

export type Stop = ReturnType<typeof createStop>;

interface StopOptions {
  /** Time for all parts together; default 15 s. */
  readonly withinMs?: number;
}

/** For the start to reach its next `add`: the part that is being started needs the earlier ones. */
const START_MS = 1_000;

/** A further signal within this time is a repetition of the first; a later one ends the process at once. */
const REPEAT_MS = 1_000;

export function createStop(logger: Logger, { withinMs = 15_000 }: StopOptions = {}) {
  const parts: { readonly name: string; readonly close: () => Promise<void> | void }[] = [];
  let ending: Promise<boolean> | undefined;
  let signalled = Number.NEGATIVE_INFINITY;
  let current = '';
  let faulty = false;
  let starting: Promise<unknown> | undefined;
  const stopping = new AbortController();

  const closeAll = async (): Promise<boolean> => {
    let clean = true;
    stopping.abort();
    if (starting) await settleWithin(starting, START_MS, () => undefined);
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
    ending ??= settleWithin(closeAll(), withinMs, () => {
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
    /** The last part added is closed first. @throws once the stop has begun; the part is closed all the same */
    add: (name: string, close: () => Promise<void> | void): void => {
      parts.push({ name, close });
      if (stopping.signal.aborted) throw new Error('the program is stopping');
    },
    /** Aborted when the stop begins, so that pending waits of the start end. */
    signal: stopping.signal,
    /** Resolves to whether every part closed in time. Every call returns the same promise. */
    run,
    /** A stop lets the start reach its next `add`; errors of the start are ignored from then on. */
    during(start: Promise<void>): Promise<void> {
      const done = start.catch((error: unknown) => {
        if (ending === undefined) throw error;
      });
      starting = done.catch(() => undefined);
      return done;
    },
    /** At SIGTERM or SIGINT: status 0 if everything closed in time, 1 otherwise or at a second signal. */
    onSignal(): void {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) {
        process.on(signal, () => {
          if (ending) {
            // A terminal and a supervisor signal the whole group, and npm forwards its own: the same signal comes
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
    /** Status 1 at an uncaught exception or unhandled rejection: the state may be wrong from then on. */
    onFault(): void {
      // Node raises an unhandled rejection as an uncaught exception, unless there is a listener for it.
      process.on('uncaughtException', (error: unknown, origin) => {
        // Where nobody reads the log any more, each line of it fails in this way, for ever.
        if (faulty && getErrorCode(error) === 'EPIPE') return;
        faulty = true;
        const what = origin === 'unhandledRejection' ? 'a rejection was not handled' : 'an exception was not caught';
        logger.error(what, { error });
        void end();
      });
    },
  };
}
