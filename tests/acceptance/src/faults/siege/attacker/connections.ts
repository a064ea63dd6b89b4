import { connect, type Socket } from 'node:net';
import type { Budget } from './budget.ts';

/** Connections that send nothing, not even a TLS handshake. */
export interface IdleConnections {
  readonly counts: { open: number; mostOpen: number; connected: number; reset: number };
  close(): void;
}

/** One that ends sooner was not admitted. */
const AT_ONCE_MS = 1_000;
/** How many are opened per turn of the budget: opening one costs far less than a request. */
const PER_TURN = 100;
/** Turns that wait for the budget at once. */
const ABREAST = 3;
const PAUSE_MS = 100;

/**
 * Holds `most` connections open, in turn from each address, and opens new ones for those that the product closes. One
 * address that was refused pauses for a second.
 */
export const holdConnections = (
  port: number,
  from: readonly string[],
  most: number,
  budget: Budget,
): IdleConnections => {
  const counts = { open: 0, mostOpen: 0, connected: 0, reset: 0 };
  const sockets = new Set<Socket>();
  const refusedAt = new Map<string, number>();
  let closed = false;
  let turn = 0;

  const open = (localAddress: string): void => {
    const startedAt = performance.now();
    const socket = connect({ host: '127.0.0.1', port, localAddress });
    sockets.add(socket);
    socket.once('connect', () => {
      counts.connected += 1;
      counts.open += 1;
      counts.mostOpen = Math.max(counts.mostOpen, counts.open);
      socket.once('close', () => {
        counts.open -= 1;
        if (performance.now() - startedAt > AT_ONCE_MS) return;
        counts.reset += 1;
        refusedAt.set(localAddress, performance.now());
      });
    });
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    // Without a reader the end of the connection would go unnoticed.
    socket.resume();
  };

  const mayConnect = (address: string): boolean => performance.now() - (refusedAt.get(address) ?? -1_000) >= 1_000;

  const hold = async (): Promise<void> => {
    while (!closed) {
      await budget.turn();
      for (let opened = 0; opened < PER_TURN && sockets.size < most; opened++) {
        turn += 1;
        const address = from[turn % from.length] ?? '127.0.0.1';
        if (mayConnect(address)) open(address);
      }
      if (sockets.size >= most) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  for (let index = 0; index < ABREAST; index++) void hold();
  return {
    counts,
    close() {
      closed = true;
      for (const socket of sockets) socket.destroy();
    },
  };
};
