import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../logs/logger.ts';

/** An opening that is retried until it succeeds. */
interface Persistent<Value> {
  /** Resolves at the first success; rejects at `cancel`. */
  readonly opened: Promise<Value>;
  /** Resolves when the first attempt has ended, with whether it succeeded; at `cancel` with false. */
  readonly tried: Promise<boolean>;
  /** Ends the attempts. */
  cancel(): void;
  /** The value, or undefined if the attempts were cancelled. */
  orNothing(): Promise<Value | undefined>;
}

const PAUSE_MS = 1_000;

/** Opens an engine that may start later than this process does, and logs what it waits for. */
export const persistently = <Value>(name: string, logger: Logger, open: () => Promise<Value>): Persistent<Value> => {
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
};
