import type { IncomingMessage } from 'node:http';
import type { Fault } from '@boxoffice/envelope';
import { type Addresses, type Attempt, isLastAnswer } from '@boxoffice/runtime';
import { answerFault, toFault } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { createUnavailableFault } from '../exchange/faults.ts';
import { type Bodies, hasBody, mayHaveBody } from './body.ts';
import {
  isClientGone,
  isRepeatable,
  isUnreached,
  mayRepeat,
  type Proxied,
  toUpstreamFailure,
  type UpstreamFailure,
  UpstreamTimeout,
} from './failure.ts';
import type { HeaderFilter } from './headers.ts';
import { createInFlight, createSlots, type Holder } from './in-flight.ts';
import { type ConnectionKind, createProxy } from './proxy.ts';
import { createReceiver } from './receive.ts';

interface ForwarderOptions {
  readonly url: string;
  readonly addresses: Addresses;
  readonly headerFilter: () => HeaderFilter;
  /** Milliseconds until the service begins its response, from when it has the whole request. */
  readonly timeoutMs: number;
  /** Milliseconds for the whole response, from the same moment: a slow client does not count against the service. */
  readonly deadlineMs: number;
  readonly bodies: Pick<Bodies, 'read'>;
  /** Requests in flight; see createSlots. A caller may have as many that wait. */
  readonly concurrency: number;
  readonly findHolder: (exchange: Exchange) => Holder;
  readonly onFailure?: (exchange: Exchange, failure: UpstreamFailure) => void;
  readonly onRepeat?: (exchange: Exchange, error: Error) => void;
  readonly onStream?: (exchange: Exchange) => void;
  /** Called for every request that asks to wait for its response; `refuse` answers it. */
  readonly onWait?: (exchange: Exchange, refuse: (fault: Fault) => void) => void;
  /** `headers`: what passes of the response's. */
  readonly onReply?: (exchange: Exchange, reply: IncomingMessage, headers: readonly string[]) => void;
}

export type Forwarder = ReturnType<typeof createForwarder>;

