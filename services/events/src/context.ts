import type { Logger } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import { createMakeDue } from './deliveries/due.ts';
import { createEventCursors, createFeed, shareReads } from './feed/read.ts';
import { createStreams } from './feed/streams.ts';
import { createTail } from './feed/tail.ts';
import { createClientContacts } from './feed/visible.ts';
import { createLog, type Log } from './log/log.ts';
import { createWaiting } from './log/waiting.ts';
import type { NewEvent } from './store.ts';

export type Context = ReturnType<typeof createContext>;

interface ContextOptions {
  readonly store: Store;
  readonly serviceSecret: string;
  readonly publicUrl: string;
  readonly retentionMs: number;
  readonly logger: Pick<Logger, 'warn'>;
  /** Called with each event that this process has recorded. */
  readonly onRecorded?: ((event: NewEvent, recordedAt: number) => void) | undefined;
  /** Milliseconds between comments in a stream. */
  readonly commentMs?: number | undefined;
  readonly now?: () => number;
}

/** `now` defaults to the system clock. */
export function createContext({ store, serviceSecret, publicUrl, ...options }: ContextOptions) {
  const { retentionMs, logger, commentMs, now = Date.now } = options;
  const log = createLog(store, { now, makeDue: createMakeDue(store, now), onRecorded: options.onRecorded });
  const clientContacts = createClientContacts(store);
  const record: Log['append'] = async (institution, arrival) => {
    // What the event says of the contact's other events is true as soon as it is visible.
    await clientContacts.learn(institution, arrival);
    return log.append(institution, arrival);
  };
  const feed = shareReads(createFeed(store, clientContacts, retentionMs, now));
  const tail = createTail(log, feed, logger);
  const cursors = createEventCursors(serviceSecret);
  return {
    store,
    log,
    record,
    waiting: createWaiting(store, record, now),
    feed,
    tail,
    streams: createStreams({ feed, tail, cursors, publicUrl, logger, commentMs }),
    cursors,
    publicUrl,
    now,
  };
}
