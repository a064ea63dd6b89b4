import type { IncomingMessage } from 'node:http';
import type { Fault } from '@boxoffice/envelope';
import { isReset, isStale } from '@boxoffice/runtime';
import { answerFault, commonHeaders } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { badGateway, unavailable } from '../exchange/faults.ts';
import type { Addresses } from '../upstream/addresses.ts';
import { BrokenReply, failureOf, type UpstreamFailure, UpstreamTimeout } from '../upstream/failure.ts';
import { Pool } from '../upstream/pool.ts';
import { targetOf } from '../upstream/target-address.ts';
import { framingOf, tooLarge, tooSlow } from './body.ts';
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
  /**
   * Time for the client to send the whole request. Milliseconds; the default is below the server's own limit, whose
   * error names no service.
   */
  readonly bodyMs?: number;
  /** Maximum number of requests in flight; further ones are refused. */
  readonly concurrency: number;
  readonly onFailure?: (exchange: Exchange, failure: UpstreamFailure) => void;
  /** Called for every request that is sent a second time. */
  readonly onRepeat?: (exchange: Exchange, error: Error) => void;
  /** Called for every response that has no end of its own. */
  readonly onStream?: (exchange: Exchange) => void;
  /** Called for every request that reads and may wait for its response longer than others; `refuse` answers it. */
  readonly onWait?: (exchange: Exchange, refuse: (fault: Fault) => void) => void;
  /** Called for every response that is forwarded. */
  readonly onReply?: (exchange: Exchange, reply: IncomingMessage) => void;
}

/** Forwards requests to one service. */
export interface Forwarder {
  /** Answers the exchange with the service's response. @throws {Fault} when the request cannot be forwarded */
  forward(exchange: Exchange): void;
  /** Number of requests in flight. */
  inFlight(): number;
  /**
   * The installation shuts down: from now on a service that closes the connection of a client that is still sending has
   * not failed.
   */
  stopping(): void;
  /** Closes the pooled connections. */
  close(): void;
}

/** Methods whose requests may be sent a second time. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

/** Interval of the timeout check for all requests together; a timer per request would cost more. */
const TICK_MS = 100;

const clientIsGone = ({ exchange: { request, response } }: ProxiedRequest): boolean =>
  response.destroyed || (request.destroyed && !request.complete);

/** Whether the client causes the delay: the service is connected and reads what arrives. */
const isClientSlow = ({ exchange: { request }, bodiless, upstream }: ProxiedRequest): boolean =>
  !bodiless && !request.complete && upstream?.socket?.connecting === false && !upstream.writableNeedDrain;

/**
 * Whether the request may be sent once more: it had no effect, since the service had closed its reused connection, or
 * the service recognises a second one by its key.
 */
const mayRepeat = (error: Error, { exchange, method, bodiless, body, reply, attempts, upstream }: ProxiedRequest) => {
  if (attempts > 1 || reply !== undefined || !isReset(error)) return false;
  if (bodiless && IDEMPOTENT.has(method)) return isStale(error, upstream);
  return (bodiless || body !== undefined) && hasKey(exchange);
};

/** Whether a response of the interface has no end of its own. */
const isStream = ({ headers }: IncomingMessage): boolean =>
  headers['content-type']?.startsWith('text/event-stream') ?? false;

/** Makes the forwarder of one service: one proxy and one connection pool for the lifetime of the gateway. */
export const createForwarder = (options: ForwarderOptions): Forwarder => {
  const {
    addresses,
    timeoutMs,
    deadlineMs,
    bodyMs = 25_000,
    concurrency,
    onFailure,
    onRepeat,
    onReply,
    onStream,
    onWait,
  } = options;
  const { host } = new URL(options.url);
  const target = targetOf(options.url);
  const pool = new Pool({ ...target, addresses });
  const inFlight = createInFlight<ProxiedRequest>();
  let isStopping = false;

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
    } else if (isStopping && !proxied.bodiless && !exchange.request.complete) {
      abandon(proxied, tooSlow());
    } else if (mayRepeat(error, proxied)) {
      proxied.attempts += 1;
      if (!proxied.bodiless || !IDEMPOTENT.has(proxied.method)) pool.breakerOf(upstream)?.failed(Date.now());
      onRepeat?.(exchange, error);
      proxied.upstream = undefined;
      throughNewConnection(proxied);
    } else {
      settle(proxied, 'failed');
      inFlight.delete(proxied);
      const failure = failureOf(error, upstream);
      onFailure?.(exchange, failure);
      answerFault(exchange, failure.fault);
    }
  };

  /** A response that has started does not complete. */
  const breakOff = (proxied: ProxiedRequest, error: Error): void => {
    const { exchange, upstream } = proxied;
    // A request that is being answered is not timed any more.
    inFlight.delete(proxied);
    const failure = failureOf(error, upstream);
    onFailure?.(exchange, failure);
    answerFault(exchange, failure.fault);
  };

  /** Refuses a request because of its client; this does not count against the service. */
  const abandon = (proxied: ProxiedRequest, fault: Fault): void => {
    settle(proxied, 'abandoned');
    inFlight.delete(proxied);
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
        // Neither timed nor counted any more.
        inFlight.delete(proxied);
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
    inFlight.delete(proxied);
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
    } else if (isClientSlow(proxied)) abandon(proxied, tooSlow());
    else if (proxied.upstream) proxied.upstream.destroy(new UpstreamTimeout());
    else fail(proxied, new UpstreamTimeout());
  };

  const tick = setInterval(() => {
    const now = Date.now();
    inFlight.visit((proxied) => {
      if (now >= proxied.dueAt) expire(proxied);
    });
  }, TICK_MS);
  tick.unref();

  const events = {
    /** The service has the whole request: its own time starts. */
    bodySent(proxied: ProxiedRequest): void {
      if (proxied.reply) return;
      Object.assign(proxied, limitsFrom(Date.now(), proxied.exchange));
    },
    bodyTooLarge(proxied: ProxiedRequest): void {
      abandon(proxied, tooLarge());
    },
    /** The response is sent or the client has disconnected: the rest of the upstream exchange is not needed. */
    over(proxied: ProxiedRequest): void {
      const { upstream, reply } = proxied;
      inFlight.delete(proxied);
      settle(proxied, 'abandoned');
      if (upstream && !(upstream.writableFinished && reply?.complete)) upstream.destroy();
    },
  };

  const admit = (now: number): void => {
    if (inFlight.size >= concurrency)
      throw unavailable('The service has too many requests in flight; try again later.');
    if (!addresses.refuses(now)) return;
    throw unavailable('The service does not answer; try again later.', addresses.retryAfterSeconds(now));
  };

  return {
    forward(exchange) {
      const { now } = exchange;
      const framing = framingOf(exchange.request);
      admit(now);
      const headers = forwardedHeaders(exchange, host);
      if (framing.length !== undefined) headers['content-length'] = framing.length;
      const limits = limitsFrom(now, exchange);
      const times = framing.body ? { ...limits, dueAt: now + bodyMs } : limits;
      const proxied = new ProxiedRequest(exchange, headers, framing, times, events);
      inFlight.add(proxied);
      exchange.proxied = proxied;
      exchange.forwardedAt = performance.now();
      throughPool(proxied);
      const waitsLong = (exchange.route?.answersWithinMs ?? 0) > timeoutMs && proxied.method === 'GET';
      if (waitsLong) onWait?.(exchange, (fault) => proxied.reply ?? abandon(proxied, fault));
    },
    inFlight: () => inFlight.size,
    stopping() {
      isStopping = true;
    },
    close() {
      clearInterval(tick);
      pool.destroy();
    },
  };
};
