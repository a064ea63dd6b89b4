import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';

/**
 * The `idleMs` of a program: enough for a busy client to use each of its open connections once, with the remainder of a
 * stop's 10 s for the rest.
 */
export const DRAIN_MS = 1_000;

/** How a server ends. Times are in milliseconds, counted from the beginning of the end. */
export interface DrainOptions {
  /** Requests in hand may take so long; then every connection is cut. */
  readonly graceMs: number;
  /** Kept connections are served for so long, each until its next answer, which says that it is the last. */
  readonly idleMs: number;
}

/**
 * A connection becomes idle when its last answer is sent; Node closes those idle at one moment, and none that become
 * idle later.
 */
const SWEEP_MS = 20;

/** A connection that came at the very end has so long for its request. */
const LAST_MS = 300;

/** Turns of the event loop in which new connections may arrive at the end of a drain. */
const MOST_TURNS = 200;

/**
 * Drains a server's connections, and resolves when the last one is closed. During the drain new connections are
 * accepted too; an answer that announces the close sends its client elsewhere, so that no request is in flight when the
 * listener closes. The system resets connections still in the backlog, whose requests may be sent already.
 */
export const drainConnections = (server: Server, { graceMs, idleMs }: DrainOptions): Promise<void> =>
  new Promise((resolve) => {
    // The latest connections still have their requests in flight.
    const lastMs = Math.min(idleMs, LAST_MS);
    let sweep: NodeJS.Timeout | undefined;
    const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
    let closedAt = 0;
    const closeIdle = (): void => {
      if (performance.now() - closedAt > lastMs) server.closeIdleConnections();
    };
    const stopAccepting = (): void => {
      closedAt = performance.now();
      // An HTTP server's own way of closing cuts the idle connections first, on which a request may be on its way.
      NetServer.prototype.close.call(server, () => {
        clearInterval(sweep);
        clearTimeout(deadline);
        // Nothing is left to close but its timer.
        server.close();
        resolve();
      });
      sweep = setInterval(closeIdle, SWEEP_MS);
    };
    // Each turn of the event loop accepts the whole backlog; after a turn without a new connection, almost none arrives
    // before the listener closes.
    let came = 0;
    const comeToAnEnd = (): void => {
      server.on('connection', () => {
        came += 1;
      });
      const turn = (left: number, before: number): void => {
        if (came === before || left === 0) stopAccepting();
        else setImmediate(turn, left - 1, came);
      };
      setImmediate(turn, MOST_TURNS, -1);
    };
    if (idleMs > 0 && graceMs > 0) setTimeout(comeToAnEnd, Math.min(idleMs, graceMs));
    else stopAccepting();
  });
