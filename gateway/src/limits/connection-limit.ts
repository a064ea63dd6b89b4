import type { Socket } from 'node:net';
import { type Logger, networkOf } from '@boxoffice/runtime';
import type { IsTrusted } from '../exchange/peer.ts';

export interface ConnectionLimitOptions {
  /** Connections that one address may have at once. */
  readonly most?: number;
  /** Proxies, which have everybody's connections. */
  readonly isTrusted: IsTrusted;
  /** Hears of every connection that is refused. */
  readonly onRefused: () => void;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now?: () => number;
}

/** Far more than a browser, or a partner with kept connections, has; far fewer than all that the gateway takes. */
export const ADDRESS_CONNECTIONS = 200;

/** Refusals are logged at most once in this time. Milliseconds. */
const LOGGED_EVERY_MS = 60_000;

/**
 * Makes the decision whether a new connection may stay, for all listeners together: no address, an IPv6 /64 network counting as one, has
 * more than its share of them.
 */
export const createConnectionLimit = (options: ConnectionLimitOptions): ((socket: Socket) => boolean) => {
  const { most = ADDRESS_CONNECTIONS, isTrusted, onRefused, logger, now = Date.now } = options;
  const open = new Map<string, number>();
  let loggedAt = Number.NEGATIVE_INFINITY;
  let unlogged = 0;

  const reportRefusal = (peer: string): void => {
    onRefused();
    unlogged += 1;
    if (now() - loggedAt < LOGGED_EVERY_MS) return;
    logger.warn('an address has too many connections; its new ones are refused', { peer, count: unlogged });
    loggedAt = now();
    unlogged = 0;
  };

  return (socket) => {
    const { remoteAddress } = socket;
    // Undefined: it has gone already.
    if (remoteAddress === undefined || isTrusted(remoteAddress)) return true;
    const peer = networkOf(remoteAddress);
    const count = open.get(peer) ?? 0;
    if (count >= most) {
      reportRefusal(peer);
      return false;
    }
    open.set(peer, count + 1);
    socket.once('close', () => {
      const left = (open.get(peer) ?? 1) - 1;
      if (left > 0) open.set(peer, left);
      else open.delete(peer);
    });
    return true;
  };
};
