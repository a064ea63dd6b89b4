import type { IncomingMessage } from 'node:http';
import type { Fault } from '@boxoffice/envelope';
import { createProxyMiddleware, type Options, proxyEventsPlugin } from 'http-proxy-middleware';
import { answerFault, commonHeaders } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { badGateway, unavailable } from '../exchange/faults.ts';
import type { Addresses } from '../upstream/addresses.ts';
import { BrokenReply, failureOf, isStale, type UpstreamFailure, UpstreamTimeout } from '../upstream/failure.ts';
import { Pool } from '../upstream/pool.ts';
import { targetOf } from '../upstream/target-address.ts';
import { framingOf, tooLarge, tooSlow } from './body.ts';
import { relayFailure } from './failure-reply.ts';
import { addReturnedHeaders, forwardedHeaders } from './headers.ts';
import { createInFlight } from './in-flight.ts';
import { asRequest, asResponse, ProxiedRequest, proxiedOf } from './proxied-request.ts';
import { isOfInterface, sendReply } from './reply.ts';

export interface ForwarderOptions {
  /** The origin of the service. */
  readonly url: string;
  readonly addresses: Addresses;
  /** Until the service begins to answer, counted from when it has the whole request. Milliseconds. */
  readonly timeoutMs: number;
  /** For everything together, counted from then as well: how slowly a client sends is not the service's failure. */
  readonly deadlineMs: number;
  /** Until the client has sent the whole request; by default less than the server's limit, which knows of no service. */
  readonly bodyMs?: number;
  /** Requests that may be under way at once; more are refused. */
  readonly concurrency: number;
  readonly onFailure?: (exchange: Exchange, failure: UpstreamFailure) => void;
  /** Hears of every reply that is passed on. */
  readonly onReply?: (exchange: Exchange, reply: IncomingMessage) => void;
}

/** Passes requests on to one service. */
export interface Forwarder {
  /** Answers the exchange with what the service answers. @throws {Fault} when the request cannot go */
  forward(exchange: Exchange): void;
  /** How many requests are under way. */
  inFlight(): number;
  /** The installation stops: a service that closes the connection of a client that is still sending has waited for it, and did not fail. */
  stopping(): void;
  /** Closes the kept connections. */
  close(): void;
}

/** Requests that may be sent a second time. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

/** How often the clock is looked at for all requests together; a timer for each would cost more than it is worth. */
const TICK_MS = 100;

const clientIsGone = ({ exchange: { request, response } }: ProxiedRequest): boolean =>
  response.destroyed || (request.destroyed && !request.complete);

/** Whether it is the client that is waited for: the service is there and takes what comes. */
const isClientSlow = ({ exchange: { request }, bodiless, upstream }: ProxiedRequest): boolean =>
  !bodiless && !request.complete && upstream?.socket?.connecting === false && !upstream.writableNeedDrain;

const mayRepeat = ({ method, bodiless, reply, attempts }: ProxiedRequest): boolean =>
  attempts === 1 && reply === undefined && bodiless && IDEMPOTENT.has(method);

/** Makes the forwarder of one service: one proxy and one pool of connections, for as long as the gateway runs. */
export const createForwarder = (options: ForwarderOptions): Forwarder => {
  const { addresses, timeoutMs, deadlineMs, bodyMs = 25_000, concurrency, onFailure, onReply } = options;
  const { host } = new URL(options.url);
  const target = targetOf(options.url);
  const pool = new Pool({ ...target, addresses });
  const inFlight = createInFlight<ProxiedRequest>();
  let isStopping = false;

  /** Tells the breaker of the request's address the outcome, once. */
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
    } else if (isStale(error, upstream) && mayRepeat(proxied)) {
      proxied.attempts += 1;
      proxied.upstream = undefined;
      void throughNewConnection(asRequest(proxied), asResponse(proxied));
    } else {
      settle(proxied, 'failed');
      inFlight.delete(proxied);
      const failure = failureOf(error, upstream);
      onFailure?.(exchange, failure);
      answerFault(exchange, failure.fault);
    }
  };

  /** An answer that has begun to come ends otherwise than it should. */
  const breakOff = (proxied: ProxiedRequest, error: Error): void => {
    const { exchange, upstream } = proxied;
    // What is answered is not timed any more.
    inFlight.delete(proxied);
    const failure = failureOf(error, upstream);
    onFailure?.(exchange, failure);
    answerFault(exchange, failure.fault);
  };

  /** Refuses what the client sends, or does not send: it is nobody else's failure. */
  const abandon = (proxied: ProxiedRequest, fault: Fault): void => {
    settle(proxied, 'abandoned');
    inFlight.delete(proxied);
    proxied.upstream?.destroy();
    answerFault(proxied.exchange, fault);
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
      const headers = commonHeaders(exchange);
      addReturnedHeaders(headers, reply);
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
    const fault = badGateway('The service gave an answer that is not of this interface.', headers['retry-after']);
    onFailure?.(exchange, { code: 'foreign_reply', fault });
    answerFault(exchange, fault);
  };

  const proxy: Options = {
    target,
    // Its own plugins answer errors in plain text and log each reply; the events are all that is wanted of them.
    ejectPlugins: true,
    plugins: [proxyEventsPlugin],
    selfHandleResponse: true,
    on: {
      proxyReq: (upstream, request) => {
        const proxied = proxiedOf(request);
        proxied.upstream = upstream;
        if (proxied.over) upstream.destroy();
      },
      proxyRes: (reply, request) => receive(proxiedOf(request), reply),
      error: (error, request) => fail(proxiedOf(request), error),
      econnreset: (error, request) => fail(proxiedOf(request), error),
    },
  };
  const throughPool = createProxyMiddleware({ ...proxy, agent: pool });
  const throughNewConnection = createProxyMiddleware({ ...proxy, agent: pool.fresh });

  /** Its time is up: for the service to begin, or for everything. */
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
    /** The service has the whole request: from now on it is its time that runs. */
    bodySent(proxied: ProxiedRequest): void {
      if (proxied.reply) return;
      const now = Date.now();
      proxied.deadline = now + deadlineMs;
      proxied.dueAt = Math.min(now + timeoutMs, proxied.deadline);
    },
    bodyTooLarge(proxied: ProxiedRequest): void {
      abandon(proxied, tooLarge());
    },
    /** What the service still takes or gives is of no use. */
    over(proxied: ProxiedRequest): void {
      const { upstream, reply } = proxied;
      inFlight.delete(proxied);
      settle(proxied, 'abandoned');
      if (upstream && !(upstream.writableFinished && reply?.complete)) upstream.destroy();
    },
  };

  const admit = (now: number): void => {
    if (inFlight.size >= concurrency) throw unavailable('The service has too much to do at the moment.');
    if (!addresses.refuses(now)) return;
    throw unavailable('The service does not answer at the moment.', addresses.retryAfterSeconds(now));
  };

  return {
    forward(exchange) {
      const { now } = exchange;
      const framing = framingOf(exchange.request);
      admit(now);
      const headers = forwardedHeaders(exchange, host);
      if (framing.length !== undefined) headers['content-length'] = framing.length;
      const times = { deadline: now + deadlineMs, dueAt: now + (framing.body ? bodyMs : timeoutMs) };
      const proxied = new ProxiedRequest(exchange, headers, framing, times, events);
      inFlight.add(proxied);
      exchange.proxied = proxied;
      exchange.forwardedAt = performance.now();
      void throughPool(asRequest(proxied), asResponse(proxied));
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
