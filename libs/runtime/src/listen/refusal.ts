import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { Logger } from '../logs/logger.ts';
import {
  type FailedLine,
  type InFlight,
  lineOfPacket,
  type RequestLine,
  unfinishedLine,
  watchLines,
} from './request-line.ts';

/**
 * A request that never reaches a handler, because Node's HTTP parser refuses it or it does not arrive whole in time.
 */
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

/** The answer to a refused request, in the shape of the interface. */
export interface RefusalAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Shapes the answers to refused requests. */
export type Refuse = (refusal: Refusal) => RefusalAnswer;

/** Notified of every refusal of a request that no handler got, with the id in its answer. */
export type OnRefused = (refusal: Refusal, requestId: string | undefined) => void;

/** Logs refusals as requests are logged: one line, without the path. */
export const logRefused =
  (logger: Pick<Logger, 'info'>): OnRefused =>
  ({ method, status, code }, requestId) =>
    logger.info('request', { requestId, client: null, operation: 'none', method, status, code });

/** Shapes a refusal and reports it to `onRefused`. */
export const refusing =
  (refuse: Refuse, onRefused: OnRefused | undefined): Refuse =>
  (refusal) => {
    const answer = refuse(refusal);
    onRefused?.(refusal, answer.headers['X-Request-Id']);
    return answer;
  };

const reasons = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' } as const;

type Kind = Pick<Refusal, 'status' | 'code' | 'details'>;

/** A request that is not HTTP. */
export const malformed: Kind = { status: 400, code: 'bad_request', details: 'The request is not well-formed HTTP.' };

const kindOf = (code: string | undefined): Kind | undefined => {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, code: 'request_timeout', details: 'The request did not arrive completely in time.' };
  }
  if (code === 'HPE_HEADER_OVERFLOW' || code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return { status: 431, code: 'headers_too_large', details: 'The headers of the request are too large.' };
  }
  return code?.startsWith('HPE_') ? malformed : undefined;
};

/**
 * Writes the whole answer to the socket and closes it: the end of the refused request, where the next one would begin,
 * is unknown.
 */
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

export interface RefusalOptions {
  readonly refuse: Refuse;
  readonly onRefused?: OnRefused;
  readonly inFlight: InFlight;
}

/** Answers the requests that the server itself refuses. */
export const answerRefusals = (server: Server, { refuse, onRefused, inFlight }: RefusalOptions): void => {
  const refuseUnhandled = refusing(refuse, onRefused);
  const lines = new WeakMap<Socket, FailedLine>();
  const watch = (socket: Socket) => lines.set(socket, watchLines(socket, inFlight));
  // Over TLS the parser exists once the handshake is done.
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', watch);

  const failedLine = (socket: Socket, packet: Buffer | undefined, isLate: boolean): RequestLine => {
    const line = (lines.get(socket) ?? lineOfPacket)(packet);
    return isLate && line.path === undefined ? unfinishedLine(socket) : line;
  };

  /** The error is in the body of a request that a handler has. */
  const refuseBody = (socket: Socket, kind: Kind, response: ServerResponse): void => {
    const { req, headersSent, writableEnded, writableFinished } = response;
    // An answer that was sent already was the only one; one that is being sent is waited for.
    if (writableFinished) socket.destroySoon();
    else if (writableEnded) response.once('finish', () => socket.destroySoon());
    // Over TLS the written bytes may not be sent yet. A client recognises a truncated answer by its length or chunks,
    // except in HTTP/1.0.
    else if (headersSent && req.httpVersion !== '1.0') socket.destroySoon();
    // Nothing may be written to the connection before the answers to earlier requests.
    else if (headersSent || response.socket !== socket) socket.destroy();
    else write(socket, { ...kind, method: req.method, path: req.url }, refuse);
  };

  server.on('clientError', (error: ParserError, socket: Socket) => {
    const kind = kindOf(error.code);
    // A failed handshake or a lost connection: no answer is possible.
    if (!kind || !socket.writable) {
      socket.destroy();
      return;
    }
    const response = inFlight.get(socket);
    if (response && !response.req.complete) {
      refuseBody(socket, kind, response);
      return;
    }
    const refusal = { ...kind, ...failedLine(socket, error.rawPacket, kind.status === 408) };
    if (!response || response.writableFinished || response.destroyed) {
      write(socket, refusal, refuseUnhandled);
      return;
    }
    // The error is in a request after the one that is being answered: that answer comes first.
    response.once('close', () => {
      if (socket.writable) write(socket, refusal, refuseUnhandled);
    });
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    write(socket, { ...malformed, method: request.method, path: request.url }, refuseUnhandled);
  });
};
