import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { RequestHandler, Response } from 'express';
import type { Exchange } from '../exchange/exchange.ts';
import { isOverTls, type Peer } from '../exchange/peer.ts';
import { toFamily } from '../exchange/target.ts';
import { beginRequest, endRequest } from '../telemetry/request-log.ts';

export interface ExchangeOptions {
  readonly peerOf: (request: IncomingMessage) => Peer;
  readonly hsts: string | undefined;
  readonly hasErrorPages: Exchange['hasErrorPages'];
  readonly onCompleted: (exchange: Exchange) => void;
}

export type Exchanges = ReturnType<typeof createExchanges>;

const IDLE_MS = 200;

const NO_HEADERS: readonly string[] = [];

const UNREAD = { path: '', query: '' };

export function createExchanges({ peerOf, hsts, hasErrorPages, onCompleted }: ExchangeOptions) {
  const openExchange = (request: IncomingMessage, response: Response): Exchange => {
    const peer = peerOf(request);
    const { trace, span } = beginRequest(request);
    const secure = request.socket instanceof TLSSocket || (peer.trusted && isOverTls(request));
    return {
      request,
      response,
      trace,
      span,
      startedAt: performance.now(),
      now: Date.now(),
      secure,
      hsts: secure ? hsts : undefined,
      host: request.headers.host,
      address: peer.address,
      hasErrorPages,
      originRefusal: undefined,
      family: toFamily(request.url),
      target: UNREAD,
      quota: undefined,
      route: undefined,
      claims: undefined,
      apiKey: undefined,
      isPublic: false,
      token: '',
      tokenHash: '',
      identity: undefined,
      forwardedAt: 0,
      admittedKey: undefined,
      keyOutcome: undefined,
      corsHeaders: NO_HEADERS,
      bytesOut: 0,
      proxied: undefined,
    };
  };

  let inFlight = 0;
  let resolveIdle = (): void => undefined;

  /** Other middleware find it in `request.exchange`. */
  const open: RequestHandler = (request, response, next) => {
    const exchange = openExchange(request, response);
    request.exchange = exchange;
    inFlight += 1;
    response.on('close', () => {
      exchange.proxied?.end();
      onCompleted(exchange);
      if (exchange.span) endRequest(exchange.span, exchange);
      inFlight -= 1;
      if (inFlight === 0) resolveIdle();
    });
    next();
  };

  return {
    open,
    /**
     * When every exchange has ended and is logged, at the latest after IDLE_MS: Node reports nothing for a pipelined
     * request that was never started.
     */
    idle: (): Promise<void> =>
      new Promise((resolve) => {
        resolveIdle = resolve;
        if (inFlight === 0) resolve();
        else setTimeout(resolve, IDLE_MS);
      }),
  };
}
