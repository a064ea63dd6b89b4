import type { Socket } from 'node:net';
import { type Logger, networkOf } from '@boxoffice/runtime';
import type { IsTrusted } from '../exchange/peer.ts';

export interface ConnectionLimitOptions {
  /** Maximum number of connections per address. */
  readonly most?: number;
  /** Trusted proxies, which carry the connections of many clients. */
  readonly isTrusted: IsTrusted;
  /** Called for every refused connection. */
  readonly onRefused: () => void;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now?: () => number;
}

/** Well above what a browser or a partner with pooled connections opens, well below the gateway's capacity. */
export const ADDRESS_CONNECTIONS = 200;

/** Minimum time between two log lines about refusals. Milliseconds. */
const LOGGED_EVERY_MS = 60_000;

/**
 * Makes the admission check for new connections, shared by all listeners: it bounds the connections per address; an
 * IPv6 /64 network counts as one address.
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
    logger.warn('too many connections from one address; new ones are refused', { peer, count: unlogged });
    loggedAt = now();
    unlogged = 0;
  };

  return (socket) => {
    const { remoteAddress } = socket;
    // Undefined if the socket is already closed.
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
