import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';

/** The `idleMs` of a program: whoever uses its kept connections all the time has used each of them, and what is left of a stop's 10 s is enough. */
export const FAREWELL_MS = 1_000;

/** How a server ends. Times are in milliseconds, counted from the beginning of the end. */
export interface Farewell {
  /** Requests in hand may take so long; then every connection is cut. */
  readonly graceMs: number;
  /** Kept connections are served for so long, each until its next answer, which says that it is the last. */
  readonly idleMs: number;
}

/** A connection becomes idle when its last answer is out; Node closes those that are idle at one moment, and nobody closes later ones. */
const SWEEP_MS = 20;

/**
 * Stops accepting, and resolves when the last connection is closed. Where kept connections have time, it first accepts who has come already:
 * the system resets the connections of those who still wait when the door is closed, and they have sent their requests.
 */
export const farewell = (server: Server, { graceMs, idleMs }: Farewell): Promise<void> =>
  new Promise((resolve) => {
    let sweep: NodeJS.Timeout | undefined;
    const closeIdle = (): void => {
      server.closeIdleConnections();
      sweep ??= setInterval(closeIdle, SWEEP_MS);
    };
    const idle = idleMs > 0 ? setTimeout(closeIdle, idleMs) : undefined;
    const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
    // An HTTP server's own way of closing cuts the idle connections first, on which a request may be on its way.
    const stopAccepting = (): void => {
      NetServer.prototype.close.call(server, () => {
        clearInterval(sweep);
        clearTimeout(idle);
        clearTimeout(deadline);
        // Nothing is left to close but its timer.
        server.close();
        resolve();
      });
    };
    // Each turn of the loop accepts everybody; the second one is short, so that next to nobody comes between it and the end.
    if (idle && graceMs > 0) setImmediate(() => setImmediate(stopAccepting));
    else stopAccepting();
    if (!idle) closeIdle();
  });
