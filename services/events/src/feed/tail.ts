import { ClientGone } from '@boxoffice/http';
import { type Logger, repeat } from '@boxoffice/runtime';
import type { Log } from '../log/log.ts';
import type { Feed, Selection, Stretch } from './read.ts';

export type Tail = ReturnType<typeof createTail>;

/** Milliseconds between looks for events of other instances, at institutions that are followed. */
const LOOK_MS = 250;

interface Followed {
  readonly listeners: Set<() => void>;
  head: number;
}

/** Sees own events at once, those of other instances by looking at the newest sequence. */
export function createTail(log: Pick<Log, 'onAppended'>, feed: Pick<Feed, 'head'>, logger: Pick<Logger, 'warn'>) {
  const followed = new Map<string, Followed>();

  const wake = ({ listeners }: Followed): void => {
    for (const listener of [...listeners]) listener();
  };

  const look = async (institution: string, one: Followed): Promise<void> => {
    const head = await feed.head(institution);
    if (head <= one.head) return;
    one.head = head;
    wake(one);
  };

  const looking = repeat(() => Promise.all([...followed].map(([institution, one]) => look(institution, one))), {
    everyMs: LOOK_MS,
    failed: (error) => logger.warn('new events could not be looked for; the next look tries again', { error }),
  });
  const unsubscribe = log.onAppended((institution) => {
    const one = followed.get(institution);
    if (one) wake(one);
  });

  return {
    /** Reports events that became visible, whichever instance recorded them. Returns the function that unsubscribes. */
    follow(institution: string, listener: () => void): () => void {
      const one = followed.get(institution) ?? { listeners: new Set(), head: 0 };
      followed.set(institution, one);
      one.listeners.add(listener);
      return () => {
        one.listeners.delete(listener);
        if (one.listeners.size === 0) followed.delete(institution);
      };
    },
    get followers(): number {
      return [...followed.values()].reduce((sum, { listeners }) => sum + listeners.size, 0);
    },
    async close(): Promise<void> {
      unsubscribe();
      await looking.close();
    },
  };
}

interface Poll {
  readonly institution: string;
  readonly after: number;
  readonly selection: Selection;
  readonly limit: number;
  /** Milliseconds for the first event. */
  readonly waitMs: number;
  /** Aborted when the client has gone. */
  readonly closed: AbortSignal;
  /** Called before it waits; throws if it may not. */
  readonly reserve: () => void;
}

/** Milliseconds that one poll reads on where the filter leaves everything out. */
const READING_MS = 2_000;

/**
 * Waits for the first event if there is none. A filter that leaves out long stretches ends the reading before the
 * newest event: the next poll goes on.
 */
export async function poll(
  feed: Feed,
  tail: Tail,
  { institution, after, selection, limit, waitMs, closed, reserve }: Poll,
): Promise<Stretch> {
  const startedAt = performance.now();
  let upTo = after;
  let isReserved = false;
  for (;;) {
    // Follows before it reads: an event in between wakes it.
    const next = awaitNext(tail, institution, Math.max(0, waitMs - (performance.now() - startedAt)), closed);
    try {
      const stretch = await feed.read(institution, upTo, selection, limit);
      const isNew = stretch.upTo > upTo;
      upTo = stretch.upTo;
      const spentMs = performance.now() - startedAt;
      if (stretch.events.length > 0) return { events: stretch.events, upTo };
      if (closed.aborted) throw new ClientGone();
      if (isNew && spentMs < Math.max(waitMs, READING_MS)) continue;
      if (spentMs >= waitMs) return { events: [], upTo };
      if (!isReserved) reserve();
      isReserved = true;
      await next.promise;
    } finally {
      next.cancel();
    }
  }
}

/** Resolves at the next event, after `ms`, or when the client has gone. */
const awaitNext = (tail: Tail, institution: string, ms: number, closed: AbortSignal) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const unfollow = tail.follow(institution, resolve);
  const timer = setTimeout(resolve, ms);
  const leave = (): void => resolve();
  closed.addEventListener('abort', leave);
  if (closed.aborted) leave();
  void promise.then(() => {
    closed.removeEventListener('abort', leave);
    clearTimeout(timer);
    unfollow();
  });
  return { promise, cancel: resolve };
};
