import { randomUUID } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import type { OpenStream } from '@boxoffice/http';
import { type Logger, repeat } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import { type EventDocument, openStreamsCollection } from '../store.ts';
import type { EventCursors, Feed, Selection } from './read.ts';
import type { Tail } from './tail.ts';
import { type EventBounds, eventView } from './visible.ts';

/** The streams that clients have open, at all instances together. */
type StreamCounts = ReturnType<typeof createStreamCounts>;

/** Streams of a client at once. */
export const MOST_PER_CLIENT = 20;

/** How long the streams of an instance count that died. */
const LEASE_MS = 10_000;
const RENEW_MS = 3_000;

interface Own {
  count: number;
  /** Actions that wait or run, and the last of them. */
  acting: number;
  last: Promise<unknown>;
  /** Whether the store may have another number, since the last action failed. */
  isStale: boolean;
}

/** Counts the streams of an instance, and reads those of the others. */
export const createStreamCounts = (
  store: Pick<Store, 'collection'>,
  logger: Pick<Logger, 'warn'>,
  now: () => number,
) => {
  const instance = randomUUID();
  const institutions = new Map<string, Map<string, Own>>();
  const documentsOf = (institution: string) => store.collection(openStreamsCollection).of(institution);
  // Ids are unique over all institutions.
  const idOf = (institution: string, client: string): string => `${instance}.${institution}.${client}`;

  const ownOf = (institution: string, client: string): Own => {
    const clients = institutions.get(institution) ?? new Map<string, Own>();
    institutions.set(institution, clients);
    const own = clients.get(client) ?? { count: 0, acting: 0, last: Promise.resolve(), isStale: false };
    clients.set(client, own);
    return own;
  };

  const write = async (institution: string, client: string, count: number): Promise<void> => {
    const documents = documentsOf(institution);
    const id = idOf(institution, client);
    if (count === 0) return void (await documents.delete(id));
    const state = { count, until: now() + LEASE_MS };
    const updated = await documents.update(id, (current) => ({ next: { ...current, ...state } }));
    if (!updated) await documents.insert({ id, client, instance, ...state });
  };

  const countOfOthers = async (institution: string, client: string): Promise<number> => {
    const found = await documentsOf(institution).find({ where: { client, until: { gt: now() } } });
    return found.reduce((sum, one) => sum + (one.instance === instance ? 0 : one.count), 0);
  };

  /** Acts on the client's count after every earlier action, and forgets the client when nothing is left of it. */
  const inTurn = async <T>(institution: string, client: string, act: (own: Own) => Promise<T>): Promise<T> => {
    const own = ownOf(institution, client);
    own.acting += 1;
    const acted = own.last.then(() => act(own));
    own.last = acted.then(
      () => {
        own.isStale = false;
      },
      () => {
        own.isStale = true;
      },
    );
    try {
      return await acted;
    } finally {
      await own.last;
      own.acting -= 1;
      if (own.acting === 0 && own.count === 0 && !own.isStale) institutions.get(institution)?.delete(client);
    }
  };

  /** Writes the client's number. */
  const writeCount = (institution: string, client: string): Promise<void> =>
    inTurn(institution, client, (own) => write(institution, client, own.count));

  /** Counts one less. */
  const release = (institution: string, client: string): void => {
    ownOf(institution, client).count -= 1;
    writeCount(institution, client).catch((error: unknown) =>
      logger.warn('an ended stream could not be counted; it is tried again', { error }),
    );
  };

  const renew = async (): Promise<void> => {
    for (const [institution, clients] of institutions) {
      for (const [client, { acting, isStale }] of clients)
        if (acting === 0 && isStale) await writeCount(institution, client);
      if (clients.size === 0) institutions.delete(institution);
      else await documentsOf(institution).claim({ where: { instance }, set: { until: now() + LEASE_MS } });
    }
  };
  const renewing = repeat(renew, {
    everyMs: RENEW_MS,
    failed: (error) => logger.warn('the count of open streams could not be renewed; the next run does', { error }),
  });

  return {
    /** Counts one more stream of the client, unless it has {@link MOST_PER_CLIENT}: then false. */
    admit(institution: string, client: string): Promise<boolean> {
      return inTurn(institution, client, async (own) => {
        if (own.count >= MOST_PER_CLIENT) return false;
        // Written before the others are read: of two instances that admit at once, at least one sees the other.
        own.count += 1;
        try {
          await write(institution, client, own.count);
          if (own.count + (await countOfOthers(institution, client)) <= MOST_PER_CLIENT) return true;
        } catch (error) {
          release(institution, client);
          throw error;
        }
        release(institution, client);
        return false;
      });
    },
    release,
    async close(): Promise<void> {
      await renewing.close();
      for (const [institution, clients] of institutions)
        for (const client of clients.keys())
          await inTurn(institution, client, () => write(institution, client, 0)).catch(() => undefined);
    },
  };
};

