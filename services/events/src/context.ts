import type { Logger } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import { createEventCursors } from './feed/cursor.ts';
import { createFeed } from './feed/read.ts';
import { shareReads } from './feed/shared.ts';
import { createStreams } from './feed/stream.ts';
import { createStreamCounts } from './feed/stream-counts.ts';
import { createTail } from './feed/tail.ts';
import { createClientContacts } from './log/client-contacts.ts';
import { createLog } from './log/log.ts';
import { createWaiting } from './log/waiting.ts';
import type { NewEvent } from './store.ts';

/** What commands and queries need. */
export type Context = ReturnType<typeof createContext>;

export interface ContextOptions {
  readonly store: Store;
  readonly serviceSecret: string;
  /** The address of the installation. */
  readonly publicUrl: string;
  readonly retentionMs: number;
  readonly logger: Pick<Logger, 'warn'>;
  /** Called with each event that this process has recorded. */
  readonly onRecorded?: ((event: NewEvent, recordedAt: number) => void) | undefined;
  /** Milliseconds between comments in a stream. */
  readonly commentMs?: number;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** The context of a service instance; `now` defaults to the system clock. */
export const createContext = ({ store, serviceSecret, publicUrl, ...options }: ContextOptions) => {
  const { retentionMs, logger, commentMs, now = Date.now } = options;
  const log = createLog(store, now, options.onRecorded);
  const clientContacts = createClientContacts(store);
  const feed = shareReads(createFeed(store, clientContacts, retentionMs, now));
  const tail = createTail(log, feed, logger);
  const cursors = createEventCursors(serviceSecret);
  const streamCounts = createStreamCounts(store, logger, now);
  return {
    store,
    clientContacts,
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
