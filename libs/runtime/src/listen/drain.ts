import type { Server } from 'node:http';
import type { ListeningSockets } from './sockets.ts';

/**
 * The `idleMs` of a program whose clients are anybody: enough for a busy client to use each of its open connections
 * once; the rest of a stop's 15 s is for the other parts.
 */
export const DRAIN_MS = 1_000;

/**
 * The `idleMs` of a service. The gateway sends a request that cannot be repeated only on a connection whose last answer
 * it has read lately; without processor time it may have read that answer seconds late. As soon as the gateway knows
 * that a process is stopping, it closes its idle connections, and the drain ends.
 */
export const SERVICE_DRAIN_MS = 3_000;

/** Time in which clients hear that the process is stopping, while no connection is open. */
const LEAST_MS = 1_000;

/** How a server stops. Times are in milliseconds, counted from the beginning of the stop. */
export interface DrainOptions {
  /** Time for running requests; then every connection is closed. */
  readonly graceMs: number;
  /**
   * Time for open keep-alive connections, each until its next answer, which announces the close; ends after a second
   * when none is open any more.
   */
  readonly idleMs: number;
  /** The number of open connections. */
  readonly open: () => number;
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
  { graceMs, idleMs, open }: DrainOptions,
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
      if (performance.now() - closedAt <= lastMs) return;
      setImmediate(() => {
        server.closeIdleConnections();
        sockets.closeSilent();
      });
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
    const from = performance.now();
    const mostMs = Math.min(idleMs, graceMs);
    const leastMs = Math.min(LEAST_MS, mostMs);
    const wait = (): void => {
      const passed = performance.now() - from;
      if (passed >= mostMs || (passed >= leastMs && open() === 0)) acceptBacklog();
      else setTimeout(wait, passed < leastMs ? leastMs - passed : SWEEP_MS);
    };
    if (mostMs > 0) wait();
    else stopAccepting();
  });
