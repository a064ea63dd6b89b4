import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Method and path as in a raw request line, unverified; both are missing when it could not be read. */
export interface RequestLine {
  readonly method?: string;
  readonly path?: string;
}

/** The latest response of each connection. */
export type InFlight = WeakMap<Socket, ServerResponse<IncomingMessage>>;

/** Longest recorded part of a request line. */
const LINE_BYTES = 8_192;

const PATTERN = /^[\r\n]*([A-Z]{1,20}) (\S+)/;

const lineIn = (raw: string): RequestLine => {
  const match = PATTERN.exec(raw);
  return match ? { method: match[1], path: match[2] } : {};
};

/**
 * The line of a request that failed in the packet in which another one began: the last line that looks like one, after
 * the end of the first head. The packet does not show more.
 */
const laterLineIn = (raw: string): RequestLine => {
  const rest = raw.slice(raw.indexOf('\r\n\r\n') + 4);
  return lineIn(rest.match(/^[A-Z]{1,20} \S+ HTTP\/1\.[01]\r?$/gm)?.at(-1) ?? rest);
};

/**
 * The undocumented parts of Node's HTTP parser that show what it has read. Only the shape of a refusal depends on them:
 * without them a line is known only if it is in the refused packet.
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
 * Method and path of a request whose headers stopped arriving. The parser has read its first line and emits it at the
 * end of the headers, so this feeds it that end.
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

/** The line of the request that failed on a connection, given the packet in which it failed. */
export type FailedLine = (packet: Buffer | undefined) => RequestLine;

/** The line at the start of the packet in which its request failed. */
export const lineOfPacket: FailedLine = (packet) => lineIn(packet?.toString('latin1', 0, LINE_BYTES) ?? '');

/**
 * Records the first line of a request whose head arrives in several packets. A head that is complete in its packet, as
 * nearly all are, costs two comparisons: bytes are read only when a packet started no request.
 */
export const watchLines = (socket: Socket, inFlight: InFlight): FailedLine => {
  const parser = parserOf(socket);
  const at = parser?.constructor.kOnExecute;
  const next = at === undefined ? undefined : parser?.[at];
  if (!parser?.getCurrentBuffer || at === undefined || typeof next !== 'function') return lineOfPacket;

  let last: ServerResponse | undefined;
  /** Whether the bytes received so far end with the end of a request. */
  let between = true;
  let head = '';

  parser[at] = (result: unknown) => {
    // Otherwise it is the error, whose `rawPacket` has the packet.
    if (typeof result === 'number') {
      const current = inFlight.get(socket);
      if (current !== last || !between) {
        last = current;
        between = current?.req.complete ?? true;
        head = '';
      } else if (head.length < LINE_BYTES && !head.includes('\n', 2)) {
        head += parser.getCurrentBuffer?.().toString('latin1', 0, LINE_BYTES) ?? '';
      }
    }
    return next(result);
  };

  return (packet) => {
    if (inFlight.get(socket) !== last) return laterLineIn(packet?.toString('latin1') ?? '');
    return lineIn(head + (packet?.toString('latin1', 0, LINE_BYTES) ?? ''));
  };
};
