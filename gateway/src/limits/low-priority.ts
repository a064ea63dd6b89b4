/** Why a request of low priority has not got its turn. */
export type NoTurn = 'waited_long' | 'queue_full';

/**
 * Lets requests of low priority wait until the event loop has time for them, as long as there are others. Turns go
 * round the addresses.
 */
export interface LowPriority {
  /** Counts a request of ordinary priority, which never waits. */
  ordinary(now: number): void;
  /**
   * Resolves when a request of this address has its turn, and with the reason when it gets none. `hasLeft`: whether its
   * client has closed the connection; such a request takes no turn. Undefined: it need not wait.
   */
  enter(network: string, now: number, hasLeft: () => boolean): Promise<NoTurn | undefined> | undefined;
  /** Gives the turns that there is time for; called every TICK_MS while requests wait. */
  tick(now: number): void;
  readonly waiting: number;
}

export interface LowPriorityOptions {
  /** The part of the time since the last call in which the event loop was busy, from 0 to 1. */
  readonly utilization: () => number;
}

/** Milliseconds between two looks at the event loop. */
export const TICK_MS = 10;

/** Above this utilization there is no time for requests of low priority. */
const BUSY = 0.5;

/** Most turns in one tick. */
const MOST_TURNS = 2;

/** Milliseconds without an ordinary request after which there is nobody to give way to. */
const QUIET_MS = 1_000;

/** The busiest event loop gives one turn in this time. Milliseconds. */
const LEAST_EVERY_MS = 250;

const LONGEST_WAIT_MS = 5_000;

/** Maximum number of requests that wait. */
const MOST_WAITING = 1_000;

interface Waiter {
  readonly since: number;
  readonly hasLeft: () => boolean;
  end(outcome: NoTurn | undefined): void;
}

/** Makes the queue of one process. */
export const createLowPriority = ({ utilization }: LowPriorityOptions): LowPriority => {
  /** The waiting requests by address, never empty; the first address has the next turn. */
  const lines = new Map<string, Waiter[]>();
  let waiting = 0;
  let turns = 1;
  let turnAt = 0;
  let ordinaryAt = Number.NEGATIVE_INFINITY;

  const isQuiet = (now: number): boolean => now - ordinaryAt > QUIET_MS;

  const next = (): Waiter | undefined => {
    const [first] = lines;
    if (!first) return undefined;
    const [network, line] = first;
    const waiter = line.shift();
    waiting -= 1;
    lines.delete(network);
    if (line.length > 0) lines.set(network, line);
    return waiter;
  };

  const giveTurn = (now: number): void => {
    for (let waiter = next(); waiter; waiter = next()) {
      const isGone = waiter.hasLeft();
      waiter.end(undefined);
      if (isGone) continue;
      turnAt = now;
      return;
    }
  };

  const endLongWaits = (now: number): void => {
    for (const [network, line] of lines) {
      while (line[0] && now - line[0].since >= LONGEST_WAIT_MS) {
        line.shift()?.end('waited_long');
        waiting -= 1;
      }
      if (line.length === 0) lines.delete(network);
    }
  };

  return {
    ordinary(now) {
      ordinaryAt = now;
    },
    enter(network, now, hasLeft) {
      if (isQuiet(now)) return undefined;
      if (waiting >= MOST_WAITING) return Promise.resolve('queue_full' as const);
      const turn = Promise.withResolvers<NoTurn | undefined>();
      const line = lines.get(network) ?? [];
      line.push({ since: now, hasLeft, end: turn.resolve });
      lines.set(network, line);
      waiting += 1;
      return turn.promise;
    },
    tick(now) {
      if (isQuiet(now)) {
        while (waiting > 0) giveTurn(now);
        return;
      }
      const isBusy = utilization() >= BUSY;
      turns = isBusy ? 1 : Math.min(turns + 1, MOST_TURNS);
      if (!isBusy || now - turnAt >= LEAST_EVERY_MS) for (let turn = 0; turn < turns; turn += 1) giveTurn(now);
      endLongWaits(now);
    },
    get waiting() {
      return waiting;
    },
  };
};
