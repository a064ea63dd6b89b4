import type { IncomingMessage } from 'node:http';
import type { Fault } from '@boxoffice/envelope';
import { isReset, isStale } from '@boxoffice/runtime';
import { answerFault, commonHeaders, faultOf } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { badGateway, unavailable } from '../exchange/faults.ts';
import { createInFlightBound } from '../limits/in-flight-bound.ts';
import { callerOf } from '../limits/limits.ts';
import type { Addresses } from '../upstream/addresses.ts';
import { BrokenReply, failureOf, type UpstreamFailure, UpstreamTimeout } from '../upstream/failure.ts';
import { Pool } from '../upstream/pool.ts';
import { targetOf } from '../upstream/target-address.ts';
import { type Bodies, hasBody, takesBody } from './body.ts';
import { relayFailure } from './failure-reply.ts';
import { addReturnedHeaders, forwardedHeaders } from './headers.ts';
import { createInFlight } from './in-flight.ts';
import { createProxy, hasKey, ProxiedRequest, type ProxyEvents } from './proxied-request.ts';
import { isOfInterface, joinVary, sendReply } from './reply.ts';

export interface ForwarderOptions {
  /** The base URL of the service. */
  readonly url: string;
  readonly addresses: Addresses;
  /** Time for the service to begin its response, from when it has the whole request. Milliseconds. */
  readonly timeoutMs: number;
  /**
   * Time for the whole response, from the same moment, so that a slow client does not count against the service.
   * Milliseconds.
   */
  readonly deadlineMs: number;
  readonly bodies: Pick<Bodies, 'read'>;
  /** Maximum number of requests in flight; one caller may have a twentieth of them, and as many that wait. */
  readonly concurrency: number;
  readonly onFailure?: (exchange: Exchange, failure: UpstreamFailure) => void;
  /** Called for every request that is sent a second time. */
  readonly onRepeat?: (exchange: Exchange, error: Error) => void;
  /** Called for every response that has no end of its own. */
  readonly onStream?: (exchange: Exchange) => void;
  /** Called for every request that asks to wait for its response; `refuse` answers it. */
  readonly onWait?: (exchange: Exchange, refuse: (fault: Fault) => void) => void;
  /** Called for every response that is forwarded. */
  readonly onReply?: (exchange: Exchange, reply: IncomingMessage) => void;
}

/** Forwards requests to one service. */
export interface Forwarder {
  /** Answers the exchange with the service's response. @throws {Fault} when the request cannot be forwarded */
  forward(exchange: Exchange): void;
  /** Number of requests in flight; those that wait do not count. */
  inFlight(): number;
  /** Closes the pooled connections. */
  close(): void;
}

/** Methods whose requests may be sent a second time. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

/** The part of a service's requests in flight that one caller may have. */
const CALLERS_PART = 0.05;

const clientIsGone = ({ exchange: { request, response } }: ProxiedRequest): boolean =>
  response.destroyed || (request.destroyed && !request.complete);

/**
 * Whether the request may be sent once more: it had no effect, since the service had closed its reused connection, or
 * the service recognises a second one by its key.
 */
const mayRepeat = (error: Error, { exchange, method, body, reply, attempts, upstream }: ProxiedRequest) => {
  if (attempts > 1 || reply !== undefined || !isReset(error)) return false;
  return body === undefined && IDEMPOTENT.has(method) ? isStale(error, upstream) : hasKey(exchange);
};

/** Whether a response of the interface has no end of its own. */
const isStream = ({ headers }: IncomingMessage): boolean =>
  headers['content-type']?.startsWith('text/event-stream') ?? false;

