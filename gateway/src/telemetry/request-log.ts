import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  getRecorder,
  type Logger,
  parseTraceparent,
  readRequestId,
  readTraceparent,
  type Span,
  type Trace,
} from '@boxoffice/runtime';
import { isAnswered } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';

export interface AccessLog {
  record(exchange: Exchange): void;
  flush(): void;
}

/** Milliseconds for which lines are buffered, so that a busy gateway writes many at once. */
const FLUSH_MS = 200;
const FLUSH_CHARACTERS = 65_536;

const CLIENT_GONE = 499;

export function getSentStatus(response: Exchange['response']): number {
  return isAnswered(response) ? response.statusCode : CLIENT_GONE;
}

let lastTime = 0;
let lastText = '';

export function createAccessLog(logger: Pick<Logger, 'info'>): AccessLog {
  return {
    record: (exchange) => logger.info('request', readFields(exchange)),
    flush: () => undefined,
  };
}

/** Request id and method have a checked form; nothing else is client text: no token, address, path or query. */
const readFields = ({ request, response, trace, startedAt, route, claims, apiKey }: Exchange) => ({
  requestId: trace.requestId,
  client: claims?.client_id ?? apiKey?.apiKeyId ?? null,
  operation: route?.operation ?? 'none',
  method: request.method,
  status: getSentStatus(response),
  durationMs: Math.round(performance.now() - startedAt),
});

/** Costs a tenth, but a crash loses the last lines. */
export function createBufferedAccessLog(write: (lines: string) => void): AccessLog {
  let buffered = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (buffered === '') return;
    const lines = buffered;
    buffered = '';
    write(lines);
  };
  return {
    record(exchange) {
      buffered += formatLine(exchange);
      if (buffered.length > FLUSH_CHARACTERS) flush();
      else timer ??= setTimeout(flush, FLUSH_MS);
    },
    flush,
  };
}

const formatLine = (exchange: Exchange): string => {
  const { requestId, client, operation, method, status, durationMs } = readFields(exchange);
  const caller = `"requestId":"${requestId}","client":${JSON.stringify(client)},"operation":${JSON.stringify(operation)}`;
  const outcome = `"method":"${method}","status":${status},"durationMs":${durationMs}`;
  const time = formatTime(exchange.now);
  return `{"time":"${time}","level":"info","service":"gateway","message":"request",${caller},${outcome}}\n`;
};

/** ISO 8601, formatted once per millisecond. */
const formatTime = (now: number): string => {
  if (now !== lastTime) {
    lastTime = now;
    lastText = new Date(now).toISOString();
  }
  return lastText;
};

/** Everything that the request causes belongs to its trace. */
export function beginRequest({ headers, method }: IncomingMessage): Pick<Exchange, 'trace' | 'span'> {
  const trace: Trace = readTrace(headers);
  const record = getRecorder();
  if (!record) return { trace, span: undefined };
  const span = record({
    service: 'gateway',
    kind: 'server',
    name: String(method),
    parent: parseTraceparent(headers.traceparent) ? trace.traceparent : undefined,
    attributes: { 'http.request.method': String(method) },
  });
  return { trace: { requestId: trace.requestId, traceparent: span.traceparent }, span };
}

/** Missing or malformed headers give new ones. */
const readTrace = ({ 'x-request-id': requestId, traceparent }: IncomingHttpHeaders): Trace => {
  // Node caches random data for UUIDs; separate random bytes would cost ten times as much.
  const uuid = randomUUID();
  return {
    requestId: requestId === undefined ? uuid : readRequestId(requestId),
    traceparent: traceparent === undefined ? toTraceparent(uuid) : readTraceparent(traceparent),
  };
};

/** Its digits are the trace id, the last 16 the parent id. */
const toTraceparent = (uuid: string): string => {
  const [middle, last] = [uuid.slice(19, 23), uuid.slice(24)];
  return `00-${uuid.slice(0, 8)}${uuid.slice(9, 13)}${uuid.slice(14, 18)}${middle}${last}-${middle}${last}-01`;
};

/** The span's name is the route, never the path, which contains user input. */
export function endRequest(span: Span, { request, response, route, secure }: Exchange): void {
  const { statusCode, writableFinished } = response;
  span.set({ 'url.scheme': secure ? 'https' : 'http' });
  if (route) {
    span.rename(`${request.method} ${route.template}`);
    span.set({ 'http.route': route.template, 'boxoffice.operation': route.operation });
  }
  if (writableFinished) span.set({ 'http.response.status_code': statusCode });
  span.end(statusCode >= 500 ? String(statusCode) : undefined);
}
