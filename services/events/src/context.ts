import type { Logger } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import { createEventCursors, type EventCursors } from './feed/cursor.ts';
import { createFeed, type Feed } from './feed/read.ts';
import { shareReads } from './feed/shared.ts';
import { createStreams, type Streams } from './feed/stream.ts';
import { createStreamCounts, type StreamCounts } from './feed/stream-counts.ts';
import { createTail, type Tail } from './feed/tail.ts';
import { createLog, type Log } from './log/log.ts';
import { createWaiting, type Waiting } from './log/waiting.ts';
import type { NewEvent } from './store.ts';

/** What commands and queries need. */
export interface Context {
  readonly store: Store;
  readonly log: Log;
  readonly feed: Feed;
  readonly waiting: Waiting;
  readonly tail: Tail;
  readonly streams: Streams;
  readonly streamCounts: StreamCounts;
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
  readonly logger: Pick<Logger, 'warn'>;
  /** Called with each event that this process has recorded. */
  readonly onRecorded?: ((event: NewEvent, recordedAt: number) => void) | undefined;
  /** Milliseconds between comments in a stream. */
  readonly commentMs?: number;
  readonly now?: () => number;
}

/** The context of a service instance; `now` defaults to the system clock. */
export const createContext = ({ store, serviceSecret, publicUrl, ...options }: ContextOptions): Context => {
  const { retentionMs, logger, commentMs, now = Date.now } = options;
  const log = createLog(store, now, options.onRecorded);
  const feed = shareReads(createFeed(store, retentionMs, now));
  const tail = createTail(log, feed, logger);
  const cursors = createEventCursors(serviceSecret);
  const streamCounts = createStreamCounts(store, logger, now);
  return {
    store,
    log,
    waiting: createWaiting(store, log, now),
    feed,
    tail,
    streamCounts,
    streams: createStreams({
      counts: streamCounts,
      feed,
      tail,
      cursors,
      publicUrl,
      logger,
      ...(commentMs ? { commentMs } : {}),
    }),
    cursors,
    publicUrl,
    now,
  };
};
