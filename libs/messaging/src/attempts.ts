import type { Handler, Message } from './port.ts';

export const maxAttempts = 5;

/** Milliseconds before the second, third and later attempts; the last holds for all further ones. */
export const defaultRetryDelaysMs: readonly number[] = [5_000, 30_000, 300_000];

export type Outcome =
  | { readonly state: 'handled' }
  | { readonly state: 'retry'; readonly delayMs: number; readonly reason: string; readonly error: unknown }
  | { readonly state: 'dead'; readonly reason: string; readonly error: unknown };

export function describeReason(error: unknown): string {
  return String(error).slice(0, 500);
}

/** Passes a message to its handler and returns the next step for it; never rejects. */
export async function attemptTo(
  handler: Handler,
  message: Message,
  attempt: number,
  retryDelaysMs: readonly number[],
): Promise<Outcome> {
  try {
    await handler(message, attempt);
    return { state: 'handled' };
  } catch (error) {
    const reason = describeReason(error);
    // By name, because a handler may be bundled with its own copy of this library.
    const unreadable = error instanceof Error && error.name === 'Unreadable';
    if (unreadable || attempt >= maxAttempts) return { state: 'dead', reason, error };
    return { state: 'retry', delayMs: delayAfter(attempt, retryDelaysMs), reason, error };
  }
}

const delayAfter = (attempt: number, delaysMs: readonly number[]): number =>
  delaysMs[Math.min(attempt, delaysMs.length) - 1] ?? 0;

/** A delay that doubles with every consecutive failure, up to `maxMs`, with jitter, so that retries do not coincide. */
export function computeBackoff(failures: number, maxMs: number): number {
  return Math.min(maxMs, 100 * 2 ** Math.min(failures - 1, 20)) * (0.75 + Math.random() / 2);
}

/** The id of a dead letter: the same message may be dead in several queues. */
export function deriveLetterId(queue: string, messageId: string): string {
  return `${queue}:${messageId}`;
}
