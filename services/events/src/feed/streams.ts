import { Fault } from '@boxoffice/envelope';
import type { OpenStream } from '@boxoffice/http';
import type { Logger } from '@boxoffice/runtime';
import type { EventDocument } from '../store.ts';
import type { EventCursors, Feed, Selection } from './read.ts';
import type { Tail } from './tail.ts';
import { type EventBounds, toEventView } from './visible.ts';

/** Counts streams and waiting polls, at an instance. */
export const MOST_PER_CLIENT = 20;

interface Reservation {
  readonly institution: string;
  /** Its streams are counted together. */
  readonly client: string;
  /** Aborted when the stream ends. */
  readonly closed: AbortSignal;
}

interface StreamRequest extends Reservation {
  readonly after: number;
  readonly selection: Selection;
}

interface StreamOptions {
  readonly feed: Feed;
  readonly tail: Tail;
  readonly cursors: EventCursors;
  readonly publicUrl: string;
  readonly logger: Pick<Logger, 'warn'>;
  /** Milliseconds between comments. */
  readonly commentMs?: number | undefined;
}

const COMMENT_MS = 15_000;

const PAGE = 100;

/** Above, nothing more is written until the client has read. */
const MOST_WAITING_BYTES = 256 * 1024;

/** Milliseconds until a client that reads slowly is looked at again. */
const SLOW_MS = 200;

type Write = (events: readonly EventDocument[], bounds: EventBounds | undefined) => string;

export function createStreams(options: StreamOptions) {
  const textOf = createWriter(options);
  /** The streams and waiting requests, by client. */
  const taken = new Map<string, number>();
  const toKey = (institution: string, client: string): string => `${institution} ${client}`;
  let count = 0;

  /**
   * Until the response has ended or the client has disconnected. @throws {Fault} `too_many_requests` if the client has
   * {@link MOST_PER_CLIENT} at this instance
   */
  const reserve = ({ institution, client, closed }: Reservation): void => {
    const key = toKey(institution, client);
    const before = taken.get(key) ?? 0;
    if (before >= MOST_PER_CLIENT) {
      const details = `A client has at most ${MOST_PER_CLIENT} streams and waiting requests of events at once.`;
      throw new Fault('too_many_requests', details, { 'Retry-After': '10' });
    }
    if (closed.aborted) return;
    taken.set(key, before + 1);
    const release = (): void => {
      const left = (taken.get(key) ?? 1) - 1;
      if (left > 0) taken.set(key, left);
      else taken.delete(key);
    };
    closed.addEventListener('abort', release, { once: true });
  };

  return {
    reserve,
    /** Returns what writes the stream. @throws {Fault} as `reserve` */
    open(request: StreamRequest): (stream: OpenStream) => void {
      reserve(request);
      return (stream) => {
        count += 1;
        stream.onClose(() => {
          count -= 1;
        });
        write(options, textOf, request, stream);
      };
    },
    takenBy: (institution: string, client: string): number => taken.get(toKey(institution, client)) ?? 0,
    get count(): number {
      return count;
    },
  };
}

/** Writes each event once for all streams without bounds that share what was read. */
const createWriter = ({ cursors, publicUrl }: StreamOptions): Write => {
  const texts = new WeakMap<EventDocument, string>();
  const textOf = (event: EventDocument, bounds: EventBounds | undefined): string => {
    const id = cursors.write(event.institution, event.sequence, bounds);
    return `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(toEventView(event, publicUrl, bounds))}\n\n`;
  };
  return (events, bounds) => {
    if (bounds) return events.map((event) => textOf(event, bounds)).join('');
    for (const event of events) if (!texts.has(event)) texts.set(event, textOf(event, undefined));
    return events.map((event) => texts.get(event)).join('');
  };
};

const write = (
  { feed, tail, cursors, logger, commentMs = COMMENT_MS }: StreamOptions,
  textOf: Write,
  { institution, after, selection }: StreamRequest,
  stream: OpenStream,
): void => {
  let position = after;
  let isReading = false;
  let isWoken = false;
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;

  /** False: the client has not read enough. */
  const step = async (): Promise<boolean> => {
    for (;;) {
      if (isClosed) return true;
      if (stream.waitingBytes > MOST_WAITING_BYTES) return false;
      const { events, upTo } = await feed.read(institution, position, selection, PAGE);
      if (isClosed) return true;
      if (events.length > 0) stream.write(textOf(events, selection.bounds));
      if (upTo === position) return true;
      position = upTo;
    }
  };

  const later = (): void => {
    retry = setTimeout(wake, SLOW_MS);
    retry.unref();
  };

  const run = async (): Promise<void> => {
    isReading = true;
    try {
      do {
        isWoken = false;
        if (!(await step())) later();
      } while (isWoken);
    } catch (error) {
      // The client connects again, with the last id, and is answered what is wrong.
      if (!(error instanceof Fault)) logger.warn('a stream of events ends: they could not be read', { error });
      stream.end();
    } finally {
      isReading = false;
    }
  };

  function wake(): void {
    isWoken = true;
    if (!isReading && !isClosed) void run();
  }

  const unfollow = tail.follow(institution, wake);
  const writeId = (): string => `: \nid: ${cursors.write(institution, position, selection.bounds)}\n\n`;
  // The id alone is no event for its reader, but the next Last-Event-ID.
  const comment = (): void => {
    if (stream.waitingBytes > MOST_WAITING_BYTES) return;
    stream.write(writeId());
  };
  const commenting = setInterval(comment, commentMs);
  commenting.unref();
  stream.onClose(() => {
    isClosed = true;
    clearInterval(commenting);
    clearTimeout(retry);
    unfollow();
  });
  // Sent at once, so that the client knows that the stream is open.
  stream.write(writeId());
  wake();
};
