import { Fault } from '@boxoffice/envelope';
import type { OpenStream } from '@boxoffice/http';
import type { Logger } from '@boxoffice/runtime';
import type { EventDocument } from '../store.ts';
import type { EventCursors } from './cursor.ts';
import type { Feed, Selection } from './read.ts';
import { MOST_PER_CLIENT, type StreamCounts } from './stream-counts.ts';
import type { Tail } from './tail.ts';
import { eventView } from './view.ts';

interface StreamRequest {
  readonly institution: string;
  /** Whose streams are counted together. */
  readonly client: string;
  readonly after: number;
  readonly selection: Selection;
}

interface StreamOptions {
  readonly counts: Pick<StreamCounts, 'admit' | 'release'>;
  readonly feed: Feed;
  readonly tail: Tail;
  readonly cursors: EventCursors;
  readonly publicUrl: string;
  readonly logger: Pick<Logger, 'warn'>;
  /** Milliseconds between comments. */
  readonly commentMs?: number | undefined;
  /** How long a reserved stream may take to begin, in milliseconds: the answer to a HEAD, or to a client that has left, has none. */
  readonly beginsMs?: number | undefined;
}

const COMMENT_MS = 15_000;

/** Events read at once. */
const PAGE = 100;

/** Unread bytes above which nothing more is written until the client has read. */
const MOST_WAITING_BYTES = 256 * 1024;

/** How soon a client that reads slowly is looked at again, in milliseconds. */
const SLOW_MS = 200;

/** Writes events as Server-Sent Events, each once for all streams that share what was read. */
const createWriter = ({ cursors, publicUrl }: StreamOptions): ((events: readonly EventDocument[]) => string) => {
  const texts = new WeakMap<EventDocument, string>();
  const textOf = (event: EventDocument): string => {
    const id = cursors.write(event.institution, event.sequence);
    return `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(eventView(event, publicUrl))}\n\n`;
  };
  return (events) => {
    for (const event of events) if (!texts.has(event)) texts.set(event, textOf(event));
    return events.map((event) => texts.get(event)).join('');
  };
};

/** One stream: reads on from its position whenever it is woken, one reading at a time. */
const write = (
  { feed, tail, cursors, logger, commentMs = COMMENT_MS }: StreamOptions,
  textOf: (events: readonly EventDocument[]) => string,
  { institution, after, selection }: StreamRequest,
  stream: OpenStream,
): void => {
  let position = after;
  let isReading = false;
  let isWoken = false;
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;

  /** Writes what there is; false: the client has not read enough of it. */
  const step = async (): Promise<boolean> => {
    for (;;) {
      if (isClosed) return true;
      if (stream.waitingBytes > MOST_WAITING_BYTES) return false;
      const { events, upTo } = await feed.read(institution, position, selection, PAGE);
      if (isClosed) return true;
      if (events.length > 0) stream.write(textOf(events));
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
  // The id alone is no event for its reader, but the next Last-Event-ID.
  const comment = (): void => {
    if (stream.waitingBytes > MOST_WAITING_BYTES) return;
    stream.write(`: \nid: ${cursors.write(institution, position)}\n\n`);
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
  stream.write(`: \nid: ${cursors.write(institution, position)}\n\n`);
  wake();
};

/** Counts and writes the streams of an instance. */
export const createStreams = (options: StreamOptions) => {
  const { counts, beginsMs = 5_000 } = options;
  const textOf = createWriter(options);
  let count = 0;

  /**
   * Counts a stream, or a poll that waits; the returned function ends that, once.
   * @throws {Fault} `too_many_requests` if the client has {@link MOST_PER_CLIENT}
   */
  const reserve = async ({ institution, client }: Pick<StreamRequest, 'institution' | 'client'>) => {
    if (!(await counts.admit(institution, client))) {
      const details = `A client has at most ${MOST_PER_CLIENT} streams and waiting requests of events at once.`;
      throw new Fault('too_many_requests', details, { 'Retry-After': '10' });
    }
    let isCounted = true;
    return () => {
      if (isCounted) counts.release(institution, client);
      isCounted = false;
    };
  };

  return {
    reserve,
    /** Reserves a stream and returns what writes it. @throws {Fault} as `reserve` */
    async open(request: StreamRequest): Promise<(stream: OpenStream) => void> {
      const release = await reserve(request);
      const unused = setTimeout(release, beginsMs);
      unused.unref();
      return (stream) => {
        clearTimeout(unused);
        count += 1;
        stream.onClose(() => {
          count -= 1;
          release();
        });
        write(options, textOf, request, stream);
      };
    },
    /** The open streams of this instance. */
    get count(): number {
      return count;
    },
  };
};
