import type { Logger } from '@boxoffice/runtime';
import { isAnswered } from '../exchange/drain-body.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** Writes one line per request. */
export interface AccessLog {
  /** Logs a request whose response is sent or whose client has disconnected. */
  record(exchange: Exchange): void;
  /** Writes the buffered lines. */
  flush(): void;
}

/** How long lines are buffered, so that a busy gateway writes many at once. Milliseconds. */
const FLUSH_MS = 200;
const FLUSH_CHARACTERS = 65_536;

/** The status that proxies log for a client that disconnected before its response. */
const CLIENT_GONE = 499;

/** The status that a client got. */
export const sentStatus = (response: Exchange['response']): number =>
  isAnswered(response) ? response.statusCode : CLIENT_GONE;

/**
 * The logged fields. Request id and method have a checked form; nothing else is client text: no token, address, path or
 * query.
 */
const fieldsOf = ({ request, response, trace, startedAt, route, claims, apiKey }: Exchange) => ({
  requestId: trace.requestId,
  client: claims?.client_id ?? apiKey?.apiKeyId ?? null,
  operation: route?.operation ?? 'none',
  method: request.method,
  status: sentStatus(response),
  durationMs: Math.round(performance.now() - startedAt),
});

let lastTime = 0;
let lastText = '';

/** An ISO 8601 timestamp, formatted once per millisecond. */
const timeOf = (now: number): string => {
  if (now !== lastTime) {
    lastTime = now;
    lastText = new Date(now).toISOString();
  }
  return lastText;
};

/** The same fields as a JSON line. Request id and method need no escaping, because their form is checked. */
const lineOf = (exchange: Exchange): string => {
  const { requestId, client, operation, method, status, durationMs } = fieldsOf(exchange);
  const caller = `"requestId":"${requestId}","client":${JSON.stringify(client)},"operation":${JSON.stringify(operation)}`;
  const outcome = `"method":"${method}","status":${status},"durationMs":${durationMs}`;
  const time = timeOf(exchange.now);
  return `{"time":"${time}","level":"info","service":"gateway","message":"request",${caller},${outcome}}\n`;
};

/** Logs through the process's logger, for terminals. */
export const loggedAccess = (logger: Pick<Logger, 'info'>): AccessLog => ({
  record: (exchange) => logger.info('request', fieldsOf(exchange)),
  flush: () => undefined,
});

/** Writes the same lines as buffered JSON: a tenth of the cost, but a crash loses the last lines. */
export const bufferedAccess = (write: (lines: string) => void): AccessLog => {
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
      buffered += lineOf(exchange);
      if (buffered.length > FLUSH_CHARACTERS) flush();
      else timer ??= setTimeout(flush, FLUSH_MS);
    },
    flush,
  };
};
