import type { Server } from 'node:http';
import type { ListeningSockets } from './sockets.ts';

/**
 * The `idleMs` of a program: enough for a busy client to use each of its open connections once; the rest of a stop's
 * 15 s is for the other parts.
 */
export const DRAIN_MS = 1_000;

/** How a server stops. Times are in milliseconds, counted from the beginning of the stop. */
export interface DrainOptions {
  /** Time for running requests; then every connection is closed. */
  readonly graceMs: number;
  /** Time for open keep-alive connections, each until its next answer, which announces the close. */
  readonly idleMs: number;
}

/**
 * A connection becomes idle when its last answer is sent; Node closes only those that are idle at one moment, so this
 * repeats.
 */
const SWEEP_MS = 20;

/** Time for the request of a connection that was accepted at the very end. */
const LAST_MS = 300;

/** Turns of the event loop in which new connections may arrive at the end of a drain. */
const MOST_TURNS = 200;

/**
 * Drains a server's connections, and resolves when the last one is closed. During the drain new connections are
 * accepted too; an answer that announces the close sends its client elsewhere, so that no request is in flight when the
 * listener closes. The system resets connections still in the backlog, whose requests may be sent already.
 */
export const drainConnections = (
  server: Server,
  sockets: ListeningSockets,
  { graceMs, idleMs }: DrainOptions,
): Promise<void> =>
  new Promise((resolve) => {
    // The latest connections still have their requests in flight.
    const lastMs = Math.min(idleMs, LAST_MS);
    let sweep: NodeJS.Timeout | undefined;
    const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
    let closedAt = 0;
    // After the event loop has read what arrived: a process without processor time may find in one turn that the time
    // is over and that a connection has a request.
    const closeIdle = (): void => {
      if (performance.now() - closedAt > lastMs) setImmediate(() => server.closeIdleConnections());
    };
    const stopAccepting = (): void => {
      closedAt = performance.now();
      sockets.close().then(() => {
        clearInterval(sweep);
        clearTimeout(deadline);
        // Only its timer is left to close.
        server.close();
        resolve();
      });
      sweep = setInterval(closeIdle, SWEEP_MS);
    };
    // Each turn of the event loop accepts a connection of each socket's queue, if it has one; after a turn without a new
    // connection, almost none arrives before the sockets close.
    let accepted = 0;
    const acceptBacklog = (): void => {
      server.on('connection', () => {
        accepted += 1;
      });
      const turn = (left: number, before: number): void => {
        if (accepted === before || left === 0) stopAccepting();
        else setImmediate(turn, left - 1, accepted);
      };
      setImmediate(turn, MOST_TURNS, -1);
    };
    if (idleMs > 0 && graceMs > 0) setTimeout(acceptBacklog, Math.min(idleMs, graceMs));
    else stopAccepting();
  });
