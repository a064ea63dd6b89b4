import type { IncomingMessage } from 'node:http';
import { buildCommonHeaders } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { BrokenReply, ForeignReply, type Proxied } from './failure.ts';
import type { Passing } from './headers.ts';
import { isStream, joinVary, relayFailure, requireInterface, sendReply } from './reply.ts';

interface ReceiverOptions {
  /** What passes to and from the service now. */
  readonly passing: () => Passing;
  /** Called for every response that is forwarded, with what passes of its headers. */
  readonly onReply?: (exchange: Exchange, reply: IncomingMessage, headers: readonly string[]) => void;
  /** Called for every response that has no end of its own. */
  readonly onStream?: (exchange: Exchange) => void;
  /** Ends counting and timing a request. */
  readonly forget: (proxied: Proxied) => void;
  /** Answers with the error of the service. */
  readonly answerFailure: (proxied: Proxied, error: Error) => void;
}

/**
 * Makes what passes a service's answer on. Whatever the service answers, and whatever fails because of it, concerns its
 * own exchange: an answer that cannot be passed on is replaced by an error, or cut off once part of it was sent.
 */
export function createReceiver({ passing, onReply, onStream, forget, answerFailure }: ReceiverOptions) {
  const guard = (proxied: Proxied, act: () => void): void => {
    try {
      act();
    } catch (error) {
      const { response } = proxied.exchange;
      const foreign = error instanceof ForeignReply ? error : new ForeignReply(String(error));
      if (!response.writableEnded && !response.destroyed) answerFailure(proxied, foreign);
      proxied.reply?.destroy();
    }
  };

  /** @throws {ForeignReply} */
  const relay = (proxied: Proxied, reply: IncomingMessage): void => {
    const { exchange } = proxied;
    const { response, request, route, family, corsHeaders } = exchange;
    requireInterface(reply, request.method, route);
    const returned = passing().returned(exchange, reply);
    onReply?.(exchange, reply, returned);
    if (isStream(reply)) {
      // Neither timed nor counted any more: streams have a limit of their own.
      forget(proxied);
      proxied.release();
      onStream?.(exchange);
    }
    const headers = [...buildCommonHeaders(exchange), ...returned];
    if (corsHeaders.length > 0) joinVary(headers);
    const to = { response, headers, guard: (act: () => void) => guard(proxied, act) };
    if (family === 'B' && (reply.statusCode ?? 0) >= 500) relayFailure(reply, to);
    else sendReply(reply, to, () => answerFailure(proxied, new BrokenReply()));
  };

  return (proxied: Proxied, reply: IncomingMessage): void => guard(proxied, () => relay(proxied, reply));
}
