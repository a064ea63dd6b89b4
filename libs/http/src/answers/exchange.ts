import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fault } from '@boxoffice/envelope';
import type { Logger, Trace } from '@boxoffice/runtime';
import type { Family } from '../families/family.ts';
import type { OpenStream } from '../operation.ts';

export type Headers = Readonly<Record<string, string>>;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined for 304, which has none. A text goes out in one write together with its headers. */
  readonly body: string | Buffer | undefined;
  readonly stream?: (open: OpenStream) => void;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly trace: Trace;
  /** By the monotonic clock, in milliseconds. */
  readonly startedAt: number;
  readonly headers?: Headers;
  operation?: string;
  client?: string | null;
  isRoutine?: boolean;
}

/** For so long a refused request is read to its end, so that its client gets the answer instead of a reset. */
const DRAIN_BODY_MS = 2_000;

export function formatJsonBody(value: unknown): string {
  return JSON.stringify(value);
}

export const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' } as const;

/** Aborts once the response was sent, or its client has disconnected before. */
export function createCloseSignal(response: ServerResponse): AbortSignal {
  if (response.closed || response.destroyed) return AbortSignal.abort();
  const closing = new AbortController();
  response.once('close', () => closing.abort());
  return closing.signal;
}

/** Sends the answer; a HEAD gets its headers alone. */
export function send(exchange: Exchange, { status, headers, body, stream }: Reply): void {
  const { request, response, trace } = exchange;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  const all = {
    ...(exchange.headers ? mergeHeaders(exchange.headers, headers) : headers),
    'X-Request-Id': trace.requestId,
    traceparent: trace.traceparent,
    ...(length > 0 && { 'Content-Length': length }),
  };
  response.writeHead(status, all);
  if (stream && request.method !== 'HEAD') {
    if (response.destroyed) return;
    response.flushHeaders();
    stream(openStream(response));
    return;
  }
  if (headers.Connection !== 'close' || request.complete) {
    // ASCII text, which most answers are, needs no encoding.
    response.end(body, length === body?.length ? 'latin1' : 'utf8');
    return;
  }
  response.write(body ?? '');
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, DRAIN_BODY_MS).unref();
  request.once('end', end).once('close', end).resume();
}

const mergeHeaders = (general: Headers, own: Headers): Headers => ({
  ...general,
  ...own,
  ...(general.Vary && own.Vary ? { Vary: `${own.Vary}, ${general.Vary}` } : {}),
});

const openStream = (response: ServerResponse): OpenStream => ({
  write: (text) => response.write(text),
  get waitingBytes() {
    return response.writableLength;
  },
  end: () => void response.end(),
  onClose: (listener) => void response.once('close', listener),
});

export function createRefusalReply(
  family: Family,
  fault: Fault,
  more?: { members?: object; headers?: Headers },
): Reply {
  const { status, body } = family.failure(fault);
  return {
    status,
    headers: { ...JSON_TYPE, 'Cache-Control': 'no-store', ...fault.headers, ...more?.headers },
    body: formatJsonBody(more?.members ? { ...body, ...more.members } : body),
  };
}

/** The access log; without `debug`, lines of that level are discarded. */
export type AccessLogger = Pick<Logger, 'info'> & Partial<Pick<Logger, 'debug'>>;

/** One line when the answer is sent or the client has left; at level `debug` for a routine request that succeeded. */
export function logAccess(exchange: Exchange, logger: AccessLogger): void {
  const { request, response, trace, startedAt } = exchange;
  response.once('close', () => {
    const log =
      exchange.isRoutine && response.writableFinished && response.statusCode < 400 ? logger.debug : logger.info;
    log?.('request', {
      requestId: trace.requestId,
      client: exchange.client ?? null,
      operation: exchange.operation ?? 'none',
      method: request.method,
      // 499 as proxies log it: the client disconnected before its answer.
      status: response.writableFinished ? response.statusCode : 499,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
    });
  });
}
