import { setTimeout as delay } from 'node:timers/promises';

export interface WaitOptions {
  /** What is waited for; the error names it. */
  readonly what?: string;
  /** Milliseconds; the default tells a hang from a slow machine. */
  readonly withinMs?: number;
  /** Milliseconds between two tries; default: ten at first, and up to a hundred the longer it takes. */
  readonly everyMs?: number;
}

const FIRST_MS = 10;
const LONGEST_MS = 100;
const GROWTH = 1.2;

/**
 * Calls `probe` until it returns something truthy, and returns that.
 * @throws {Error} when the time is over, and whatever `probe` throws
 */
export async function waitUntil<Value>(
  probe: () => Value | Promise<Value>,
  { what = 'a condition', withinMs = 60_000, everyMs }: WaitOptions = {},
): Promise<Exclude<Awaited<Value>, false | null | undefined>> {
  const deadline = performance.now() + withinMs;
  for (let pause = FIRST_MS; ; pause = Math.min(LONGEST_MS, pause * GROWTH)) {
    const value = await probe();
    if (value) return value as Exclude<Awaited<Value>, false | null | undefined>;
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms in vain for ${what}`);
    await delay(everyMs ?? pause);
  }
}
