import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Method and path as in a raw request line, unverified; both are missing when it could not be read. */
export interface RequestLine {
  readonly method?: string;
  readonly path?: string;
}

/** The responses begun last, by connection. */
export type InFlight = WeakMap<Socket, ServerResponse<IncomingMessage>>;

/** Longest recorded part of a request line. */
const LINE_BYTES = 8_192;

const PATTERN = /^[\r\n]*([A-Z]{1,20}) (\S+)/;

const lineIn = (raw: string): RequestLine => {
  const match = PATTERN.exec(raw);
  return match ? { method: match[1], path: match[2] } : {};
};

/**
 * The line of a request that failed in this packet after another one had begun in it: the last that stands after the
 * first head's end. Nothing else in the packet tells them apart.
 */
const laterLineIn = (raw: string): RequestLine => {
  const rest = raw.slice(raw.indexOf('\r\n\r\n') + 4);
  return lineIn(rest.match(/^[A-Z]{1,20} \S+ HTTP\/1\.[01]\r?$/gm)?.at(-1) ?? rest);
};

/**
 * The parts of Node's HTTP parser that tell what it read. They are not documented, so nothing but the shape of a
 * refusal relies on them: without them a line is known only if it stands in the packet that was refused.
 */
interface Parser {
  onIncoming?: (request: IncomingMessage) => number;
  execute?: (chunk: Buffer) => unknown;
  getCurrentBuffer?: () => Buffer;
  readonly constructor: { readonly kOnExecute?: number };
  [afterPacket: number]: unknown;
}

const parserOf = (socket: Socket) => (socket as Socket & { readonly parser?: Parser | null }).parser;

/**
 * Method and path of a request whose headers stopped coming: the parser has its first line and hands it out once the
 * headers end, so they are ended for it.
 */
export const unfinishedLine = (socket: Socket): RequestLine => {
  const parser = parserOf(socket);
  let line: RequestLine = {};
  if (!parser?.execute) return line;
  const SKIP_BODY = 1;
  parser.onIncoming = ({ method, url }) => {
    line = { method, path: url };
    return SKIP_BODY;
  };
  try {
    parser.execute(Buffer.from('\r\n\r\n'));
  } catch {
    return {};
  }
  return line;
};

/** Answers the line of the request that failed on a connection, given the packet in which it did. */
export type FailedLine = (packet: Buffer | undefined) => RequestLine;

/** The line of a request that is known by the packet in which it failed, and by nothing else. */
export const lineOfPacket: FailedLine = (packet) => lineIn(packet?.toString('latin1', 0, LINE_BYTES) ?? '');

/**
 * Remembers the first line of a request whose head comes in several packets. A head that is whole in its packet, as
 * nearly all are, costs two comparisons: bytes are looked at only when a packet began no request.
 */
export const watchLines = (socket: Socket, inFlight: InFlight): FailedLine => {
  const parser = parserOf(socket);
  const at = parser?.constructor.kOnExecute;
  const next = at === undefined ? undefined : parser?.[at];
  if (!parser?.getCurrentBuffer || at === undefined || typeof next !== 'function') return lineOfPacket;

  let last: ServerResponse | undefined;
  /** Whether what came until now ended with a request's end. */
  let between = true;
  let begun = '';

  parser[at] = (result: unknown) => {
    // Otherwise it is the error, and the packet is told with it.
    if (typeof result === 'number') {
      const current = inFlight.get(socket);
      if (current !== last || !between) {
        last = current;
        between = current?.req.complete ?? true;
        begun = '';
      } else if (begun.length < LINE_BYTES && !begun.includes('\n', 2)) {
        begun += parser.getCurrentBuffer?.().toString('latin1', 0, LINE_BYTES) ?? '';
      }
    }
    return next(result);
  };

  return (packet) => {
    if (inFlight.get(socket) !== last) return laterLineIn(packet?.toString('latin1') ?? '');
    return lineIn(begun + (packet?.toString('latin1', 0, LINE_BYTES) ?? ''));
  };
};
