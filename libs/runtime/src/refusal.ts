import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request that never reaches a handler, because Node's HTTP parser refuses it or it does not arrive whole in time. */
export interface Refusal {
  readonly status: 400 | 408 | 431;
  readonly code: 'bad_request' | 'request_timeout' | 'headers_too_large';
  /** English, for humans. */
  readonly details: string;
  /** As in the raw request line, unverified; undefined when that could not be read. */
  readonly method?: string;
  /** As in the raw request line, unverified; undefined when that could not be read. */
  readonly path?: string;
}

/** What a refused request is answered, in the shape that the caller's interface has. */
export interface RefusalAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Gives refusals their shape. */
export type Refuse = (refusal: Refusal) => RefusalAnswer;

const reasons = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' } as const;

type Kind = Pick<Refusal, 'status' | 'code' | 'details'>;

/** A request that is no HTTP. */
export const malformed: Kind = { status: 400, code: 'bad_request', details: 'The request is not well-formed HTTP.' };

const kindOf = (code: string | undefined): Kind | undefined => {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, code: 'request_timeout', details: 'The request did not arrive whole in time.' };
  }
  if (code === 'HPE_HEADER_OVERFLOW' || code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return { status: 431, code: 'headers_too_large', details: 'The headers of the request are too large.' };
  }
  return code?.startsWith('HPE_') ? malformed : undefined;
};

/** Method and path of a raw request's first line, whatever follows it. */
export const requestLine = (raw: Buffer | undefined): Pick<Refusal, 'method' | 'path'> => {
  const line = raw?.subarray(0, 8192).toString('latin1').split(/\r?\n/, 1)[0] ?? '';
  const match = /^([A-Z]{1,20}) (\S+)/.exec(line);
  return match ? { method: match[1], path: match[2] } : {};
};

/** The part of Node's HTTP parser that is needed to ask it for what it read so far; not documented, so nothing relies on it. */
interface Parser {
  onIncoming?: (request: IncomingMessage) => number;
  execute?: (chunk: Buffer) => unknown;
}

/**
 * Method and path of a request whose headers stopped coming: the parser has its first line and hands it out once the headers
 * end, so they are ended for it.
 */
const unfinishedLine = (socket: Socket): Pick<Refusal, 'method' | 'path'> => {
  const { parser } = socket as Socket & { readonly parser?: Parser | null };
  let line: Pick<Refusal, 'method' | 'path'> = {};
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

/** Writes the whole answer to the socket and closes it: what else comes on it cannot be told apart from rubbish. */
const write = (socket: Socket, refusal: Refusal, refuse: Refuse): void => {
  const { headers, body } = refuse(refusal);
  const all = { Date: new Date().toUTCString(), ...headers, 'Content-Length': `${Buffer.byteLength(body)}` };
  const lines = Object.entries({ ...all, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  const payload = refusal.method === 'HEAD' ? '' : body;
  socket.end(`HTTP/1.1 ${refusal.status} ${reasons[refusal.status]}\r\n${lines.join('')}\r\n${payload}`, () => {
    // The client may still be sending; without this it could keep the connection open for ever.
    socket.destroySoon();
  });
};

interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** Answers what the server refuses by itself. `inFlight` is the last response begun on each connection. */
export const answerRefusals = (
  server: Server,
  refuse: Refuse,
  inFlight: WeakMap<Socket, ServerResponse<IncomingMessage>>,
): void => {
  server.on('clientError', (error: ParserError, socket: Socket) => {
    const kind = kindOf(error.code);
    // A failed handshake or a lost connection: there is nobody to answer.
    if (!kind || !socket.writable) {
      socket.destroy();
      return;
    }
    const response = inFlight.get(socket);
    const pending = response !== undefined && !response.writableFinished && !response.destroyed;
    if (!pending) {
      const line = kind.status === 408 ? unfinishedLine(socket) : requestLine(error.rawPacket);
      write(socket, { ...kind, ...line }, refuse);
    } else if (response.req.complete) {
      // The trouble is in a request after the one that is being answered: that answer comes first.
      response.once('close', () => {
        if (socket.writable) write(socket, { ...kind, ...requestLine(error.rawPacket) }, refuse);
      });
    } else if (response.headersSent) {
      socket.destroy();
    } else {
      write(socket, { ...kind, method: response.req.method, path: response.req.url }, refuse);
    }
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    write(socket, { ...malformed, method: request.method, path: request.url }, refuse);
  });
};
