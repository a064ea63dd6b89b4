import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Exchange, ProxiedExchange } from '../exchange/exchange.ts';
import { type Framing, sendBody } from './body.ts';
import type { Indexed } from './in-flight.ts';

/** Notifications about a proxied request. */
export interface ProxiedRequestEvents {
  bodySent(proxied: ProxiedRequest): void;
  bodyTooLarge(proxied: ProxiedRequest): void;
  /** The response is sent, or the client has disconnected. */
  over(proxied: ProxiedRequest): void;
}

/**
 * One request on its way to a service, and all that the forwarder remembers of it. The proxy is given this in place of both the
 * incoming message and the response: so it sees the cleaned headers whatever else it does (it calls no hook for a request with
 * `Expect`, for one), a body is counted on its way, and the dozen listeners per request that it would add for its own
 * way of answering are not there; the forwarder, which answers itself, has its own three.
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
  readonly bodiless: boolean;
  /** Deadline of the whole exchange. Epoch milliseconds. */
  deadline: number;
  /** Deadline of the current phase. Epoch milliseconds. */
  dueAt: number;
  /** The request to the service, once it has a connection. */
  upstream: ClientRequest | undefined;
  reply: IncomingMessage | undefined;
  attempts = 1;
  /** Whether the outcome was reported to the breaker. */
  settled = false;
  /** Whether the response is sent, or the client has disconnected. */
  over = false;
  readonly #events: ProxiedRequestEvents;

  constructor(
    exchange: Exchange,
    headers: Record<string, string | string[]>,
    framing: Framing,
    times: { readonly deadline: number; readonly dueAt: number },
    events: ProxiedRequestEvents,
  ) {
    const { request, target } = exchange;
    this.exchange = exchange;
    this.method = request.method ?? 'GET';
    this.url = target.path + target.query;
    this.headers = headers;
    this.socket = request.socket;
    this.bodiless = !framing.body;
    this.deadline = times.deadline;
    this.dueAt = times.dueAt;
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

  /** Forwards the body, once the request to the service has a connection. */
  pipe(upstream: ClientRequest): ClientRequest {
    if (this.bodiless) {
      upstream.end();
    } else {
      sendBody(this.exchange.request, upstream, {
        sent: () => this.#events.bodySent(this),
        tooLarge: () => this.#events.bodyTooLarge(this),
      });
    }
    return upstream;
  }
}

/** The proxy uses its request and response arguments by their types only, and passes them back in its events. */
export const asRequest = (proxied: ProxiedRequest): IncomingMessage => proxied as unknown as IncomingMessage;
export const asResponse = (proxied: ProxiedRequest): ServerResponse => proxied as unknown as ServerResponse;
export const proxiedOf = (request: IncomingMessage): ProxiedRequest => request as unknown as ProxiedRequest;
