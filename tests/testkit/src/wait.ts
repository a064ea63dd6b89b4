import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** What is waited for; the error names it. */
  readonly what?: string;
  /** Milliseconds; the default tells a hang from a slow machine. */
  readonly withinMs?: number;
  /** Milliseconds between two tries. */
  readonly everyMs?: number;
}

/**
 * Calls `probe` until it returns something truthy, and returns that.
 * @throws {Error} when the time is over, and whatever `probe` throws
 */
export const waitUntil = async <Value>(
  probe: () => Value | Promise<Value>,
  { what = 'a condition', withinMs = 60_000, everyMs = 10 }: WaitOptions = {},
): Promise<Exclude<Awaited<Value>, false | null | undefined>> => {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await probe();
    if (value) return value as Exclude<Awaited<Value>, false | null | undefined>;
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms in vain for ${what}`);
    await delay(everyMs);
  }
};
