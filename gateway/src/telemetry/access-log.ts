import type { Logger } from '@boxoffice/runtime';
import { isAnswered } from '../exchange/drain-body.ts';
import type { Exchange } from '../exchange/exchange.ts';

/** One line per request. */
export interface AccessLog {
  /** Notes a request whose answer is out, or whose client is gone. */
  record(exchange: Exchange): void;
  /** Writes what is still held back. */
  flush(): void;
}

/** Lines are held back so long, so that a busy gateway writes many at once. */
const FLUSH_MS = 200;
const FLUSH_CHARACTERS = 65_536;

/** What proxies log for a client that went away before it was answered. */
const CLIENT_GONE = 499;

/**
 * What is told of a request. Nothing here is as a client wrote it, but for the request id and the method, whose form is known: no token,
 * address, path or query gets in.
 */
const fieldsOf = ({ request, response, trace, startedAt, route, claims }: Exchange) => ({
  requestId: trace.requestId,
  client: claims?.client_id ?? null,
  operation: route?.operation ?? 'none',
  method: request.method,
  status: isAnswered(response) ? response.statusCode : CLIENT_GONE,
  durationMs: Math.round(performance.now() - startedAt),
});

let lastTime = 0;
let lastText = '';

/** A moment in ISO 8601, written once for the many requests of one millisecond. */
const timeOf = (now: number): string => {
  if (now !== lastTime) {
    lastTime = now;
    lastText = new Date(now).toISOString();
  }
  return lastText;
};

/** The same fields as a JSON line, by hand: request id and method need no escaping, whatever the client sent. */
const lineOf = (exchange: Exchange): string => {
  const { requestId, client, operation, method, status, durationMs } = fieldsOf(exchange);
  const caller = `"requestId":"${requestId}","client":${JSON.stringify(client)},"operation":${JSON.stringify(operation)}`;
  const outcome = `"method":"${method}","status":${status},"durationMs":${durationMs}`;
  const time = timeOf(exchange.now);
  return `{"time":"${time}","level":"info","service":"gateway","message":"request",${caller},${outcome}}\n`;
};

/** Logs through the program's logger; right for a terminal, whose lines are for eyes. */
export const loggedAccess = (logger: Pick<Logger, 'info'>): AccessLog => ({
  record: (exchange) => logger.info('request', fieldsOf(exchange)),
  flush: () => undefined,
});

/** Writes the same lines as JSON, many at once: a tenth of the cost, at the price of losing the last ones in a crash. */
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