interface Reservation {
  readonly institution: string;
  /** Whose streams are counted together. */
  readonly client: string;
  /** Aborted when it ends. */
  readonly closed: AbortSignal;
}

interface StreamRequest extends Reservation {
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
}

const COMMENT_MS = 15_000;

/** Events read at once. */
const PAGE = 100;

/** Unread bytes above which nothing more is written until the client has read. */
const MOST_WAITING_BYTES = 256 * 1024;

/** How soon a client that reads slowly is looked at again, in milliseconds. */
const SLOW_MS = 200;

type Write = (events: readonly EventDocument[], bounds: EventBounds | undefined) => string;

/** Writes events as Server-Sent Events, each once for all streams without bounds that share what was read. */
const createWriter = ({ cursors, publicUrl }: StreamOptions): Write => {
  const texts = new WeakMap<EventDocument, string>();
  const textOf = (event: EventDocument, bounds: EventBounds | undefined): string => {
    const id = cursors.write(event.institution, event.sequence, bounds);
    return `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(eventView(event, publicUrl, bounds))}\n\n`;
  };
  return (events, bounds) => {
    if (bounds) return events.map((event) => textOf(event, bounds)).join('');
    for (const event of events) if (!texts.has(event)) texts.set(event, textOf(event, undefined));
    return events.map((event) => texts.get(event)).join('');
  };
};

/** One stream: reads on from its position whenever it is woken, one reading at a time. */
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

  /** Writes what there is; false: the client has not read enough of it. */
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
  const idOf = (): string => `: \nid: ${cursors.write(institution, position, selection.bounds)}\n\n`;
  // The id alone is no event for its reader, but the next Last-Event-ID.
  const comment = (): void => {
    if (stream.waitingBytes > MOST_WAITING_BYTES) return;
    stream.write(idOf());
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
  stream.write(idOf());
  wake();
};

/** Counts and writes the streams of an instance. */
export const createStreams = (options: StreamOptions) => {
  const { counts } = options;
  const textOf = createWriter(options);
  let count = 0;

  /**
   * Counts a stream, or a poll that waits, until its response has ended or its client has disconnected.
   * @throws {Fault} `too_many_requests` if the client has {@link MOST_PER_CLIENT}
   */
  const reserve = async ({ institution, client, closed }: Reservation): Promise<void> => {
    if (!(await counts.admit(institution, client))) {
      const details = `A client has at most ${MOST_PER_CLIENT} streams and waiting requests of events at once.`;
      throw new Fault('too_many_requests', details, { 'Retry-After': '10' });
    }
    const release = () => counts.release(institution, client);
    if (closed.aborted) release();
    else closed.addEventListener('abort', release, { once: true });
  };

  return {
    reserve,
    /** Reserves a stream and returns what writes it. @throws {Fault} as `reserve` */
    async open(request: StreamRequest): Promise<(stream: OpenStream) => void> {
      await reserve(request);
      return (stream) => {
        count += 1;
        stream.onClose(() => {
          count -= 1;
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
