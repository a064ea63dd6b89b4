import type { Feed, Selection, Stretch } from './read.ts';
import type { Tail } from './tail.ts';

interface Poll {
  readonly institution: string;
  readonly after: number;
  readonly selection: Selection;
  readonly limit: number;
  /** How long to wait for the first event, in milliseconds. */
  readonly waitMs: number;
  /** Called before it waits; the returned function is called after it. Rejects if it may not wait. */
  readonly reserve: () => Promise<() => void>;
}

/** How long one poll reads on where the filter leaves everything out, in milliseconds. */
const READING_MS = 2_000;

/** Resolves at the next event of the institution, or after `ms`. */
const nextOf = (tail: Tail, institution: string, ms: number) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const unfollow = tail.follow(institution, resolve);
  const timer = setTimeout(resolve, ms);
  void promise.then(() => {
    clearTimeout(timer);
    unfollow();
  });
  return { promise, cancel: resolve };
};

/**
 * Reads the selected events after a sequence; waits for the first one if there is none. A filter that leaves out long
 * stretches ends the reading before the newest event: the next poll goes on.
 */
export const poll = async (
  feed: Feed,
  tail: Tail,
  { institution, after, selection, limit, waitMs, reserve }: Poll,
): Promise<Stretch> => {
  const startedAt = performance.now();
  let upTo = after;
  let release: (() => void) | undefined;
  try {
    for (;;) {
      // Followed before it is read, so that an event in between wakes it.
      const next = nextOf(tail, institution, Math.max(0, waitMs - (performance.now() - startedAt)));
      try {
        const stretch = await feed.read(institution, upTo, selection, limit);
        const isNew = stretch.upTo > upTo;
        upTo = stretch.upTo;
        const spentMs = performance.now() - startedAt;
        if (stretch.events.length > 0) return { events: stretch.events, upTo };
        if (isNew && spentMs < Math.max(waitMs, READING_MS)) continue;
        if (spentMs >= waitMs) return { events: [], upTo };
        release ??= await reserve();
        await next.promise;
      } finally {
        next.cancel();
      }
    }
  } finally {
    release?.();
  }
};
