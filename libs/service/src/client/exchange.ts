import { Agent, type IncomingMessage, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { beginCall, createInstances, isLastAnswer, isStale, type Span, traceHeaders } from '@boxoffice/runtime';
import { startLimit } from './limit.ts';
import type { Method } from './operations.ts';
import { renewing } from './renewing.ts';

/** One request to another service. */
export interface Sent {
  /** Its operationId: the span is named after it. */
  readonly operation: string;
  readonly method: Method;
  /** With its variables filled in and encoded, and the query. */
  readonly path: string;
  readonly body?: object;
  /** The signed identity of the caller. */
  readonly identity: string;
  /** Milliseconds from sending to the end of the answer. */
  readonly timeoutMs: number;
}

export interface Answered {
  readonly http: number;
  readonly text: string;
}

/** The service was unreachable, timed out or ended the connection: it may have acted. The message is the reason. */
export class Unanswered extends Error {}

/**
 * The service closed a pooled connection at the moment of its reuse: it read nothing, so the request may be repeated.
 */
class ConnectionGone extends Error {}

export interface ExchangeOptions {
  readonly service: string;
  readonly url: string;
  /** Milliseconds after which a pooled connection is not reused. */
  readonly renewedAfterMs: number;
}

/** Sends requests to one service over pooled connections. */
export interface Exchange {
  /** Rejects with {@link Unanswered}. */
  send(sent: Sent): Promise<Answered>;
  close(): void;
}

const read = async (response: IncomingMessage): Promise<string> => {
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response) text += chunk;
  return text;
};

const headersFor = (identity: string, body: string | undefined, span: Span | undefined) => ({
  ...traceHeaders(),
  ...(span && { traceparent: span.traceparent }),
  'X-Internal-Identity': identity,
  ...(body === undefined
    ? {}
    : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
});

/** Creates the connections to one service. */
export const createExchange = ({ service, url, renewedAfterMs }: ExchangeOptions): Exchange => {
  const { protocol, hostname, port } = new URL(url);
  const secure = protocol === 'https:';
  const { lookup, leaving } = createInstances();
  const options = { keepAlive: true, maxSockets: 256, lookup };
  const agent = renewing(secure ? new SecureAgent(options) : new Agent(options), renewedAfterMs);
  const target = { protocol, hostname, port, lookup };

  const once = (
    { method, path, body, identity, timeoutMs }: Sent,
    span: Span | undefined,
    through: typeof agent | false,
  ): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const text = body && JSON.stringify(body);
      const headers = headersFor(identity, text, span);
      const sent = (secure ? secureRequest : request)({ ...target, agent: through, method, path, headers });
      const over = startLimit(timeoutMs, () => sent.destroy(new Error(`no answer within ${timeoutMs} ms`)));
      const end = (act: () => void): void => {
        over();
        act();
      };
      sent.on('response', (response) => {
        // A stopping instance announces the close; without an agent this call requested it itself.
        if (through && isLastAnswer(response.headers)) leaving(response.socket.remoteAddress);
        read(response).then(
          (answer) => end(() => resolve({ http: response.statusCode ?? 0, text: answer })),
          () => end(() => reject(new Unanswered('the connection ended in the middle of the answer'))),
        );
      });
      sent.on('error', (error) => {
        end(() => reject(isStale(error, sent) ? new ConnectionGone() : new Unanswered(error.message)));
      });
      sent.end(text);
    });

  const withFreshConnection = (sent: Sent, span: Span | undefined) =>
    once(sent, span, agent).catch((error: unknown) => {
      if (!(error instanceof ConnectionGone)) throw error;
      // A stopping instance may close the other pooled connections as well: this request gets a new one.
      return once(sent, span, false);
    });

  return {
    async send(sent) {
      const span = beginCall(sent.operation, { 'http.request.method': sent.method, 'server.address': service });
      if (!span) return withFreshConnection(sent, undefined);
      try {
        const answer = await withFreshConnection(sent, span);
        span.set({ 'http.response.status_code': answer.http });
        span.end(answer.http >= 500 ? String(answer.http) : undefined);
        return answer;
      } catch (error) {
        span.end('unavailable');
        throw error;
      }
    },
    close: () => agent.destroy(),
  };
};