/** Makes the forwarder of one service: one proxy and one connection pool for the lifetime of the gateway. */
export const createForwarder = (options: ForwarderOptions): Forwarder => {
  const { addresses, timeoutMs, deadlineMs, bodies, concurrency, onFailure, onRepeat, onReply, onStream, onWait } =
    options;
  const { host } = new URL(options.url);
  const target = targetOf(options.url);
  const pool = new Pool({ ...target, addresses });
  const inFlight = createInFlight<ProxiedRequest>((late) => expire(late));
  /** Like streams, they have a limit of their own, at the service. */
  const waiting = createInFlight<ProxiedRequest>((late) => expire(late));
  const bound = createInFlightBound<string>(Math.ceil(concurrency * CALLERS_PART), 'this caller');

  /** A request that is neither counted nor timed any more. */
  const forget = (proxied: ProxiedRequest): void => {
    inFlight.delete(proxied);
    waiting.delete(proxied);
  };

  /** Reports the outcome to the breaker of the request's address, once. */
  const settle = (proxied: ProxiedRequest, outcome: 'succeeded' | 'failed' | 'abandoned'): void => {
    if (proxied.settled) return;
    proxied.settled = true;
    pool.breakerOf(proxied.upstream)?.[outcome](Date.now());
  };

  const fail = (proxied: ProxiedRequest, error: Error): void => {
    const { exchange, upstream } = proxied;
    if (proxied.settled) return;
    if (clientIsGone(proxied)) {
      settle(proxied, 'abandoned');
    } else if (mayRepeat(error, proxied)) {
      proxied.attempts += 1;
      if (proxied.body || !IDEMPOTENT.has(proxied.method)) pool.breakerOf(upstream)?.failed(Date.now());
      onRepeat?.(exchange, error);
      proxied.upstream = undefined;
      throughNewConnection(proxied);
    } else {
      settle(proxied, 'failed');
      forget(proxied);
      const failure = failureOf(error, upstream);
      onFailure?.(exchange, failure);
      answerFault(exchange, failure.fault);
    }
  };

  /** A response that has started does not complete. */
  const breakOff = (proxied: ProxiedRequest, error: Error): void => {
    const { exchange, upstream } = proxied;
    // A request that is being answered is not timed any more.
    forget(proxied);
    const failure = failureOf(error, upstream);
    onFailure?.(exchange, failure);
    answerFault(exchange, failure.fault);
  };

  /** Refuses a request because of its client; this does not count against the service. */
  const abandon = (proxied: ProxiedRequest, fault: Fault): void => {
    settle(proxied, 'abandoned');
    forget(proxied);
    proxied.upstream?.destroy();
    answerFault(proxied.exchange, fault);
  };

  /** The limits of an exchange whose service has the whole request now. */
  const limitsFrom = (now: number, { route }: Exchange): { deadline: number; dueAt: number } => {
    const extraMs = Math.max(0, (route?.answersWithinMs ?? 0) - timeoutMs);
    const deadline = now + deadlineMs + extraMs;
    return { deadline, dueAt: Math.min(now + timeoutMs + extraMs, deadline) };
  };

  const receive = (proxied: ProxiedRequest, reply: IncomingMessage): void => {
    const { exchange, method, deadline } = proxied;
    const { response } = exchange;
    proxied.reply = reply;
    pool.onResponse(reply.headers, reply.socket.remoteAddress);
    proxied.dueAt = deadline;
    settle(proxied, 'succeeded');
    if (response.headersSent || response.destroyed) {
      reply.destroy();
    } else if (isOfInterface(reply, method, exchange.route)) {
      onReply?.(exchange, reply);
      if (isStream(reply)) {
        // Neither timed nor counted any more: streams have a limit of their own.
        forget(proxied);
        proxied.release();
        onStream?.(exchange);
      }
      const headers = commonHeaders(exchange);
      addReturnedHeaders(headers, reply);
      if (exchange.corsHeaders.length > 0) joinVary(headers);
      if (exchange.family === 'B' && (reply.statusCode ?? 0) >= 500) {
        relayFailure(reply, response, headers, () => refuseForeign(proxied, reply));
      } else {
        sendReply(reply, response, headers, () => breakOff(proxied, new BrokenReply()));
      }
    } else {
      refuseForeign(proxied, reply);
      reply.destroy();
    }
  };

  const refuseForeign = (proxied: ProxiedRequest, { headers }: IncomingMessage): void => {
    const { exchange } = proxied;
    forget(proxied);
    const fault = badGateway('The service sent a response that is not part of this interface.', headers['retry-after']);
    onFailure?.(exchange, { code: 'foreign_reply', fault });
    answerFault(exchange, fault);
  };

  const proxyEvents: ProxyEvents = {
    onRequest(proxied, upstream) {
      proxied.upstream = upstream;
      if (proxied.over) upstream.destroy();
    },
    onReply: receive,
    onError: fail,
  };
  const throughPool = createProxy(target, pool, proxyEvents);
  const throughNewConnection = createProxy(target, pool.fresh, proxyEvents);

  /** Handles a timeout: of the first byte, or of the whole response. */
  const expire = (proxied: ProxiedRequest): void => {
    if (proxied.reply) {
      breakOff(proxied, new UpstreamTimeout());
      proxied.reply.destroy();
    } else if (proxied.upstream) proxied.upstream.destroy(new UpstreamTimeout());
    else fail(proxied, new UpstreamTimeout());
  };

  const events = {
    /** The response is sent or the client has disconnected: the rest of the upstream exchange is not needed. */
    over(proxied: ProxiedRequest): void {
      const { upstream, reply } = proxied;
      forget(proxied);
      proxied.release();
      settle(proxied, 'abandoned');
      if (upstream && !(upstream.writableFinished && reply?.complete)) upstream.destroy();
    },
  };

  const requireService = (now: number): void => {
    if (!addresses.refuses(now)) return;
    throw unavailable('The service does not answer; try again later.', addresses.retryAfterSeconds(now));
  };

  /** Whether the request asks to wait for its response, of an operation that may. */
  const mayWait = ({ request, route, target }: Exchange): boolean =>
    request.method === 'GET' &&
    (route?.answersWithinMs ?? 0) > timeoutMs &&
    new URLSearchParams(target.query).has('wait');

  /** Sends a request that has arrived completely. @throws {Fault} service_unavailable */
  const send = (exchange: Exchange, body: readonly Buffer[] | undefined, release: () => void): void => {
    const now = Date.now();
    const waits = mayWait(exchange);
    // From here on the response has an end, and releases.
    exchange.proxied = { end: release };
    if (!waits && inFlight.size >= concurrency)
      throw unavailable('The service has too many requests in flight; try again later.');
    requireService(now);
    const headers = forwardedHeaders(exchange, host);
    const length = body?.reduce((bytes, chunk) => bytes + chunk.length, 0);
    if (takesBody(exchange.request)) headers['content-length'] = `${length ?? 0}`;
    const proxied = new ProxiedRequest(exchange, headers, body, { ...limitsFrom(now, exchange), release }, events);
    (waits ? waiting : inFlight).add(proxied);
    exchange.proxied = proxied;
    exchange.forwardedAt = performance.now();
    throughPool(proxied);
    if (waits) onWait?.(exchange, (fault) => proxied.reply ?? abandon(proxied, fault));
  };

  return {
    forward(exchange) {
      const withBody = hasBody(exchange.request);
      requireService(exchange.now);
      const release = bound.take(mayWait(exchange) ? `${callerOf(exchange)}, waiting` : callerOf(exchange));
      if (!withBody) return send(exchange, undefined, release);
      const stop = bodies.read(exchange, (body) => {
        try {
          send(exchange, body, release);
        } catch (error) {
          answerFault(
            exchange,
            faultOf(error, () => undefined),
          );
        }
      });
      const end = (): void => {
        stop();
        release();
      };
      exchange.proxied = { end };
    },
    inFlight: () => inFlight.size,
    close() {
      inFlight.close();
      waiting.close();
      pool.destroy();
    },
  };
};
