import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { type Framing, sendBody } from './body.ts';
import type { Exchange } from './exchange.ts';

/** What happens to the body of a passage. */
export interface PassageEvents {
  bodySent(passage: Passage): void;
  bodyTooLarge(passage: Passage): void;
}

/**
 * One request on its way to a service: the request as the proxy reads it, and what the forwarder remembers of it. The proxy is given this
 * in place of the incoming message, so that it sees the cleaned headers whatever else it does (it calls no hook for a request
 * with `Expect`, for one), and so that a body is counted on its way.
 */
export class Passage {
  readonly exchange: Exchange;
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string | string[]>;
  readonly httpVersion = '1.1';
  readonly httpVersionMajor = 1;
  readonly socket: Socket;
  readonly bodiless: boolean;
  /** Epoch milliseconds: when all must be over. */
  readonly deadline: number;
  /** The request to the service, once it has a connection. */
  upstream: ClientRequest | undefined;
  timer: NodeJS.Timeout | undefined;
  attempts = 1;
  /** Whether the service has been given the whole request. */
  sent: boolean;
  /** Whether the service has begun to answer. */
  replied = false;
  /** Whether the outcome is known. */
  settled = false;
  readonly #events: PassageEvents;

  constructor(
    exchange: Exchange,
    headers: Record<string, string | string[]>,
    framing: Framing,
    deadline: number,
    events: PassageEvents,
  ) {
    const { request, target } = exchange;
    this.exchange = exchange;
    this.method = request.method ?? 'GET';
    this.url = target.path + target.query;
    this.headers = headers;
    this.socket = request.socket;
    this.bodiless = !framing.body;
    this.sent = !framing.body;
    this.deadline = deadline;
    this.#events = events;
  }

  /** The proxy would listen for the client's abort here; the forwarder hears of it through the response. */
  on(): this {
    return this;
  }

  /** Hands the body on, once the request to the service has a connection. */
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
