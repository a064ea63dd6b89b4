import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../logger.ts';

/** A request that Node's HTTP parser refuses, or that does not arrive whole in time. */
export interface Refusal {
  readonly status: 400 | 408 | 431;
  readonly code: 'bad_request' | 'request_timeout' | 'headers_too_large';
  readonly details: string;
  /** As sent, unverified; undefined when the refused packet does not begin with a request line. */
  readonly method?: string | undefined;
  readonly path?: string | undefined;
}

interface RefusalAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Refuse = (refusal: Refusal) => RefusalAnswer;

/** Notified of every refusal of a request that no handler got, with the id in its answer. */
export type OnRefused = (refusal: Refusal, requestId: string | undefined) => void;

/** Without the path. */
export function logRefusals(logger: Pick<Logger, 'info'>): OnRefused {
  return ({ method, status, code }, requestId) =>
    logger.info('request', { requestId, client: null, operation: 'none', method, status, code });
}

const reasons = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' } as const;

export const malformed: Refusal = {
  status: 400,
  code: 'bad_request',
  details: 'The request is not well-formed HTTP.',
};

/** In a body: the client has left. */
const CLIENT_ENDED = 'HPE_INVALID_EOF_STATE';

const LINE = /^([A-Z]{1,20}) (\S+)/;

interface RefusalOptions {
  readonly latest: WeakMap<Socket, ServerResponse<IncomingMessage>>;
  readonly refuse: Refuse;
  readonly onRefused?: OnRefused | undefined;
}

/** Answers the requests that the server itself refuses; returns the answer to those without a `Host`. */
export function answerRefusals(
  server: Server,
  { latest, refuse, onRefused }: RefusalOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  const refuseUnhandled = (refusal: Refusal): RefusalAnswer => {
    const shaped = refuse(refusal);
    onRefused?.(refusal, shaped.headers['X-Request-Id']);
    return shaped;
  };
  const refuseOn = (socket: Socket, refusal: Refusal): void => {
    if (socket.writable) answerOn(socket, refusal, refuseUnhandled(refusal));
  };

  server.on('clientError', (error: Error & { readonly code?: string; readonly rawPacket?: Buffer }, socket: Socket) => {
    const refusal = refusalOf(error.code);
    const response = latest.get(socket);
    if (!refusal || !socket.writable) socket.destroy();
    else if (!response || response.writableFinished || response.destroyed) {
      refuseOn(socket, { ...refusal, ...lineOf(error.rawPacket) });
    } else if (response.req.complete) {
      // The error is in a request after the one that is being answered: that answer comes first.
      response.once('close', () => refuseOn(socket, { ...refusal, ...lineOf(error.rawPacket) }));
    } else if (response.headersSent) socket.destroySoon();
    else if (error.code === CLIENT_ENDED) socket.destroy();
    else answer(response, refusal, refuse({ ...refusal, method: response.req.method, path: response.req.url }));
  });
  server.on('connect', ({ method, url }: IncomingMessage, socket: Socket) => {
    refuseOn(socket, { ...malformed, method, path: url });
  });
  return ({ method, url }, response) => {
    const refusal = { ...malformed, method, path: url };
    answer(response, refusal, refuseUnhandled(refusal));
  };
}

const answerOn = (socket: Socket, { status }: Refusal, { headers, body }: RefusalAnswer): void => {
  const all = { Date: new Date().toUTCString(), ...headers, 'Content-Length': `${Buffer.byteLength(body)}` };
  const lines = Object.entries({ ...all, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${reasons[status]}\r\n${lines.join('')}\r\n${body}`, () => {
    // The client may still be sending; without this it could keep the connection open for ever.
    socket.destroySoon();
  });
};

/** The refusal for an error of a connection; undefined for a failed handshake or a lost connection. */
const refusalOf = (code: string | undefined): Refusal | undefined => {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, code: 'request_timeout', details: 'The request did not arrive completely in time.' };
  }
  if (code === 'HPE_HEADER_OVERFLOW' || code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return { status: 431, code: 'headers_too_large', details: 'The headers of the request are too large.' };
  }
  return code?.startsWith('HPE_') ? malformed : undefined;
};

const lineOf = (packet: Buffer | undefined): Pick<Refusal, 'method' | 'path'> => {
  const [, method, path] = LINE.exec(packet?.toString('latin1', 0, 8_192) ?? '') ?? [];
  return { method, path };
};

/** Answers a request, and closes its connection: where the next request would begin is unknown. */
const answer = (response: ServerResponse, { status }: Refusal, { headers, body }: RefusalAnswer): void => {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' }).end(body);
};
