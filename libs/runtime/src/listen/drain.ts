import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';

/** For clients that are anybody: enough for a busy one to use each of its open connections once. */
export const DRAIN_MS = 1_000;

/** A gateway without processor time reads an answer seconds late; knowing of the stop, it closes idle connections. */
export const SERVICE_DRAIN_MS = 3_000;

/** Time in which clients hear that the process is stopping, while no connection is open. */
const LEAST_MS = 1_000;

/** Milliseconds, counted from the beginning of the stop. */
interface DrainOptions {
  readonly graceMs: number;
  /** For open keep-alive connections, each until its next answer; a second when none is open any more. */
  readonly idleMs: number;
  readonly connections: ReadonlySet<Socket>;
  readonly running: () => number;
}

const SWEEP_MS = 20;

/** Time for the request of a connection that was accepted at the very end. */
const LAST_MS = 300;

/** Turns of the event loop in which new connections may arrive at the end of a drain. */
const MOST_TURNS = 200;

/** Meanwhile new connections are accepted, too: an answer that announces the close sends its client elsewhere. */
export async function drainConnections(
  server: Server,
  { graceMs, idleMs, connections, running }: DrainOptions,
): Promise<void> {
  const from = performance.now();
  const getElapsedMs = (): number => performance.now() - from;
  const mostMs = Math.min(idleMs, graceMs);
  const leastMs = Math.min(LEAST_MS, mostMs);
  while (getElapsedMs() < leastMs || (getElapsedMs() < mostMs && connections.size > 0)) await setTimeout(SWEEP_MS);
  if (mostMs > 0) await acceptBacklog(server);

  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  const lastMs = Math.min(mostMs, LAST_MS);
  let quietSince = getElapsedMs();
  const sweep = setInterval(async () => {
    // A process that had no processor time reads first what has arrived meanwhile.
    await setImmediate();
    const now = getElapsedMs();
    if (running() > 0) quietSince = now;
    if (now < graceMs && now - quietSince <= lastMs) return;
    for (const socket of connections) socket.destroy();
  }, SWEEP_MS);
  await closed;
  clearInterval(sweep);
}

/** Each turn of the event loop accepts one connection, if one waits; the system resets those that wait at the close. */
const acceptBacklog = async (server: Server): Promise<void> => {
  let accepted = 0;
  server.on('connection', () => {
    accepted += 1;
  });
  for (let turn = 0, before = -1; turn < MOST_TURNS && before !== accepted; turn += 1) {
    before = accepted;
    await setImmediate();
  }
};
