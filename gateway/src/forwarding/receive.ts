import type { IncomingMessage } from 'node:http';
import { buildCommonHeaders } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { BrokenReply, ForeignReply, type Proxied } from './failure.ts';
import type { HeaderFilter } from './headers.ts';
import { isStream, joinVary, relayFailure, requireInterface, sendReply } from './reply.ts';

interface ReceiverOptions {
  readonly headerFilter: () => HeaderFilter;
  readonly onReply?: (exchange: Exchange, reply: IncomingMessage, headers: readonly string[]) => void;
  readonly onStream?: (exchange: Exchange) => void;
  readonly forget: (proxied: Proxied) => void;
  readonly answerFailure: (proxied: Proxied, error: Error) => void;
}

/**
 * Whatever fails because of a service's answer concerns its own exchange: the answer is replaced by an error, or cut
 * off once part of it was sent.
 */
export function createReceiver({ headerFilter, onReply, onStream, forget, answerFailure }: ReceiverOptions) {
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
    const returned = headerFilter().buildReplyHeaders(exchange, reply);
    onReply?.(exchange, reply, returned);
    if (isStream(reply)) {
      // Streams have a limit of their own.
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
