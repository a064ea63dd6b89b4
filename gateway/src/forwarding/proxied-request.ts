// The object that http-proxy-middleware gets in place of a request and a response.
//
// The package gets one object of this class by cast, instead of the client's request and response. With those, as its
// documentation shows,
// - a request costs 10 % more processor time: `npm run bench -- gateway`, relative to the bare proxy of the same run,
//   median of eight interleaved pairs, 95 % interval 4 % to 20 %;
// - a service's response that ends early destroys the client's connection, where this gateway still answers 502
//   (test/forwarding/upstream-failures-have-their-status.test.ts);
// - the package calls no hook for a request with `Expect`, and would forward its headers as they came.
// test/forwarding/the-proxy-uses-only-known-members.test.ts lists what the package reads and fails when it reads more.
import type { Agent, ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createProxyMiddleware, proxyEventsPlugin } from 'http-proxy-middleware';
import type { Exchange, ProxiedExchange } from '../exchange/exchange.ts';
import type { TargetAddress } from '../upstream/target-address.ts';
import type { Indexed } from './in-flight.ts';

/** Whether the service recognises a repeat of the request by its Idempotency-Key. */
export const hasKey = ({ request, route, claims }: Exchange): boolean =>
  route?.takesKey === true && claims !== undefined && request.headers['idempotency-key'] !== undefined;

/** Notifications about a proxied request. */
export interface ProxiedRequestEvents {
  /** The response is sent, or the client has disconnected. */
  over(proxied: ProxiedRequest): void;
}

/**
 * One request on its way to a service, with the state of the forwarder. The package receives it as request and as
 * response.
 */
export class ProxiedRequest implements ProxiedExchange, Indexed {
  readonly exchange: Exchange;
  index = -1;
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string | string[]>;
  readonly httpVersion = '1.1';
  readonly httpVersionMajor = 1;
  readonly socket: Socket;
  /** Makes the proxy leave the response alone. */
  readonly finished = true;
  /** Deadline of the whole exchange. Epoch milliseconds. */
  deadline: number;
  /** Deadline of the current phase. Epoch milliseconds. */
  dueAt: number;
  /** The request to the service, once it has a connection. */
  upstream: ClientRequest | undefined;
  reply: IncomingMessage | undefined;
  attempts = 1;
  /** The whole body; undefined without one. */
  readonly body: readonly Buffer[] | undefined;
  /** Whether the outcome was reported to the breaker. */
  settled = false;
  /** Whether the response is sent, or the client has disconnected. */
  over = false;
  /** Ends its count against the bound of its caller. */
  readonly release: () => void;
  readonly #events: ProxiedRequestEvents;

  constructor(
    exchange: Exchange,
    headers: Record<string, string | string[]>,
    body: readonly Buffer[] | undefined,
    { deadline, dueAt, release }: { readonly deadline: number; readonly dueAt: number; readonly release: () => void },
    events: ProxiedRequestEvents,
  ) {
    const { request, target } = exchange;
    this.exchange = exchange;
    this.method = request.method ?? 'GET';
    this.url = target.path + target.query;
    this.headers = headers;
    this.socket = request.socket;
    this.body = body;
    this.deadline = deadline;
    this.dueAt = dueAt;
    this.release = release;
    this.#events = events;
  }

  end(): void {
    this.over = true;
    this.#events.over(this);
  }

  /** The proxy registers listeners for the end of request and response here; none is needed. */
  on(): this {
    return this;
  }

  /** Sends the body, once the request to the service has a connection. */
  pipe(upstream: ClientRequest): ClientRequest {
    for (const chunk of this.body ?? []) upstream.write(chunk);
    upstream.end();
    return upstream;
  }
}

/** The package's calls for a proxied request. */
export interface ProxyEvents {
  /** The request to the service exists, and waits for a connection. */
  onRequest(proxied: ProxiedRequest, upstream: ClientRequest): void;
  onReply(proxied: ProxiedRequest, reply: IncomingMessage): void;
  onError(proxied: ProxiedRequest, error: Error): void;
}

const proxiedOf = (request: IncomingMessage): ProxiedRequest => request as unknown as ProxiedRequest;

/** Makes the function that sends a proxied request to the service over connections of this agent. */
export const createProxy = (
  target: TargetAddress,
  agent: Agent,
  { onRequest, onReply, onError }: ProxyEvents,
): ((proxied: ProxiedRequest) => void) => {
  const onFailure = (error: Error, request: IncomingMessage): void => onError(proxiedOf(request), error);
  const middleware = createProxyMiddleware({
    target,
    agent,
    // The package's default plugins answer errors in plain text and log each response; only its events are needed.
    ejectPlugins: true,
    plugins: [proxyEventsPlugin],
    selfHandleResponse: true,
    on: {
      proxyReq: (upstream, request) => onRequest(proxiedOf(request), upstream),
      proxyRes: (reply, request) => onReply(proxiedOf(request), reply),
      error: onFailure,
      econnreset: onFailure,
    },
  });
  return (proxied) => {
    void middleware(proxied as unknown as IncomingMessage, proxied as unknown as ServerResponse);
  };
};