export function createForwarder(options: ForwarderOptions) {
  const { addresses, headerFilter, timeoutMs, deadlineMs, bodies, concurrency, findHolder } = options;
  const { onFailure, onRepeat, onReply, onStream, onWait } = options;
  const inFlight = createInFlight<Proxied>((late) => expire(late));
  /** Like streams, they have a limit of their own, at the service. */
  const waiting = createInFlight<Proxied>((late) => expire(late));
  const slots = createSlots(concurrency);

  const forget = (proxied: Proxied): void => {
    inFlight.delete(proxied);
    waiting.delete(proxied);
  };

  const settle = (proxied: Proxied, outcome: 'succeeded' | 'failed' | 'abandoned'): void => {
    proxied.isSettled = true;
    proxied.attempt?.settle(outcome);
  };

  const answerFailure = (proxied: Proxied, error: Error): void => {
    forget(proxied);
    const failure = toUpstreamFailure(error, proxied.upstream, proxied.reply?.headers['retry-after']);
    onFailure?.(proxied.exchange, failure);
    answerFault(proxied.exchange, failure.fault);
  };

  const fail = (proxied: Proxied, error: Error): void => {
    const { attempt } = proxied;
    if (proxied.isSettled) return;
    if (isClientGone(proxied)) {
      settle(proxied, 'abandoned');
    } else if (attempt && isUnreached(error)) {
      attempt.settle('failed');
      proxied.unreached ??= new Set();
      proxied.unreached.add(attempt.address);
      dispatch(proxied, selectConnection(proxied), error);
    } else if (mayRepeat(error, proxied)) {
      proxied.isRepeated = true;
      attempt?.settle(isRepeatable(proxied) ? 'abandoned' : 'failed');
      onRepeat?.(proxied.exchange, error);
      dispatch(proxied, 'fresh', error);
    } else {
      settle(proxied, 'failed');
      answerFailure(proxied, error);
    }
  };

  /** Refuses because of the client, which does not count against the service. */
  const abandon = (proxied: Proxied, fault: Fault): void => {
    settle(proxied, 'abandoned');
    forget(proxied);
    proxied.upstream?.destroy();
    answerFault(proxied.exchange, fault);
  };

  /** Time counts from when the service has the whole request. */
  const computeDeadlines = ({ route }: Exchange): { deadline: number; dueAt: number } => {
    const from = Date.now() + Math.max(0, (route?.answersWithinMs ?? 0) - timeoutMs);
    return { deadline: from + deadlineMs, dueAt: from + Math.min(timeoutMs, deadlineMs) };
  };

  const relay = createReceiver({ headerFilter, onReply, onStream, forget, answerFailure });

  const receive = (proxied: Proxied, reply: IncomingMessage): void => {
    const { exchange, deadline, attempt } = proxied;
    proxied.reply = reply;
    proxied.dueAt = deadline;
    settle(proxied, 'succeeded');
    if (attempt && isLastAnswer(reply.headers)) {
      attempt.leaves();
      // The address closes its other connections as well, and waits for them.
      proxy.closeIdle(attempt.address);
    }
    if (exchange.response.headersSent || exchange.response.destroyed) reply.destroy();
    else relay(proxied, reply);
  };

  const proxy = createProxy<Proxied>(options.url, {
    onRequest(proxied, upstream) {
      proxied.upstream = upstream;
      if (proxied.isOver) upstream.destroy();
      else for (const chunk of proxied.body ?? []) upstream.write(chunk);
    },
    onReply: receive,
    onError: fail,
  });

  const expire = (proxied: Proxied): void => {
    const { reply, upstream } = proxied;
    if (reply) {
      answerFailure(proxied, new UpstreamTimeout());
      reply.destroy();
    } else if (upstream) upstream.destroy(new UpstreamTimeout());
    else fail(proxied, new UpstreamTimeout());
  };

  /** A request that cannot be sent again gets no connection that the service may have closed. */
  const selectConnection = (proxied: Proxied): ConnectionKind => (isRepeatable(proxied) ? 'pooled' : 'recent');

  /** `error`: the failure at another address, which is the answer if no address is left. */
  const dispatch = (proxied: Proxied, kind: ConnectionKind, error?: Error): void => {
    const { exchange, unreached } = proxied;
    proxied.attempt?.end();
    proxied.attempt = undefined;
    proxied.upstream = undefined;
    const begin = (attempt: Attempt | undefined): void => {
      if (proxied.isOver || proxied.isSettled) attempt?.end();
      else if (attempt) {
        proxied.attempt = attempt;
        proxy.send(kind, exchange.request, attempt.endpoint, proxied);
      } else {
        settle(proxied, 'failed');
        answerFailure(proxied, error ?? new Error('the service has no address'));
      }
    };
    const chosen = addresses.choose(unreached);
    if (chosen instanceof Promise) chosen.then(begin, (unresolved: Error) => fail(proxied, unresolved));
    else begin(chosen);
  };

  const requireService = (): void => {
    if (!addresses.refuses()) return;
    throw createUnavailableFault('The service does not answer; try again later.', addresses.retryAfterSeconds());
  };

  const mayWait = ({ request, route, target }: Exchange): boolean =>
    request.method === 'GET' &&
    (route?.answersWithinMs ?? 0) > timeoutMs &&
    new URLSearchParams(target.query).has('wait');

  /** Called when the request has arrived completely. @throws {Fault} service_unavailable */
  const send = (exchange: Exchange, body: readonly Buffer[] | undefined, release: () => void): void => {
    const waits = mayWait(exchange);
    // From here on the response has an end, and releases.
    exchange.proxied = { end: release };
    if (!waits && inFlight.size >= concurrency)
      throw createUnavailableFault('The service has too many requests in flight; try again later.');
    requireService();
    const { request } = exchange;
    const headers = headerFilter().buildRequestHeaders(exchange, addresses.host);
    if (mayHaveBody(request))
      headers['content-length'] = `${body?.reduce((bytes, chunk) => bytes + chunk.length, 0) ?? 0}`;
    // The proxy sends what the request has.
    request.headers = headers;
    request.url = exchange.target.path + exchange.target.query;
    const { deadline, dueAt } = computeDeadlines(exchange);
    const proxied: Proxied = {
      exchange,
      body,
      deadline,
      dueAt,
      index: -1,
      attempt: undefined,
      unreached: undefined,
      isRepeated: false,
      upstream: undefined,
      reply: undefined,
      isSettled: false,
      isOver: false,
      release,
      end() {
        const { upstream, reply, attempt } = proxied;
        proxied.isOver = true;
        proxied.isSettled = true;
        forget(proxied);
        release();
        attempt?.end();
        if (upstream && !reply?.complete) upstream.destroy();
      },
    };
    (waits ? waiting : inFlight).add(proxied);
    exchange.proxied = proxied;
    exchange.forwardedAt = performance.now();
    dispatch(proxied, selectConnection(proxied));
    if (waits) onWait?.(exchange, (fault) => proxied.reply ?? abandon(proxied, fault));
  };

  return {
    /** @throws {Fault} when the request cannot be forwarded */
    forward(exchange: Exchange) {
      const withBody = hasBody(exchange.request);
      requireService();
      const holder = findHolder(exchange);
      const waiting = { caller: `${holder.caller}, waiting`, institution: undefined };
      const release = slots.take(mayWait(exchange) ? waiting : holder);
      if (!withBody) return send(exchange, undefined, release);
      const stop = bodies.read(exchange, (body) => {
        try {
          // The body of any other method is read, so that it is not taken for the next request, and dropped.
          send(exchange, mayHaveBody(exchange.request) ? body : undefined, release);
        } catch (error) {
          answerFault(
            exchange,
            toFault(error, () => undefined),
          );
        }
      });
      const end = (): void => {
        stop();
        release();
      };
      exchange.proxied = { end };
    },
    inFlight: (): number => inFlight.size,
    close(): void {
      inFlight.close();
      waiting.close();
      proxy.close();
    },
  };
}
