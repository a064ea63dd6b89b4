import { type Logger, repeat } from '@boxoffice/runtime';
import type { Log } from '../log/log.ts';
import type { Feed } from './read.ts';

/** Wakes those who wait for new events. */
export type Tail = ReturnType<typeof createTail>;

/** Milliseconds between looks for events of other instances, at institutions that somebody follows. */
const LOOK_MS = 250;

interface Followed {
  readonly listeners: Set<() => void>;
  /** The newest sequence that was seen. */
  head: number;
}

/** Follows the log: own events at once, those of other instances by looking at the newest sequence. */
export const createTail = (log: Pick<Log, 'onAppended'>, feed: Pick<Feed, 'head'>, logger: Pick<Logger, 'warn'>) => {
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
    /**
     * Calls the listener after events of the institution became visible, whichever instance recorded them; returns the
     * function that unsubscribes.
     */
    follow(institution: string, listener: () => void): () => void {
      const one = followed.get(institution) ?? { listeners: new Set(), head: 0 };
      followed.set(institution, one);
      one.listeners.add(listener);
      return () => {
        one.listeners.delete(listener);
        if (one.listeners.size === 0) followed.delete(institution);
      };
    },
    /** The number of followers. */
    get followers(): number {
      return [...followed.values()].reduce((sum, { listeners }) => sum + listeners.size, 0);
    },
    async close(): Promise<void> {
      unsubscribe();
      await looking.close();
    },
  };
};
