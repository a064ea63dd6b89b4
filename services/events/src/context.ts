import type { Store } from '@boxoffice/store';
import { createEventCursors, type EventCursors } from './feed/cursor.ts';
import { createFeed, type Feed } from './feed/read.ts';
import { createLog, type Log } from './log/log.ts';
import { createWaiting, type Waiting } from './log/waiting.ts';

/** What commands and queries need. */
export interface Context {
  readonly store: Store;
  readonly log: Log;
  readonly feed: Feed;
  readonly waiting: Waiting;
  readonly cursors: EventCursors;
  /** The address of the installation. */
  readonly publicUrl: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface ContextOptions {
  readonly store: Store;
  readonly serviceSecret: string;
  readonly publicUrl: string;
  readonly retentionMs: number;
  readonly now?: () => number;
}

/** The context of a service instance; `now` defaults to the system clock. */
export const createContext = ({
  store,
  serviceSecret,
  publicUrl,
  retentionMs,
  now = Date.now,
}: ContextOptions): Context => {
  const log = createLog(store, now);
  return {
    store,
    log,
    waiting: createWaiting(store, log, now),
    feed: createFeed(store, retentionMs, now),
    cursors: createEventCursors(serviceSecret),
    publicUrl,
    now,
  };
};
