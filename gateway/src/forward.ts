import { Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { createProxyMiddleware, type Options, proxyEventsPlugin } from 'http-proxy-middleware';
import { answerFault, commonHeaders } from './answer.ts';
import { framingOf, tooLarge } from './body.ts';
import type { Breaker } from './breaker.ts';
import type { Exchange } from './exchange.ts';
import { addReturnedHeaders, forwardedHeaders } from './headers.ts';
import { Passage } from './passage.ts';
import { isOfInterface, sendReply } from './reply.ts';
import {
  badGateway,
  failureOf,
  isStale,
  type UpstreamFailure,
  UpstreamTimeout,
  unavailable,
} from './upstream-failure.ts';

export interface ForwarderOptions {
  /** The origin of the service. */
  readonly url: string;
  readonly breaker: Breaker;
  /** Until the service begins to answer, counted from when it has the whole request. Milliseconds. */
  readonly timeoutMs: number;
  /** For everything together. */
  readonly deadlineMs: number;
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
  /** Closes the kept connections. */
  close(): void;
}

/** Requests that may be sent a second time. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

/** The proxy knows a request by its type only, and gives back in its events what it was given. */
const asRequest = (passage: Passage): IncomingMessage => passage as unknown as IncomingMessage;
const passageOf = (request: IncomingMessage): Passage => request as unknown as Passage;

const clientIsGone = ({ exchange: { request, response } }: Passage): boolean =>
  response.destroyed || (request.destroyed && !request.complete);

const mayRepeat = ({ method, bodiless, replied, attempts }: Passage): boolean =>
  attempts === 1 && !replied && bodiless && IDEMPOTENT.has(method);

/** Where a service is, as an object: the proxy would parse an address anew for every request. */
const targetOf = ({ protocol, hostname, port }: URL) => ({
  protocol,
  hostname: hostname.replace(/^\[|\]$/g, ''),
  port: port || (protocol === 'https:' ? 443 : 80),
});

/** Makes the forwarder of one service: one proxy and one pool of kept connections, for as long as the gateway runs. */
export const createForwarder = (options: ForwarderOptions): Forwarder => {
  const { breaker, timeoutMs, deadlineMs, concurrency, onFailure, onReply } = options;
  const address = new URL(options.url);
  const pool = { keepAlive: true, maxFreeSockets: 256 };
  const agent = address.protocol === 'https:' ? new TlsAgent(pool) : new Agent(pool);
  let underWay = 0;

  /** Notes the outcome, once. */
  const settle = (passage: Passage, note: () => void): void => {
    if (passage.settled) return;
    passage.settled = true;
    note();
  };

  const fail = (passage: Passage, error: Error): void => {
    const { exchange, upstream } = passage;
    if (passage.settled) return;
    if (clientIsGone(passage)) {
      settle(passage, breaker.abandoned);
    } else if (isStale(error, upstream) && mayRepeat(passage)) {
      passage.attempts += 1;
      passage.upstream = undefined;
      void throughNewConnection(asRequest(passage), exchange.response);
    } else {
      settle(passage, () => breaker.failed(Date.now()));
      const failure = failureOf(error, upstream);
      onFailure?.(exchange, failure);
      answerFault(exchange, failure.fault);
    }
  };

  const receive = (passage: Passage, reply: IncomingMessage, response: ServerResponse): void => {
    const { exchange, method } = passage;
    passage.replied = true;
    settle(passage, breaker.succeeded);
    if (response.headersSent || response.destroyed) {
      reply.destroy();
    } else if (isOfInterface(reply, method, exchange.route)) {
      onReply?.(exchange, reply);
      const headers = commonHeaders(exchange);
      addReturnedHeaders(headers, reply);
      sendReply(reply, response, headers);
    } else {
      const fault = badGateway('The service gave an answer that is not of this interface.');
      onFailure?.(exchange, { code: 'foreign_reply', fault });
      answerFault(exchange, fault);
      reply.destroy();
    }
  };

  const proxy: Options = {
    target: targetOf(address),
    // Its own plugins answer errors in plain text and log each reply; the events are all that is wanted of them.
    ejectPlugins: true,
    plugins: [proxyEventsPlugin],
    selfHandleResponse: true,
    on: {
      proxyReq: (upstream, request) => {
        passageOf(request).upstream = upstream;
      },
      proxyRes: (reply, request, response) => receive(passageOf(request), reply, response),
      error: (error, request) => fail(passageOf(request), error),
      econnreset: (error, request) => fail(passageOf(request), error),
    },
  };
  const throughPool = createProxyMiddleware({ ...proxy, agent });
  const throughNewConnection = createProxyMiddleware({ ...proxy, agent: false });

  /** The time is up: for the service to begin, or for everything. */
  const expire = (passage: Passage): void => {
    const left = passage.deadline - Date.now();
    if (left > 0 && (passage.replied || !passage.sent)) {
      passage.timer = setTimeout(expire, left, passage);
    } else if (passage.replied) {
      passage.exchange.response.destroy();
    } else if (passage.upstream) {
      passage.upstream.destroy(new UpstreamTimeout());
    } else {
      fail(passage, new UpstreamTimeout());
    }
  };

  /** The service has the whole request: from now on it is its time that runs. */
  const bodySent = (passage: Passage): void => {
    passage.sent = true;
    clearTimeout(passage.timer);
    passage.timer = setTimeout(expire, Math.min(timeoutMs, passage.deadline - Date.now()), passage);
  };

  const bodyTooLarge = (passage: Passage): void => {
    settle(passage, breaker.abandoned);
    passage.upstream?.destroy();
    answerFault(passage.exchange, tooLarge());
  };

  const release = (passage: Passage): void => {
    underWay -= 1;
    clearTimeout(passage.timer);
    settle(passage, breaker.abandoned);
    // The service answered before it had everything: the rest is of no use.
    if (passage.upstream && !passage.upstream.writableFinished) passage.upstream.destroy();
  };

  const admit = (now: number): void => {
    if (underWay >= concurrency) throw unavailable('The service has too much to do at the moment.');
    if (breaker.enter(now)) return;
    throw unavailable('The service does not answer at the moment.', breaker.retryAfterSeconds(now));
  };

  return {
    forward(exchange) {
      const framing = framingOf(exchange.request);
      admit(exchange.now);
      underWay += 1;
      const headers = forwardedHeaders(exchange, address.host);
      if (framing.length !== undefined) headers['content-length'] = framing.length;
      const passage = new Passage(exchange, headers, framing, exchange.now + deadlineMs, { bodySent, bodyTooLarge });
      passage.timer = setTimeout(expire, framing.body ? deadlineMs : timeoutMs, passage);
      exchange.response.once('close', () => release(passage));
      void throughPool(asRequest(passage), exchange.response);
    },
    close: () => agent.destroy(),
  };
};
