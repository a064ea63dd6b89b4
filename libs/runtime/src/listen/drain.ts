import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';

/**
 * The `idleMs` of a program: whoever uses its kept connections all the time has used each of them, and what is left of
 * a stop's 10 s is enough.
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
 * A connection becomes idle when its last answer is out; Node closes those that are idle at one moment, and nobody
 * closes later ones.
 */
const SWEEP_MS = 20;

/** A connection that came at the very end has so long for its request. */
const LAST_MS = 300;

/** Turns of the loop in which new connections may come at the end of a farewell. */
const MOST_TURNS = 200;

/**
 * Ends a server, and resolves when the last connection is closed. Where kept connections have time, new ones are
 * accepted for as long: whoever is told on one that it was the last goes elsewhere, so that nobody is on his way any
 * more when the door is closed. The system resets those who still wait at it, and they have sent their requests.
 */
export const drainConnections = (server: Server, { graceMs, idleMs }: DrainOptions): Promise<void> =>
  new Promise((resolve) => {
    // Who came last has his request still on its way.
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
    // Each turn of the loop accepts everybody who waits; after one in which nobody came, next to nobody comes between
    // it and the end.
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
