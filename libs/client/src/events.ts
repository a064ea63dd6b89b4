import { ApiError, ConnectionError } from './errors.ts';
import type { Event } from './generated/types.ts';
import { delay, parseRefusal, readAnswer, rejectOnAbort, startLimit, type Wire } from './http/exchange.ts';
import { formatQuery } from './http/methods.ts';
import { computeBackoff, type Transport } from './http/transport.ts';

/** A message of a stream of Server-Sent Events (HTML Living Standard, 9.2). */
interface Message {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: string;
}

export type EventType = Event['type'];

export type EventOf<Type extends EventType> = Extract<Event, { type: Type }>;

type GroupOf<Type extends EventType> = Type extends `${infer Resource}.${string}` ? Resource : never;

/** A type of events, or all types of a resource. */
export type EventFilter = EventType | `${GroupOf<EventType>}.*`;

export type EventsOf<Filter extends EventFilter> = EventOf<
  Filter extends `${infer Resource}.*` ? Extract<EventType, `${Resource}.${string}`> : Extract<Filter, EventType>
>;

export interface EventsOptions<Filter extends EventFilter = EventFilter> {
  /** The cursor of the last event that was handled, or `start` for the oldest that is kept. Default: from now on. */
  after?: string;
  /** Default: all types that the token may see. */
  types?: readonly Filter[];
  resource?: string;
  /** Ends the stream: the loop throws the reason of the signal. */
  signal?: AbortSignal;
}

export interface EventStream<Filter extends EventFilter = EventFilter> extends AsyncIterableIterator<EventsOf<Filter>> {
  /** `after` of a later stream; also moves over events that the filter leaves out. Undefined until it is known. */
  readonly cursor: string | undefined;
  return(): Promise<IteratorResult<EventsOf<Filter>>>;
}

/** The server says something every 15 seconds; after three silences the connection is broken. */
const SILENCE_MS = 45_000;

export function openEventStream(
  transport: Transport,
  baseUrl: string,
  { after, types, resource, signal }: EventsOptions,
  { timeoutMs, maxDelayMs }: { readonly timeoutMs: number; readonly maxDelayMs: number },
): EventStream {
  const ending = new AbortController();
  let cursor = after;
  let failures = 0;

  const wireOf = (accept: string, query: Readonly<Record<string, unknown>>): Wire => ({
    method: 'GET',
    url: `${baseUrl}/svc/v3/events?${formatQuery(query)}`,
    headers: { accept },
    signal: ending.signal,
    timeoutMs,
  });
  /** Without it, what happens before the first connection holds would be lost if that breaks. */
  const endOfFeed = async (): Promise<string> => {
    const wire = wireOf('application/json', { limit: 1 });
    const { data } = await transport.once(wire, (response) =>
      readAnswer<{ readonly nextCursor: string }>(response, 'envelope'),
    );
    return data.nextCursor;
  };
  const open = (): Promise<Response> =>
    transport.once(
      wireOf('text/event-stream', { after: cursor, ...(types && { types: types.join(',') }), resource }),
      async (response) => {
        if (!response.ok) throw new ApiError(parseRefusal(response, await response.text()));
        return response;
      },
    );
  async function* connection(): AsyncGenerator<Event, void, undefined> {
    cursor ??= await endOfFeed();
    const { body } = await open();
    if (!body) return;
    const isAlive = () => {
      failures = 0;
    };
    for await (const { id, data } of messagesOf(body, ending.signal, isAlive)) {
      cursor = id ?? cursor;
      if (data !== '') yield JSON.parse(data) as Event;
    }
  }
  async function* connections(): AsyncGenerator<Event, void, undefined> {
    const end = () => ending.abort(signal?.reason);
    if (signal?.aborted) end();
    signal?.addEventListener('abort', end, { once: true });
    try {
      for (;;) {
        let asked = 0;
        try {
          yield* connection();
        } catch (error) {
          if (!passes(error)) throw error;
          asked = error instanceof ApiError ? (error.retryAfter ?? 0) * 1_000 : 0;
        }
        await delay(Math.max(asked, computeBackoff(failures, maxDelayMs)), ending.signal);
        failures += 1;
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (!ending.signal.aborted) throw error;
    } finally {
      signal?.removeEventListener('abort', end);
      ending.abort();
    }
  }

  const events = connections();
  return {
    get cursor() {
      return cursor;
    },
    next: () => events.next(),
    return() {
      ending.abort();
      return events.return();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Every piece that arrives starts the time limit of silence again. */
async function* messagesOf(
  body: ReadableStream<Uint8Array>,
  ending: AbortSignal,
  onPiece: () => void,
): AsyncGenerator<Message, void, undefined> {
  const silence = startLimit(SILENCE_MS, ending);
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const messages = createMessageReader();
  try {
    for (;;) {
      const { done, value } = await rejectOnAbort(reader.read(), silence.signal);
      if (done) return;
      silence.restart();
      onPiece();
      yield* messages(decoder.decode(value, { stream: true }));
    }
  } catch (cause) {
    throw new ConnectionError('the stream of events broke', { cause });
  } finally {
    silence.end();
    reader.cancel().catch(() => undefined);
  }
}

const createMessageReader = (): ((piece: string) => Message[]) => {
  let rest = '';
  let id: string | undefined;
  let type = '';
  let data: string[] = [];
  let isChanged = false;

  const field = (line: string): void => {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    else if (name === 'event') type = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
    else return;
    isChanged = true;
  };
  return (piece) => {
    const found: Message[] = [];
    // A CR at the end may be the half of a CRLF.
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== '') {
        field(line);
        continue;
      }
      if (isChanged) found.push({ id, type: type || 'message', data: data.join('\n') });
      type = '';
      data = [];
      isChanged = false;
    }
    return found;
  };
};

/** Failures of the installation or of the way to it, which pass. */
const passes = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  (error instanceof ApiError && (error.httpStatus >= 500 || error.httpStatus === 429));
